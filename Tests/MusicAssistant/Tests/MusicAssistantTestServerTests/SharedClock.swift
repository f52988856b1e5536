import Synchronization

/// A clock that stands still until it is told.
final class SharedClock: Sendable {
    private let seconds = Mutex(1_000_000.0)

    var now: Double { seconds.withLock { $0 } }

    func advance(by amount: Double) { seconds.withLock { $0 += amount } }
}
