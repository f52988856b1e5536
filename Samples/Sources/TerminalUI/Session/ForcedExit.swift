internal import Dispatch
internal import Glibc
internal import Synchronization

/// Ends the program, also where an orderly end does not come.
///
/// A program that a signal has ended dies of it, after it has cleaned up: a shell goes on with its loop behind any exit status.
///
/// A plugin that hangs keeps its thread for ever; one that hangs in a C constructor keeps the dynamic linker's lock too, for which
/// `exit` waits.
public enum ForcedExit {
    /// How long an orderly end may take, in seconds.
    public static let patience = 5.0

    private struct State {
        var cleanUp: (@Sendable () -> Void)?
        /// The status of an orderly end.
        var status: Int32 = 0
    }

    private static let state = Mutex(State())

    // Nothing else runs on it, so that nothing can keep it.
    private static let queue = DispatchQueue(label: "descant.exit", qos: .userInitiated)

    /// Ends the process if it still runs after ``patience``. The terminal is as before then.
    ///
    /// - Parameter status: The exit status.
    public static func arm(status: Int32) {
        queue.asyncAfter(deadline: .now() + patience) { now(status: status) }
    }

    /// Names what is put away before the process ends at once, such as unfinished files. Called when the program begins: what libraries
    /// do at the end comes before the death by a signal.
    ///
    /// - Parameter cleanUp: Does not wait for anything.
    public static func atExit(_ cleanUp: @escaping @Sendable () -> Void) {
        state.withLock { $0.cleanUp = cleanUp }
        atexit { ForcedExit.dieOfSignal(status: ForcedExit.state.withLock { $0.status }) }
    }

    /// Ends the process in order, within ``patience``.
    ///
    /// - Parameter status: The exit status; 128 and a number for a signal that has ended the program.
    public static func orderly(status: Int32) -> Never {
        arm(status: status)
        state.withLock { $0.status = status }
        exit(status)
    }

    /// Ends the process at once: the terminal is given back, and ``atExit(_:)`` is done.
    ///
    /// - Parameter status: The exit status; 128 and a number for a signal that has ended the program.
    public static func now(status: Int32) -> Never {
        EmergencyRestore.restore()
        state.withLock { $0.cleanUp }?()
        dieOfSignal(status: status)
        _exit(status)
    }

    /// Returns when the status is not that of a signal. SIGQUIT would leave a dump of the memory.
    private static func dieOfSignal(status: Int32) {
        guard let number = [SIGINT, SIGTERM, SIGHUP, SIGPIPE].first(where: { 128 + $0 == status }) else { return }
        fflush(nil)
        signal(number, SIG_DFL)
        var unblocked = sigset_t()
        sigemptyset(&unblocked)
        sigaddset(&unblocked, number)
        pthread_sigmask(SIG_UNBLOCK, &unblocked, nil)
        raise(number)
    }
}

/// Makes sure that a signal ends the program: in time after the first one, at once after the second.
public final class RepeatedInterrupt: Sendable {
    private let isInterrupted = Atomic(false)

    /// No signal has come.
    public init() {}

    /// A signal asks the program to end.
    ///
    /// - Parameter number: The signal.
    public func interrupt(_ number: Int32) {
        guard !isInterrupted.exchange(true, ordering: .acquiringAndReleasing) else {
            ForcedExit.now(status: 128 + number)
        }
        ForcedExit.arm(status: 128 + number)
    }
}
