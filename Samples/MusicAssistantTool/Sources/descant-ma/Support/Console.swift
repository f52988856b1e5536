internal import Foundation
internal import Glibc
internal import MusicAssistantKit

/// Writes for people: results to standard output, everything else to standard error.
enum Console {
    /// Writes lines to standard error. Names and titles of the server cannot control the terminal, as in ``show(_:)``.
    static func write(_ lines: String) {
        let printable = lines.split(separator: "\n", omittingEmptySubsequences: false).map {
            DisplayWidth.printable(String($0))
        }
        note(printable.joined(separator: "\n") + "\n")
    }

    /// Writes to standard error; a failure is ignored.
    static func note(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }

    /// Writes a line to standard output at once. Names and titles of the server cannot control the terminal or break the line.
    static func show(_ line: String) { draw(DisplayWidth.printable(line) + "\n") }

    /// Writes to standard output at once.
    ///
    /// When the reader closes the pipe, as `head` does, the program ends without an error. After any other error it ends
    /// with
    /// EX_IOERR of sysexits.h.
    static func draw(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count >= 0 {
                bytes = bytes.dropFirst(count)
            } else if errno == EPIPE {
                exit(0)
            } else if errno != EINTR {
                write("descant ma: the standard output cannot be written: \(String(cString: strerror(errno)))")
                exit(74)
            }
        }
    }

    /// Writes a value as JSON, on one line, to standard output.
    static func show(_ json: JSONValue) { draw(json.jsonString + "\n") }

    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// The columns of the terminal.
    static var width: Int {
        var size = winsize()
        return ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// Asks the user to choose one of several lines; nil without a terminal or for an invalid answer.
    static func choose(_ question: String, among lines: [String]) -> Int? {
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return nil }
        write(question)
        for (index, line) in lines.enumerated() { write("  \(index + 1)  \(line)") }
        note("Number: ")
        guard let number = readLine().flatMap({ Int($0.trimmingCharacters(in: .whitespaces)) }) else { return nil }
        return lines.indices.contains(number - 1) ? number - 1 : nil
    }

    /// Reads a line that is not shown when it is typed.
    static func readSecret(_ prompt: String) -> String? {
        guard isatty(STDIN_FILENO) == 1 else { return readLine() }
        note(prompt)
        var settings = termios()
        tcgetattr(STDIN_FILENO, &settings)
        let before = settings
        settings.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        defer {
            var before = before
            tcsetattr(STDIN_FILENO, TCSANOW, &before)
            write("")
        }
        return readLine()
    }
}
