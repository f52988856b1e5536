internal import Glibc

/// Restores the terminal when the process ends unexpectedly.
///
/// Signal handlers may use neither locks nor memory management, so their data is in plain globals.
enum EmergencyRestore {
    // Safe: written by `arm` before the handlers are installed and on the thread that holds the session's lock; handlers
    // only read, after that.
    nonisolated(unsafe) private static var saved = termios()
    nonisolated(unsafe) private static var hasSaved = false
    nonisolated(unsafe) private static var isActive: sig_atomic_t = 0
    nonisolated(unsafe) private static var isInstalled = false

    /// Whether pictures were sent; the first ends one that is incomplete, the second removes it in kitty's protocol.
    nonisolated(unsafe) private static var sentPicture: sig_atomic_t = 0
    nonisolated(unsafe) private static var sentKittyPicture: sig_atomic_t = 0
    private static let endOfString: StaticString = "\u{1b}\\"

    /// Whether the terminal has taken only the beginning of a text, such as of an escape sequence, which then has to be ended.
    // Safe: written under the lock of the terminal's output; a handler reads it, and writes it when nothing more is drawn.
    nonisolated(unsafe) static var isCut: sig_atomic_t = 0

    /// Whether the terminal was put back. What another thread draws at that time goes nowhere, and it reads no more keys.
    // Safe: a number that is written whole; a thread that reads the earlier one draws or reads once more.
    nonisolated(unsafe) private(set) static var hasLeft: sig_atomic_t = 0

    /// Crashes, and Ctrl-\ of somebody who does not want to wait.
    private static let crashSignals = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGQUIT]

    /// Remembers the terminal's settings and watches for signals that end the process at once.
    static func arm() {
        TerminalDescriptor.open()
        ErrorOutput.hold()
        hasSaved = tcgetattr(STDIN_FILENO, &saved) == 0
        isActive = 1
        hasLeft = 0
        guard !isInstalled else { return }
        isInstalled = true
        atexit { EmergencyRestore.restore() }
        for crash in crashSignals {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { number in
                EmergencyRestore.restore()
                raise(number)
            }
            // The default action is back while the handler runs, so raising ends the process with the true cause.
            action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND)) | SA_NODEFER
            sigaction(crash, &action, nil)
        }
    }

    /// Sets the terminal and discards unread keys; only async-signal-safe calls. `TCSAFLUSH` would do both, but waits for a terminal that does
    /// not read.
    static func set(_ settings: inout termios) {
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        tcflush(STDIN_FILENO, TCIFLUSH)
    }

    /// Remembers that a picture is about to be sent.
    ///
    /// - Parameter format: The protocol.
    static func willSend(_ format: PictureFormat) {
        sentPicture = 1
        if format == .kitty { sentKittyPicture = 1 }
    }

    /// Forgets the settings: the shell has the terminal and has put its own back.
    static func disarm() {
        isActive = 0
        ErrorOutput.release()
    }

    /// Puts the settings back, unless the shell has the terminal; only async-signal-safe calls.
    ///
    /// - Parameter milliseconds: The longest wait for a terminal that takes nothing.
    static func restore(within milliseconds: Int32 = 300) {
        guard isActive == 1 else { return }
        isActive = 0
        hasLeft = 1
        ErrorOutput.release()
        guard TerminalSession.isInForeground else { return }
        // The settings come first, and unread keys are discarded: what is typed after the view is gone belongs to the shell.
        if hasSaved { set(&saved) }
        // A terminal that does not read is left as it is.
        _ =
            (sentPicture == 0 && isCut == 0 || TerminalDescriptor.write(endOfString, within: milliseconds))
            && (sentKittyPicture == 0 || TerminalDescriptor.write(KittyPicture.removalSequence, within: milliseconds))
            && TerminalDescriptor.write(TerminalSession.leaveSequence, within: milliseconds)
        ErrorOutput.show(within: milliseconds)
        (sentPicture, sentKittyPicture, isCut) = (0, 0, 0)
    }
}
