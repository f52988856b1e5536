internal import Glibc
internal import Synchronization

/// The terminal while the player's view is shown: alternate screen, raw keys, no cursor.
///
/// The changes of ``enter()`` are undone by ``leave()``, at `exit`, and when a crash signal ends the process.
public final class TerminalSession: Sendable {
    /// The last parts keep the window's title on the terminal's stack, and tell texts that are pasted from keys.
    private static let enterSequence = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[2J\u{1b}[22;2t\u{1b}[?2004h"
    /// Reports of buttons and the wheel, with numbers as text.
    private static let mouseSequence = "\u{1b}[?1000h\u{1b}[?1006h"
    static let leaveSequence: StaticString =
        "\u{1b}[?2026l\u{1b}[?2004l\u{1b}[?1006l\u{1b}[?1000l\u{1b}[0m\u{1b}[?25h\u{1b}[?1049l\u{1b}[23;2t"

    private let isEntered = Mutex(false)
    private let usesMouse: Bool
    private let output = TerminalOutput()

    /// Creates a session for standard input and output; changes nothing yet.
    ///
    /// - Parameter usesMouse: Whether the terminal reports the mouse. Text is then selected with the Shift key held.
    public init(usesMouse: Bool = false) { self.usesMouse = usesMouse }

    deinit { leave() }

    /// Whether both standard input and output are a terminal that can show the view.
    public static var isAvailable: Bool {
        let term = getenv("TERM").map { String(cString: $0) } ?? ""
        return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && !term.isEmpty && term != "dumb"
    }

    /// Makes the terminal that controls the process its standard input, where that is none, as behind `xargs` and in a loop of a shell that reads
    /// a list. What a script has started with `&` leaves the keys to others: a shell lets it ignore SIGINT.
    public static func takeControllingTerminal() {
        guard isatty(STDIN_FILENO) == 0, isatty(STDOUT_FILENO) == 1, !IgnoredSignals.inherited.contains(SIGINT) else {
            return
        }
        let terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0 else { return }
        dup2(terminal, STDIN_FILENO)
        close(terminal)
    }

    /// Whether the process may read keys and draw: the shell has put neither `&` behind it nor continued it with `bg`.
    ///
    /// A terminal that does not control the process counts as its own.
    public static var isInForeground: Bool {
        let group = tcgetpgrp(STDIN_FILENO)
        // A terminal that has been closed: a process behind `&` that nobody stopped goes on without it.
        if group < 0, errno == EIO { return wasInForeground.load(ordering: .relaxed) }
        let isInForeground = group < 0 || group == getpgrp()
        wasInForeground.store(isInForeground, ordering: .relaxed)
        return isInForeground
    }

    private static let wasInForeground = Atomic(true)

    /// Whether a shell may have started the process as a job, which it could continue after Ctrl-Z. A terminal window
    /// and `ssh` start it, or a script that starts it, as the first process of a session: nobody could continue it
    /// there, and the kernel does not stop it.
    public static var canBeContinued: Bool { getpgrp() != getsid(0) }

    /// Switches to the view.
    ///
    /// - Returns: Whether it was not shown before.
    @discardableResult
    public func enter() -> Bool {
        isEntered.withLock { entered in
            guard !entered else { return false }
            entered = true
            EmergencyRestore.arm()
            var raw = termios()
            if tcgetattr(STDIN_FILENO, &raw) == 0 {
                cfmakeraw(&raw)
                // Ctrl-C stays a signal; line feeds of other writers stay line breaks.
                raw.c_lflag |= tcflag_t(ISIG)
                raw.c_oflag |= tcflag_t(OPOST)
                // Ctrl-Z is a key. Its signal would at once stop `make` or a script that waits for this process, and
                // the shell would take the terminal before the view has left it. Another character that a person has
                // chosen for that stays a signal.
                withUnsafeMutableBytes(of: &raw.c_cc) { characters in
                    if characters[Int(VSUSP)] == 0x1A { characters[Int(VSUSP)] = 0 }
                }
                EmergencyRestore.set(&raw)
            }
            output.write(Self.enterSequence + (usesMouse ? Self.mouseSequence : ""))
            return true
        }
    }

    /// Leaves the terminal to the shell, which has taken it; writes nothing.
    public func abandon() {
        isEntered.withLock { entered in
            guard entered else { return }
            entered = false
            output.discard()
            EmergencyRestore.disarm()
        }
    }

    /// Restores the terminal; a second call has no effect.
    public func leave() {
        isEntered.withLock { entered in
            guard entered else { return }
            entered = false
            output.discard()
            // A slow connection takes its time. Who does not want to wait sends a signal.
            EmergencyRestore.restore(within: 3_000)
        }
    }

    /// The terminal's size; 80 × 24 when it is not known.
    public var size: (width: Int, height: Int) {
        var window = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(window.ws_col), Int(window.ws_row))
    }

    /// The size of a cell, where the terminal says how many pixels its window has.
    var cellSize: CellSize? {
        var window = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            return nil
        }
        return CellSize(
            width: Int(window.ws_xpixel) / Int(window.ws_col), height: Int(window.ws_ypixel) / Int(window.ws_row))
    }

    /// Writes a text to the terminal, or keeps it until the terminal takes it; never waits.
    ///
    /// - Parameter text: Text and escape sequences.
    public func write(_ text: String) { output.write(text) }

    /// Whether the terminal has taken everything that was written. It takes nothing while it does not read, as on a connection that stalls.
    public var isReady: Bool { output.isReady }
}
