package import Dispatch

/// Serial queues for blocking work and for urgent work.
///
/// Concurrent and global queues share one thread per core. While those are blocked, libdispatch on Linux adds one thread per
/// second, and none while they are busy: on two cores, work after seven blocked items waits 6 s. A serial queue gets a thread
/// immediately. Tasks run on the shared threads as well, so a blocked one stops `async` code.
package enum DedicatedQueue {
    /// Runs work that may block on a thread of its own.
    ///
    /// - Parameter label: The name of the queue in a debugger.
    package static func run(
        _ label: String, qos: DispatchQoS = .userInitiated, _ work: @escaping @Sendable () -> Void
    ) {
        DispatchQueue(label: label, qos: qos).async(execute: work)
    }

    /// Runs short work after a delay.
    ///
    /// - Parameter work: Must not block: it delays all other work on ``prompt``.
    package static func run(after seconds: Double, _ work: @escaping @Sendable () -> Void) {
        prompt.asyncAfter(deadline: .now() + seconds, execute: work)
    }

    /// The serial queue for short work that never blocks.
    package static let prompt = DispatchQueue(label: "descant.prompt", qos: .userInitiated)
}

/// Runs tasks one at a time on a serial queue of its own: a task that blocks its thread delays the tasks of this executor alone.
package final class DedicatedExecutor: TaskExecutor {
    private let queue: DispatchQueue

    /// Creates an executor.
    ///
    /// - Parameter label: The name of the queue in a debugger.
    package init(_ label: String) { queue = DispatchQueue(label: label, qos: .userInitiated) }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
