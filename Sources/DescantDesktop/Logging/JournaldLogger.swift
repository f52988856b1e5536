public import DescantCore
internal import Synchronization

/// Writes the library's log to systemd's journal, with fields that `journalctl` can search.
///
/// The event `session.activate` with `routeOutputs` becomes an entry with `DESCANT_EVENT=session.activate` and
/// `ROUTE_OUTPUTS=…`: `journalctl DESCANT_EVENT=session.activate -o verbose` finds it. The protocol is the journal's own, over
/// its datagram socket (systemd, "Native Journal Protocol").
///
/// Callable from any thread. A message costs some 20 µs and never waits: without a journal nothing is written, and what a busy
/// journal does not take is counted in ``dropped``.
public final class JournaldLogger: LoggerPort {
    /// Where systemd's journal listens.
    public static let defaultSocket = "/run/systemd/journal/socket"

    private let socket: JournalSocket?
    private let identifier: String
    private let minimumLevel: LogLevel
    private let revealsPersonalValues: Bool
    private let lost = Atomic<Int>(0)

    /// Creates a logger; nothing is written yet.
    ///
    /// - Parameters:
    ///   - identifier: What the journal calls this program (`SYSLOG_IDENTIFIER`).
    ///   - minimumLevel: Messages below are not evaluated.
    ///   - revealsPersonalValues: Whether file names, spoken texts and the like are written. Otherwise ``LogValue/redaction``
    ///     stands in their place.
    ///   - socketPath: Where the journal listens; at most 107 bytes.
    public init(
        identifier: String, minimumLevel: LogLevel = .info, revealsPersonalValues: Bool = false,
        socketPath: String = JournaldLogger.defaultSocket
    ) {
        self.identifier = identifier
        self.minimumLevel = minimumLevel
        self.revealsPersonalValues = revealsPersonalValues
        socket = JournalSocket(path: socketPath)
    }

    /// How many messages the journal did not take since the logger was made, a missing journal not counted.
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

    /// The numbers of syslog(3).
    private static func priority(_ level: LogLevel) -> Int {
        switch level {
        case .debug: 7
        case .info: 6
        case .warning: 4
        case .error: 3
        }
    }
}
