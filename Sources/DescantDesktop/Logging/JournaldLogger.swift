public import DescantCore
internal import Glibc
internal import Synchronization

/// Writes the library's log to systemd's journal, with fields that `journalctl` can search.
///
/// The event `session.activate` with `routeOutputs` becomes an entry with `DESCANT_EVENT=session.activate` and
/// `ROUTE_OUTPUTS=…`: `journalctl DESCANT_EVENT=session.activate -o verbose` finds it. The protocol is the journal's own, over
/// its datagram socket (systemd, "Native Journal Protocol").
///
/// Callable from any thread. A message takes about 20 µs and never waits. Without a journal nothing is written; ``dropped`` counts the
/// messages that a busy journal refuses.
public final class JournaldLogger: LoggerPort {
    /// The path of the socket of systemd's journal.
    public static let defaultSocket = "/run/systemd/journal/socket"

    private let socket: JournalSocket?
    private let identifier: String
    private let minimumLevel: LogLevel
    private let revealsPersonalValues: Bool
    private let lost = Atomic<Int>(0)

    /// Creates a logger.
    ///
    /// - Parameters:
    ///   - identifier: What the journal calls this program (`SYSLOG_IDENTIFIER`).
    ///   - minimumLevel: Messages below this level are not evaluated.
    ///   - revealsPersonalValues: Whether file names, spoken texts and the like are written. Otherwise ``LogValue/redaction``
    ///     replaces them.
    ///   - socketPath: The path of the socket of the journal, at most 107 bytes.
    public init(
        identifier: String, minimumLevel: LogLevel = .info, revealsPersonalValues: Bool = false,
        socketPath: String = JournaldLogger.defaultSocket
    ) {
        self.identifier = identifier
        self.minimumLevel = minimumLevel
        self.revealsPersonalValues = revealsPersonalValues
        socket = JournalSocket(path: socketPath)
    }

    /// The number of messages that the journal has refused. Messages without a journal do not count.
    public var dropped: Int { lost.load(ordering: .relaxed) }

    /// Writes at priority 7.
    ///
    /// - Parameter message: Evaluated only at this level.
    public func debug(_ message: @autoclosure () -> String) { send(message(), .debug) }

    /// Writes at priority 6.
    ///
    /// - Parameter message: Evaluated only at this level or a lower one.
    public func info(_ message: @autoclosure () -> String) { send(message(), .info) }

    /// Writes at priority 4.
    ///
    /// - Parameter message: Evaluated only at this level or a lower one.
    public func warn(_ message: @autoclosure () -> String) { send(message(), .warning) }

    /// Writes at priority 3.
    ///
    /// - Parameter message: Always evaluated.
    public func error(_ message: @autoclosure () -> String) { send(message(), .error) }

    /// Writes the event's text as the message, and its name and fields as fields of the journal.
    ///
    /// - Parameter event: Always evaluated, as its level is needed.
    public func record(_ event: @autoclosure () -> LogRecord) {
        let event = event()
        guard event.level >= minimumLevel else { return }
        var entry = entry(event.text(revealing: revealsPersonalValues), event.level)
        entry.add("DESCANT_EVENT", event.name)
        for (field, value) in event.fields.sorted(by: { $0.key < $1.key }) {
            entry.add(JournalEntry.name(of: field), value.text(revealing: revealsPersonalValues))
        }
        deliver(entry)
    }

    private func send(_ message: @autoclosure () -> String, _ level: LogLevel) {
        guard level >= minimumLevel else { return }
        deliver(entry(message(), level))
    }

    private func entry(_ message: String, _ level: LogLevel) -> JournalEntry {
        var entry = JournalEntry()
        entry.add("MESSAGE", message)
        entry.add("PRIORITY", String(Self.priority(level)))
        entry.add("SYSLOG_IDENTIFIER", identifier)
        return entry
    }

    private func deliver(_ entry: JournalEntry) {
        switch socket?.send(entry.bytes) {
        case .delivered?, .noJournal?, nil: break
        case .refused?: lost.add(1, ordering: .relaxed)
        }
    }

    /// The priority by syslog(3).
    private static func priority(_ level: LogLevel) -> Int {
        switch level {
        case .debug: 7
        case .info: 6
        case .warning: 4
        case .error: 3
        }
    }
}

/// One message in the journal's native protocol.
struct JournalEntry {
    /// The maximum size of a value in bytes; longer values are cut.
    static let valueLimit = 8 * 1024

    private(set) var bytes: [UInt8] = []

    /// Adds a field.
    ///
    /// - Parameters:
    ///   - name: Capitals, digits and underscores.
    ///   - value: Any text.
    mutating func add(_ name: String, _ value: String) {
        var text = Array(value.utf8.prefix(Self.valueLimit))
        if text.count < value.utf8.count {
            // The cut may lie inside a character.
            while String(validating: text, as: UTF8.self) == nil { text.removeLast() }
            text += Array(" …".utf8)
        }
        bytes += Array(name.utf8)
        if text.contains(0x0A) {
            // A value of several lines follows its length in 64 bits, least significant byte first.
            bytes.append(0x0A)
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: UInt64(text.count) >> (8 * UInt64($0))) }
        } else {
            bytes.append(UInt8(ascii: "="))
        }
        bytes += text
        bytes.append(0x0A)
    }

    /// The journal's name of a field: `routeOutputs` becomes `ROUTE_OUTPUTS`.
    static func name(of field: LogField) -> String {
        var name = ""
        for scalar in field.rawValue.unicodeScalars {
            switch scalar {
            case "A"..."Z":
                if !name.isEmpty { name.append("_") }
                name.unicodeScalars.append(scalar)
            case "a"..."z", "0"..."9": name.append(String(scalar).uppercased())
            default: name.append("_")
            }
        }
        // A leading underscore is reserved, and a leading digit is refused.
        guard let first = name.first, first.isLetter else { return "FIELD_" + name }
        return name
    }
}

/// A datagram socket that is not connected: each message names the journal's address, so a restarted journal is found again.
final class JournalSocket: Sendable {
    enum Outcome: Equatable {
        case delivered
        /// No journal listens at the path.
        case noJournal
        /// The journal is busy, or the message is too long.
        case refused
    }

    private let descriptor: CInt
    private let address: sockaddr_un

    /// Creates a socket; `nil` when the path is too long or no socket is available.
    init?(path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { room in
            guard path.utf8.count < room.count else { return false }
            room.copyBytes(from: path.utf8)
            return true
        }
        guard fits else { return nil }
        self.address = address
        descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    /// Sends a message without waiting.
    func send(_ bytes: [UInt8]) -> Outcome {
        let sent = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                sendto(
                    descriptor, bytes, bytes.count, CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL), address,
                    socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if sent == bytes.count { return .delivered }
        return [ENOENT, ECONNREFUSED, ENOTDIR, EACCES].contains(errno) ? .noJournal : .refused
    }
}
