internal import Synchronization

/// A value that is set once, by any thread, and awaited with a limit.
///
/// Setting it takes a short lock and never waits, so streaming threads may do it.
package final class OneShot<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var nextWaiter = 0
        var waiters: [Int: CheckedContinuation<Value?, Never>] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// Sets the value; only the first one counts.
    package func resolve(_ value: Value) {
        let waiters = state.withLock { state in
            guard state.value == nil else { return [CheckedContinuation<Value?, Never>]() }
            state.value = value
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(returning: value) }
    }

    /// The value, if it is set.
    package var present: Value? { state.withLock { $0.value } }

    /// Waits for the value.
    ///
    /// - Parameter seconds: The longest wait.
    /// - Returns: The value; `nil` when the limit came first.
    package func value(within seconds: Double) async -> Value? {
        await withCheckedContinuation { continuation in
            let waiter: Int? = state.withLock { state in
                if let value = state.value {
                    continuation.resume(returning: value)
                    return nil
                }
                state.nextWaiter += 1
                state.waiters[state.nextWaiter] = continuation
                return state.nextWaiter
            }
            guard let waiter else { return }
            OwnThread.run(after: seconds) { [self] in
                state.withLock { $0.waiters.removeValue(forKey: waiter) }?.resume(returning: nil)
            }
        }
    }
}
