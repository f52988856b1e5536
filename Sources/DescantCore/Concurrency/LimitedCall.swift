internal import Dispatch
internal import Synchronization

/// Runs a call that may hang on a thread that nobody else needs, and waits only so long for its result.
enum LimitedCall {
    /// The call took longer than its limit and still runs.
    struct Overdue: Error {
        let seconds: Double
    }

    /// Runs a call. Blocks the caller for the limit at most.
    ///
    /// - Parameters:
    ///   - seconds: The limit, from now on: waiting for a queue that is busy counts.
    ///   - queue: Where the call runs; by default a thread of its own.
    ///   - late: Receives a result that comes after the limit, on the call's thread.
    /// - Throws: ``Overdue``, or what the call throws.
    static func run<Value>(
        limit seconds: Double, on queue: DispatchQueue = DispatchQueue(label: "descant.plugin", qos: .userInitiated),
        late: @escaping @Sendable (Value) -> Void = { _ in },
        _ call: @escaping @Sendable () throws -> sending Value
    ) throws -> sending Value {
        let outcome = Outcome<Value>()
        queue.async {
            let result = Result<Value, any Error> { try call() }
            guard !outcome.finish(result), case .success(let value) = result else { return }
            late(value)
        }
        return try outcome.value(within: seconds)
    }

    /// The result of one call, or that nobody waits for it any more.
    private final class Outcome<Value>: @unchecked Sendable {
        // Safe: `result` is written once by the call's thread before the signal is raised, and read once by the waiting
        // thread after it. `isSettled` decides which of the two keeps the value.
        private let isSettled = Atomic(false)
        private let isThere = ReadinessSignal()
        private var result: Result<Value, any Error>?

        /// Hands over the result; `false` when nobody waits any more.
        func finish(_ result: Result<Value, any Error>) -> Bool {
            self.result = result
            guard !isSettled.exchange(true, ordering: .acquiringAndReleasing) else {
                self.result = nil
                return false
            }
            isThere.raise()
            return true
        }

        func value(within seconds: Double) throws -> sending Value {
            if !isThere.wait(after: 0, limit: seconds) {
                guard isSettled.exchange(true, ordering: .acquiringAndReleasing) else {
                    throw Overdue(seconds: seconds)
                }
            }
            guard let result else { throw Overdue(seconds: seconds) }
            self.result = nil
            nonisolated(unsafe) let value = try result.get()
            return value
        }
    }
}
