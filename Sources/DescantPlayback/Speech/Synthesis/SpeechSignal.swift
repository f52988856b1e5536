internal import Dispatch
internal import Synchronization

/// Wakes a thread that waits for sound; a thread of a deck, never one that renders or that tasks run on.
final class SpeechSignal: Sendable {
    private struct State {
        var raises: UInt64 = 0
        var waiting: [DispatchSemaphore] = []
    }

    private let state = Mutex(State())

    /// How often it was raised; to be read before looking at what a wait is about.
    var raises: UInt64 { state.withLock { $0.raises } }

    /// Wakes whoever waits.
    func raise() {
        let waiting = state.withLock { state in
            state.raises &+= 1
            defer { state.waiting = [] }
            return state.waiting
        }
        for semaphore in waiting { semaphore.signal() }
    }

    /// Blocks until it was raised more often than `seen`.
    func wait(after seen: UInt64) {
        let semaphore: DispatchSemaphore? = state.withLock { state in
            guard state.raises == seen else { return nil }
            let semaphore = DispatchSemaphore(value: 0)
            state.waiting.append(semaphore)
            return semaphore
        }
        semaphore?.wait()
    }
}
