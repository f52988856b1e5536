package import Dispatch

/// Where work runs that blocks, or that must not wait for what blocks.
///
/// Concurrent and global queues share as many threads as there are cores. When those are blocked, libdispatch on Linux adds
/// one thread a second, and none while they are busy: on two cores, what comes behind seven blocked pieces of work waits 6 s. A
/// serial queue gets a thread at once. Tasks run on the shared threads as well: what blocks those stops `async` code. So nothing
/// that blocks may go to a shared queue, and nothing that is urgent either.
package enum DedicatedQueue {
    /// Runs work that may block for long, on a thread that it shares with nobody.
    ///
    /// - Parameter label: What debuggers call the thread.
    package static func run(
        _ label: String, qos: DispatchQoS = .userInitiated, _ work: @escaping @Sendable () -> Void
    ) {
        DispatchQueue(label: label, qos: qos).async(execute: work)
    }

    /// Runs something short later, such as what follows when a limit in time has passed.
    ///
    /// - Parameter work: Must not block: everything else that is due waits for it.
    package static func run(after seconds: Double, _ work: @escaping @Sendable () -> Void) {
        prompt.asyncAfter(deadline: .now() + seconds, execute: work)
    }

    /// Runs, one after another, what is short and never blocks.
    package static let prompt = DispatchQueue(label: "descant.prompt", qos: .userInitiated)
}
