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
        return TerminalEcho.off {
            note(prompt)
            return readLine()
        }
    }
}

/// The setting of a terminal to show what is typed.
///
/// Signal handlers may use neither locks nor memory management, so their data is in plain globals.
private enum TerminalEcho {
    // Safe: written before the handlers are installed; they only read it.
    nonisolated(unsafe) private static var saved = termios()
    private static let endOfLine: StaticString = "\n"

    /// The signals that end the program and leave the terminal to the shell.
    private static let endSignals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    /// Reads a line without showing it. A signal that ends the program restores the terminal first.
    static func off(_ read: () -> String?) -> String? {
        guard tcgetattr(STDIN_FILENO, &saved) == 0 else { return read() }
        let actions = endSignals.map { ($0, restoreBefore($0)) }
        var hidden = saved
        hidden.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSANOW, &hidden)
        defer {
            restore()
            for (number, action) in actions {
                guard var action else { continue }
                sigaction(number, &action, nil)
            }
        }
        return read()
    }

    /// Installs the handler of a signal, unless the signal is ignored, as SIGHUP under nohup.
    ///
    /// - Returns: The action to put back; `nil` for an ignored signal.
    private static func restoreBefore(_ number: Int32) -> sigaction? {
        var before = sigaction()
        guard sigaction(number, nil, &before) == 0 else { return nil }
        let handler = unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self)
        guard handler != unsafeBitCast(SIG_IGN, to: Int.self) else { return nil }
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { number in
            TerminalEcho.restore()
            raise(number)
        }
        // The default action is back while the handler runs, so raising ends the process with the true cause.
        action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND)) | SA_NODEFER
        sigaction(number, &action, nil)
        return before
    }

    /// Restores the terminal and ends the line of the prompt; only async-signal-safe calls.
    private static func restore() {
        var settings = saved
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        _ = Glibc.write(STDERR_FILENO, endOfLine.utf8Start, 1)
    }
}
