internal import Synchronization

/// Counts objects in memory, each of which keeps a ``Life``.
final class LifeCounter: Sendable {
    /// Is counted from its creation to its deinit.
    final class Life: Sendable {
        private let counter: LifeCounter

        fileprivate init(_ counter: LifeCounter) { self.counter = counter }

        deinit { counter.end() }
    }

    private struct State {
        var count = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func begin() -> Life {
        state.withLock { $0.count += 1 }
        return Life(self)
    }

    private func end() {
        let waiters = state.withLock { state in
            state.count -= 1
            guard state.count == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func waitUntilCountIsZero() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.count > 0 { state.waiters.append(continuation) }
                return state.count == 0
            }
            if isOver { continuation.resume() }
        }
    }
}
