import Foundation
import Glibc

/// A program on a pseudo terminal.
final class TerminalProgram {
    let process: Process
    private let master: Int32
    private let slave: Int32
    private var written = ""
    /// The bytes of a character whose end was not read yet.
    private var cut: [UInt8] = []
    /// The screen after the last whole frame, and what was written behind that.
    private var shown: TerminalEmulator
    private var unshown = ""
    /// What the terminal answers; `nil` for one that is silent.
    private(set) var terminal: AskedTerminal?
    private let tellsPixels: Bool

    /// How long the program may take for anything: a busy machine is slow.
    private static let patience = Duration.seconds(60)

    struct Failure: Error, CustomStringConvertible { let description: String }

    /// - Parameters:
    ///   - terminal: What the terminal answers; `nil` for one that is silent.
    ///   - tellsPixels: Whether the size of the window is known in pixels.
    init(
        _ name: String, _ arguments: [String], width: Int, height: Int, environment: [String: String] = [:],
        terminal: AskedTerminal? = nil, tellsPixels: Bool = false
    ) throws {
        shown = TerminalEmulator(width: width, height: height)
        self.terminal = terminal
        self.tellsPixels = tellsPixels
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        // TIOCSPTLCK and TIOCGPTN: unlock the other end and ask for its number; Glibc's own functions are not imported.
        var lock: Int32 = 0
        var number: Int32 = 0
        guard master >= 0, ioctl(master, 0x4004_5431, &lock) == 0, ioctl(master, 0x8004_5430, &number) == 0 else {
            throw Failure(description: "no pseudo terminal")
        }
        slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        process = Program.make(name, arguments, environment: environment)
        let handle = FileHandle(fileDescriptor: slave, closeOnDealloc: false)
        process.standardInput = handle
        process.standardOutput = handle
        process.standardError = FileHandle.nullDevice
        resize(width: width, height: height)
        try process.run()
    }

    /// An interactive shell that controls its terminal.
    static func shell(environment: [String: String] = [:]) throws -> TerminalProgram {
        let shell = try TerminalProgram(
            "setsid", ["--ctty", "--wait", "bash", "-c", "PS1='ready> ' exec bash --norc --noprofile -i 2>&1"],
            width: 120, height: 24, environment: environment)
        try shell.wait("the prompt", until: shows("ready>"))
        return shell
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        close(master)
        close(slave)
    }

    func resize(width: Int, height: Int) {
        shown = TerminalEmulator(width: width, height: height)
        unshown = written
        let cell = tellsPixels ? AskedTerminal.cell : (width: 0, height: 0)
        var window = winsize(
            ws_row: UInt16(height), ws_col: UInt16(width), ws_xpixel: UInt16(width * cell.width),
            ws_ypixel: UInt16(height * cell.height))
        _ = ioctl(master, UInt(TIOCSWINSZ), &window)
        if process.isRunning { kill(process.processIdentifier, SIGWINCH) }
    }

    func type(_ keys: String) { _ = keys.withCString { write(master, $0, strlen($0)) } }

    /// Types parts of a key, each after the program has read the one before.
    ///
    /// - Throws: When the program does not read for a minute.
    func type(parts: [String]) throws {
        let limit = ContinuousClock.now + Self.patience
        for part in parts {
            type(part)
            var unread: Int32 = 1
            while ioctl(slave, UInt(FIONREAD), &unread) == 0, unread > 0, process.isRunning {
                guard ContinuousClock.now < limit else { throw Failure(description: "\(part) is not read") }
            }
        }
    }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Whether the terminal is in raw mode without echo.
    var isRaw: Bool {
        var settings = termios()
        tcgetattr(slave, &settings)
        return settings.c_lflag & tcflag_t(ICANON | ECHO) == 0
    }

    /// Writes to the terminal, as a library or another program does.
    func scribble(_ text: String) { _ = write(slave, text, text.utf8.count) }

    /// The present screen.
    var screen: TerminalEmulator {
        var emulator = shown
        emulator.show(unshown)
        return emulator
    }

    /// Reads the program's output until the screen meets a condition.
    ///
    /// - Throws: An error with the screen after a minute.
    func wait(_ what: String, until isDone: (TerminalEmulator) -> Bool) throws {
        let limit = ContinuousClock.now + Self.patience
        while !isDone(screen) {
            guard ContinuousClock.now < limit else {
                throw Failure(description: "\(what) never came:\n" + screen.text.joined(separator: "\n"))
            }
            readSome()
        }
    }

    /// Reads until the program has ended.
    ///
    /// - Parameter reads: Whether the terminal reads what the program writes.
    /// - Returns: Its status.
    func finish(reads: Bool = true) throws -> Int32 {
        guard reads else {
            try waitUnread("the end") { !process.isRunning }
            return process.shellStatus
        }
        let limit = ContinuousClock.now + Self.patience
        while process.isRunning {
            guard ContinuousClock.now < limit else { throw Failure(description: "it does not end") }
            readSome()
        }
        // What the terminal holds may be more than one read gives. Another program on it may write on.
        while ContinuousClock.now < limit, readSome() {}
        return process.shellStatus
    }

    // MARK: A terminal that does not read

    /// Waits for a condition, without reading what the program writes.
    ///
    /// - Throws: An error after a minute.
    func waitUnread(_ what: String, until isDone: () -> Bool) throws {
        let limit = ContinuousClock.now + Self.patience
        while !isDone() {
            guard ContinuousClock.now < limit else { throw Failure(description: "\(what) never came") }
            poll(nil, 0, 20)
        }
    }

    /// Whether the terminal takes nothing more.
    var isFull: Bool {
        var watched = pollfd(fd: slave, events: Int16(POLLOUT), revents: 0)
        return poll(&watched, 1, 0) == 0
    }

    /// Lets writes to the terminal fail that it cannot take, for all programs that share it.
    func refuseToWait() { _ = fcntl(slave, F_SETFL, fcntl(slave, F_GETFL) | O_NONBLOCK) }

    /// How often the program has called `write` and its like.
    var writeCount: Int {
        let text = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/io", encoding: .utf8)) ?? ""
        return text.firstMatch(of: #/syscw: (\d+)/#).flatMap { Int($0.1) } ?? 0
    }

    /// - Returns: Whether there was something to read.
    @discardableResult
    private func readSome() -> Bool {
        var watched = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        var ready = poll(&watched, 1, 100)
        // A signal interrupts it, such as the end of another child.
        while ready < 0, errno == EINTR { ready = poll(&watched, 1, 100) }
        guard ready > 0 else { return false }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(master, &bytes, bytes.count)
        guard count > 0 else { return false }
        take(cut + bytes[..<count])
        return true
    }

    /// Takes what the program has written. A read may end within a character, whose bytes wait for the next read.
    private func take(_ bytes: [UInt8]) {
        let last = bytes.lastIndex { $0 & 0xC0 != 0x80 } ?? 0
        let length =
            switch bytes[last] {
            case 0xC0...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xFF: 4
            default: 1
            }
        let end = bytes.count - last < length ? last : bytes.count
        cut = Array(bytes[end...])
        let output = String(decoding: bytes[..<end], as: UTF8.self)
        written += output
        unshown += output
        // A whole frame is shown once: a test that showed all of them for each read would fall behind the program.
        if let frame = unshown.range(of: "\u{1b}[?2026l", options: [.backwards, .literal]) {
            shown.show(String(unshown[..<frame.upperBound]))
            unshown = String(unshown[frame.upperBound...])
        }
        if let answers = terminal?.answers(to: output), !answers.isEmpty { type(answers) }
    }
}
