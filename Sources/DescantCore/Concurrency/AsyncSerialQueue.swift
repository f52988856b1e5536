internal import Synchronization

/// Runs asynchronous operations one at a time, in the order of arrival.
///
/// An actor alone does not: its other methods run while one is suspended. Cancellation does not remove a waiting operation;
/// the operation checks for it itself.
package final class AsyncSerialQueue: Sendable {
    private struct State {
        var isBusy = false
        var waiters: [CheckedContinuation<Void, Never>] = []
        /// How many waiters at the front have been resumed.
        var resumed = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Runs an operation after all earlier ones, on the caller's actor. Does not suspend when none is running.
    package func run<Value, Failure: Error>(
        isolation: isolated (any Actor)? = #isolation, _ operation: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        if !begin() { await withCheckedContinuation { enqueue($0) } }
        defer { end() }
        return try await operation()
    }

    /// Marks the queue as busy; returns whether it was free.
    private func begin() -> Bool {
        state.withLock { state in
            defer { state.isBusy = true }
            return !state.isBusy
        }
    }

    private func enqueue(_ continuation: CheckedContinuation<Void, Never>) {
        let isFree = state.withLock { state in
            // The last operation may have ended since ``begin()``.
            guard state.isBusy else {
                state.isBusy = true
                return true
            }
            state.waiters.append(continuation)
            return false
        }
        if isFree { continuation.resume() }
    }

    private func end() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            guard state.resumed < state.waiters.count else {
                state = State()
                return nil
            }
            state.resumed += 1
            return state.waiters[state.resumed - 1]
        }
        next?.resume()
    }
}
