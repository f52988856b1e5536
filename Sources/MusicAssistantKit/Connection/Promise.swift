internal import Synchronization

/// A result that is set once, and that any number of tasks can wait for.
///
/// Waiting continuations are kept in a dictionary. The result and the cancellation of a waiting task both remove a
/// continuation before they resume it, so each is resumed exactly once.
final class Promise<Value: Sendable>: Sendable {
    private typealias Waiter = CheckedContinuation<Value, any Error>
    private struct State {
        var result: Result<Value, any Error>?
        var waiters: [UInt64: Waiter] = [:]
        var nextWaiter: UInt64 = 0
    }

    private let state = Mutex(State())

    deinit { fail(CancellationError()) }

    /// The number of waiting tasks.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Whether the result is set.
    var isComplete: Bool { state.withLock { $0.result != nil } }

    /// Sets the result, unless it is set already.
    @discardableResult
    func complete(_ result: Result<Value, any Error>) -> Bool {
        let waiters: [UInt64: Waiter]? = state.withLock { state in
            guard state.result == nil else { return nil }
            state.result = result
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in (waiters ?? [:]).values { waiter.resume(with: result) }
        return waiters != nil
    }

    @discardableResult
    func succeed(_ value: Value) -> Bool { complete(.success(value)) }

    @discardableResult
    func fail(_ error: any Error) -> Bool { complete(.failure(error)) }

    /// Waits for the result.
    ///
    /// - Throws: The error of the result; `CancellationError` when the waiting task is cancelled.
    func value() async throws -> Value {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiter: Waiter) in
                let result: Result<Value, any Error>? = state.withLock { state in
                    if state.result == nil { state.waiters[id] = waiter }
                    return state.result
                }
                if let result { waiter.resume(with: result) } else if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func cancel(_ id: UInt64) {
        state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(throwing: CancellationError())
    }
}
