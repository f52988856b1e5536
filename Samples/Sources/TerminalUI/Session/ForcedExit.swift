internal import Dispatch
internal import Glibc
internal import Synchronization

/// Ends the program when an orderly end takes too long.
///
/// A plugin that hangs keeps its thread for ever; one that hangs in a C constructor keeps the dynamic linker's lock too, for which
/// `exit` waits.
public enum ForcedExit {
    /// How long an orderly end may take, in seconds.
    public static let patience = 5.0

    // A queue of its own, so that no other work can block it.
    private static let queue = DispatchQueue(label: "descant.exit", qos: .userInitiated)

    /// Ends the process if it still runs after ``patience``. The terminal is as before then.
    ///
    /// - Parameter status: The exit status.
    public static func arm(status: Int32) {
        queue.asyncAfter(deadline: .now() + patience) { now(status: status) }
    }

    /// Ends the process at once: the terminal is restored, and no other clean-up is done.
    ///
    /// - Parameter status: The exit status.
    public static func now(status: Int32) -> Never {
        EmergencyRestore.restore()
        _exit(status)
    }
}

/// Makes sure that a signal ends the program: within ``patience`` after the first one, at once after the second.
public final class RepeatedInterrupt: Sendable {
    private let isInterrupted = Atomic(false)

    /// No signal has arrived.
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
