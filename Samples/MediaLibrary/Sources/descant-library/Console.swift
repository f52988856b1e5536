internal import Foundation
internal import Glibc
internal import Synchronization

/// Writes for people: results to standard output, everything else to standard error.
enum Console {
    /// Held while a line is written, so that lines of several tasks do not mix.
    private static let output = Mutex(())

    /// Writes a line to standard error.
    static func write(_ line: String) { note(line + "\n") }

    /// Writes to standard error; a failure is ignored.
    static func note(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }

    /// Writes a line to standard output at once.
    ///
    /// When the reader closes the pipe, as `head` does, the program ends without an error. After any other error it ends with EX_IOERR
    /// of sysexits.h.
    ///
    /// - Parameters:
    ///   - line: The line.
    ///   - end: What is written behind it.
    static func show(_ line: String, end: String = "\n") { output.withLock { _ in write(whole: line + end) } }

    private static func write(whole text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count >= 0 {
                bytes = bytes.dropFirst(count)
            } else if errno == EPIPE {
                exit(0)
            } else if errno != EINTR {
                write("descant library: the standard output cannot be written: \(String(cString: strerror(errno)))")
                exit(74)
            }
        }
    }

    /// Writes a value as JSON on one line to standard output.
    static func json(_ value: some Encodable) throws { show(try text(value)) }

    /// A value as JSON on one line. Dates are as ISO 8601 writes them.
    static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        encoder.dateEncodingStrategy = .iso8601
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// `3:25`, `1:02:03`, `2 d 3 h`.
    static func time(_ seconds: Double?) -> String {
        guard let seconds else { return "-:--" }
        let whole = Int(min(max(0, seconds), 1e12))
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        if whole >= 86_400 { return "\(whole / 86_400) d \(whole / 3_600 % 24) h" }
        let short = "\(two(whole % 60))"
        return whole < 3_600 ? "\(whole / 60):\(short)" : "\(whole / 3_600):\(two(whole / 60 % 60)):\(short)"
    }

    /// A count with its noun: "1 track", "3 tracks".
    static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
