internal import ArgumentParser
internal import Foundation
internal import Glibc
internal import TerminalUI

/// Writes for people: results to standard output, everything else to standard error.
enum Console {
    /// Writes lines to standard error, without the characters that control a terminal: they may hold names of files.
    static func write(_ lines: String) {
        let lines = lines.split(separator: "\n", omittingEmptySubsequences: false)
        note(lines.map { DisplayWidth.printable(String($0)) }.joined(separator: "\n") + "\n")
    }

    /// Writes to standard error; a failure is ignored.
    static func note(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }

    /// Writes a line of a result to standard output at once.
    ///
    /// - Throws: ``CommandFailure``.
    static func line(_ line: String) throws { try text(line + "\n") }

    /// Writes a part of a result to standard output at once.
    ///
    /// - Throws: ``CommandFailure``; when its reader has closed it, the status of SIGPIPE, of which the program then dies.
    static func text(_ text: String) throws {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count >= 0 {
                bytes = bytes.dropFirst(count)
            } else if errno == EPIPE {
                // The reader needs no more, as `head` does.
                throw ExitCode(128 + SIGPIPE)
            } else if errno != EINTR {
                let reason = String(cString: strerror(errno))
                throw CommandFailure(.output, "the standard output cannot be written: \(reason)")
            }
        }
    }

    /// Writes a failure to standard error.
    static func error(_ message: String) { write("descant: \(message)") }

    /// Writes a value as JSON to standard output.
    ///
    /// - Throws: ``CommandFailure``, or the error of the encoder.
    static func json(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .withoutEscapingSlashes, .sortedKeys]
        try line(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Writes a value as JSON in one line to standard output.
    ///
    /// - Throws: As ``json(_:)``.
    static func jsonLine(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        try line(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    static var environment: [String: String] { ProcessInfo.processInfo.environment }

    /// How a person starts this program: by its name where the search path has it, and otherwise by its path.
    static var program: String {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let candidates = (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/descant" }
        let found = candidates.first { access($0, X_OK) == 0 }
        return found.map { URL(fileURLWithPath: $0).resolvingSymlinksInPath() } == own ? "descant" : own.path
    }
}
