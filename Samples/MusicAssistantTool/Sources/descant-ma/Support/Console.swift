internal import Foundation
internal import MusicAssistantKit

/// Writes for people: results to standard output, everything else to standard error.
enum Console {
    /// Writes a line to standard error.
    static func write(_ line: String) { note(line + "\n") }

    /// Writes to standard error. Where that cannot be written there is nobody to tell.
    static func note(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }

    /// Writes a line to standard output at once.
    static func show(_ line: String) { draw(line + "\n") }

    /// Writes to standard output at once. Where that cannot be written the program ends, with EX_IOERR of sysexits.h.
    static func draw(_ text: String) {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
        } catch {
            write("descant ma: the standard output cannot be written: \(error.localizedDescription)")
            exit(74)
        }
    }

    /// Writes a value as JSON, on one line, to standard output.
    static func show(_ json: JSONValue) { show(json.jsonString) }

    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

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
