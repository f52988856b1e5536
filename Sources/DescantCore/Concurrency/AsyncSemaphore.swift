internal import Synchronization

/// Limits the number of concurrent operations; further ones wait in the order of arrival.
package final class AsyncSemaphore: Sendable {
    private struct State {
        var running = 0
        var waiting: [@Sendable () -> Void] = []
        /// The first of them that waits.
        var next = 0
        /// Whether a call of ``release()`` starts operations, and how many more it is to start.
        var isReleasing = false
        var released = 0
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
        // One call starts them one after the other: an operation that ends at once would otherwise start the next one inside its own start.
        let isFirst = state.withLock { state in
            state.released += 1
            defer { state.isReleasing = true }
            return !state.isReleasing
        }
        guard isFirst else { return }
        while let start = state.withLock({ Self.takeNext(&$0) }) { start() }
    }

    private static func takeNext(_ state: inout State) -> (@Sendable () -> Void)? {
        while state.released > 0 {
            state.released -= 1
            guard state.next < state.waiting.count else {
                state.running -= 1
                continue
            }
            defer { state.next += 1 }
            return state.waiting[state.next]
        }
        state.waiting.removeFirst(state.next)
        state.next = 0
        state.isReleasing = false
        return nil
    }
}
