import Synchronization

/// A clock whose time changes only when a test sets it.
final class SharedClock: Sendable {
    private let seconds = Mutex(1_000_000.0)

    var now: Double { seconds.withLock { $0 } }

    func advance(by amount: Double) { seconds.withLock { $0 += amount } }
}
