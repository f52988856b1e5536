internal import Synchronization

/// Lets only so many openings run at a time; the others wait in line.
///
/// Every pipeline that starts takes several threads. Hundreds of openings at once would gain nothing on a few cores, and
/// the memory of their threads would stay with the process.
final class OpeningGate: Sendable {
    private struct State {
        var running = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: How many may run at a time.
    init(limit: Int) { self.limit = limit }

    /// Runs a start as soon as there is room; whoever was started calls ``leave()`` once.
    func enter(_ start: @escaping @Sendable () -> Void) {
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

    /// Makes room for the next in line.
    func leave() {
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
