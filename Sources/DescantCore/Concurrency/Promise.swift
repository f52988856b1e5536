internal import Synchronization

/// A value that is set once, by any thread, and awaited by tasks.
///
/// Setting it takes a short lock and never waits, so streaming threads may do it.
package final class Promise<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var handler: (@Sendable (Value) -> Void)?
        var nextWaiter = 0
        var waiters: [Int: CheckedContinuation<Value?, Never>] = [:]
    }

    private let state: Mutex<State>

    /// Creates a promise.
    ///
    /// - Parameter handler: Called with the value once, on the thread that sets it, and then released.
    package init(_ handler: (@Sendable (Value) -> Void)? = nil) {
        state = Mutex(State(handler: handler))
    }

    /// Sets the value. Only the first call has an effect.
    ///
    /// - Returns: Whether this was the first call.
    @discardableResult
    package func resolve(_ value: Value) -> Bool {
        let before: State? = state.withLock { state in
            guard state.value == nil else { return nil }
            defer { state = State(value: value) }
            return state
        }
        guard let before else { return false }
        before.handler?(value)
        for waiter in before.waiters.values { waiter.resume(returning: value) }
        return true
    }

    /// Sets the value after a delay, unless it is set by then or nobody refers to the promise any more: what it has been given is not kept
    /// until then.
    ///
    /// - Parameter seconds: The delay.
    func resolve(_ value: Value, after seconds: Double) {
        DedicatedQueue.run(after: seconds) { [weak self] in self?.resolve(value) }
    }

    /// The value, if it is set.
    package var present: Value? { state.withLock { $0.value } }

    /// Waits for the value without a limit. Cancellation does not end the wait.
    package var value: Value {
        get async {
            while true {
                if let value = await withCheckedContinuation({ _ = add($0) }) { return value }
            }
        }
    }

    /// Waits for the value.
    ///
    /// - Parameter seconds: The limit, in seconds.
    /// - Returns: The value; `nil` when the limit came first.
    package func value(within seconds: Double) async -> Value? {
        // Referred to by this call, and not by the timer, which may last longer.
        defer { withExtendedLifetime(self) {} }
        return await withCheckedContinuation { continuation in
            guard let waiter = add(continuation) else { return }
            DedicatedQueue.run(after: seconds) { [weak self] in
                self?.state.withLock { $0.waiters.removeValue(forKey: waiter) }?.resume(returning: nil)
            }
        }
    }

    /// Resumes a continuation when the value is set.
    ///
    /// - Returns: Its number; `nil` when the value was set before, and the continuation has been resumed.
    private func add(_ continuation: CheckedContinuation<Value?, Never>) -> Int? {
        let (waiter, value): (Int?, Value?) = state.withLock { state in
            if let value = state.value { return (nil, value) }
            state.nextWaiter += 1
            state.waiters[state.nextWaiter] = continuation
            return (state.nextWaiter, nil)
        }
        if let value { continuation.resume(returning: value) }
        return waiter
    }
}
