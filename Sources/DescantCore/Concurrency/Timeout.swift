internal import Dispatch
internal import Synchronization

/// A call exceeded its limit and may still be running.
package struct TimeoutError: Error, CustomStringConvertible {
    /// The limit, in seconds.
    package let seconds: Double

    package init(seconds: Double) { self.seconds = seconds }

    package var description: String { "no result within \(seconds) s" }
}

/// Runs an operation and waits for its result up to a limit.
///
/// The operation is not cancelled at the limit: it goes on, and `late` receives its result.
///
/// - Parameters:
///   - seconds: The limit.
///   - late: Receives a result that comes after the limit.
/// - Throws: ``TimeoutError``, or what the operation throws in time.
package func withTimeout<Value: Sendable>(
    _ seconds: Double, late: @escaping @Sendable (Value) -> Void = { _ in },
    _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let outcome = Promise<Result<Value, any Error>>()
    Task {
        let result: Result<Value, any Error>
        do { result = .success(try await operation()) } catch { result = .failure(error) }
        if !outcome.resolve(result), case .success(let value) = result { late(value) }
    }
    outcome.resolve(.failure(TimeoutError(seconds: seconds)), after: seconds)
    return try await outcome.value.get()
}

/// Runs an operation that may block its thread for good, and waits for its result up to a limit.
///
/// Cancellation of the caller reaches the operation and does not end the wait. At the limit the operation goes on. Operations begin on
/// their executor in the order of the calls of one actor.
///
/// - Parameters:
///   - seconds: The limit. Its halves are counted one after the other: a process that was stopped for a while has at least
///     one of them left.
///   - executor: Where the operation runs.
/// - Throws: ``TimeoutError``, or what the operation throws in time.
nonisolated(nonsending) package func withTimeout<Value: Sendable>(
    _ seconds: Double, on executor: any TaskExecutor,
    _ operation: nonisolated(nonsending) @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let outcome = Promise<Result<Value, any Error>>()
    let task = Task(executorPreference: executor) {
        let result: Result<Value, any Error>
        do { result = .success(try await operation()) } catch { result = .failure(error) }
        outcome.resolve(result)
    }
    DedicatedQueue.run(after: seconds / 2) { [weak outcome] in
        outcome?.resolve(.failure(TimeoutError(seconds: seconds)), after: seconds / 2)
    }
    return try await withTaskCancellationHandler {
        try await outcome.value.get()
    } onCancel: {
        task.cancel()
    }
}

/// Runs a blocking call on a queue of its own, and waits for its result up to a limit.
///
/// - Parameters:
///   - seconds: The limit.
///   - label: The name of the queue in a debugger.
/// - Throws: ``TimeoutError``, or what the call throws in time.
package func withTimeout<Value: Sendable>(
    _ seconds: Double, on label: String, _ call: @escaping @Sendable () throws -> Value
) async throws -> Value {
    let outcome = Promise<Result<Value, any Error>>()
    DedicatedQueue.run(label) { _ = outcome.resolve(Result { try call() }) }
    outcome.resolve(.failure(TimeoutError(seconds: seconds)), after: seconds)
    return try await outcome.value.get()
}

/// Runs a call that may hang, and blocks the calling thread until its result or the limit.
///
/// - Parameters:
///   - seconds: The limit, from now on: waiting for a queue that is busy counts.
///   - queue: Where the call runs.
///   - late: Receives a result that comes after the limit, on the call's thread.
/// - Throws: ``TimeoutError``, or what the call throws in time.
func blockingWithTimeout<Value>(
    _ seconds: Double, on queue: DispatchQueue, late: @escaping @Sendable (Value) -> Void = { _ in },
    _ call: @escaping @Sendable () throws -> sending Value
) throws -> sending Value {
    let outcome = BlockingOutcome<Value>()
    queue.async {
        let result = Result<Value, any Error> { try call() }
        guard !outcome.finish(result), case .success(let value) = result else { return }
        late(value)
    }
    return try outcome.value(within: seconds)
}

/// The result of one call, claimed either by the call or by the expired limit.
private final class BlockingOutcome<Value>: @unchecked Sendable {
    // Safe: `result` is written once by the call's thread before the count is raised, and read once by the waiting
    // thread after it. The side that sets `isSettled` first decides: an expired limit leaves the value to the call.
    private let isSettled = Atomic(false)
    private let isThere = EventCount()
    private var result: Result<Value, any Error>?

    /// Stores the result; returns `false` when the limit has expired.
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
                throw TimeoutError(seconds: seconds)
            }
        }
        guard let result else { throw TimeoutError(seconds: seconds) }
        self.result = nil
        nonisolated(unsafe) let value = try result.get()
        return value
    }
}
