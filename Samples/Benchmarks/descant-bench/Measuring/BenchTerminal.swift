internal import Foundation
internal import Glibc

/// A program on a pseudo terminal of 80×24, which is timed from a key to what it draws.
final class BenchTerminal {
    private let process = Process()
    private let master: Int32
    private let slave: Int32
    /// What was drawn since the last ``forget()``.
    private var drawn: [UInt8] = []

    init(_ program: URL, _ arguments: [String], environment: [String: String]) throws {
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        // TIOCSPTLCK and TIOCGPTN: unlock the other end and ask for its number; Glibc's own functions are not imported.
        var lock: Int32 = 0
        var number: Int32 = 0
        guard master >= 0, ioctl(master, 0x4004_5431, &lock) == 0, ioctl(master, 0x8004_5430, &number) == 0 else {
            throw BenchError.failed("there is no pseudo terminal")
        }
        slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        var window = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(master, UInt(TIOCSWINSZ), &window)
        let handle = FileHandle(fileDescriptor: slave, closeOnDealloc: false)
        process.executableURL = program
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = handle
        process.standardOutput = handle
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit {
        // SIGTERM does not work, because a process that was started on a dispatch thread inherits that signal blocked.
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        close(master)
        close(slave)
    }

    func type(_ keys: String) { _ = keys.withCString { write(master, $0, strlen($0)) } }

    func forget() { drawn = [] }

    /// Types keys and waits for a text.
    ///
    /// - Returns: The time until then, in milliseconds.
    func time(_ keys: String, until text: String) throws -> Double {
        forget()
        let began = BenchOutput.now
        type(keys)
        try wait(for: text)
        return Double(BenchOutput.now - began) / 1e6
    }

    /// Reads what is drawn until it has a text.
    ///
    /// - Throws: When the text is not drawn in time.
    func wait(for text: String, seconds: Int64 = 30) throws {
        let limit = BenchOutput.now + seconds * 1_000_000_000
        while !hasDrawn(text) {
            guard process.isRunning, BenchOutput.now < limit else {
                throw BenchError.failed("the player does not draw \"\(text)\"")
            }
            readSome()
        }
    }

    /// Reads what is drawn within a time in milliseconds.
    func read(for milliseconds: Int64) {
        let limit = BenchOutput.now + milliseconds * 1_000_000
        while BenchOutput.now < limit { readSome() }
    }

    /// Whether a text was drawn, in whatever styles.
    func hasDrawn(_ text: String) -> Bool {
        var shown = Data()
        var isSequence = false
        for byte in drawn {
            if byte == 0x1b { isSequence = true }
            if !isSequence { shown.append(byte) }
            // "[" begins most sequences, and a letter ends those.
            if isSequence, (0x40...0x7e).contains(byte), byte != UInt8(ascii: "[") { isSequence = false }
        }
        return shown.range(of: Data(text.utf8)) != nil
    }

    private func readSome() {
        var watched = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        guard poll(&watched, 1, 100) > 0 else { return }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(master, &bytes, bytes.count)
        if count > 0 { drawn += bytes[..<count] }
    }
}
