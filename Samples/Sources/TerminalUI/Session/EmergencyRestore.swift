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

    private static let crashSignals = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE]

    /// Remembers the terminal's settings and watches for crashes.
    static func arm() {
        hasSaved = tcgetattr(STDIN_FILENO, &saved) == 0
        isActive = 1
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

    /// Puts the settings back; only async-signal-safe calls.
    static func restore() {
        guard isActive == 1 else { return }
        isActive = 0
        let sequence = TerminalSession.leaveSequence
        _ = write(STDOUT_FILENO, sequence.utf8Start, sequence.utf8CodeUnitCount)
        if hasSaved { tcsetattr(STDIN_FILENO, TCSAFLUSH, &saved) }
    }
}
