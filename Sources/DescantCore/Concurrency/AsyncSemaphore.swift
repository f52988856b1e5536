internal import Synchronization

/// Limits the number of concurrent operations; further ones wait in the order of arrival.
package final class AsyncSemaphore: Sendable {
    private struct State {
        var running = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: The maximum number of concurrent operations, 1 or more.
    package init(limit: Int) { self.limit = limit }

    /// Starts an operation as soon as the limit allows. The operation calls ``release()`` once at its end.
    ///
    /// - Parameter start: Called on this thread, or on that of the ``release()`` that made room; must not block.
    package func acquire(_ start: @escaping @Sendable () -> Void) {
        let mayStart = state.withLock { state in
            guard state.running < limit else {
                state.waiting.append(start)
                return false
            }
            state.running += 1
            return true
        }
        if mayStart { start() }
    }

    /// Ends an operation and starts the next one that waits.
    package func release() {
        let next = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.waiting.isEmpty else {
                state.running -= 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?()
    }
}
