internal import Synchronization

/// Passes on the first result only.
struct OnceOnlyResult<Value: Sendable>: Sendable {
    private final class Pending: Sendable {
        let take: Mutex<(@Sendable (Value) -> Void)?>

        init(_ take: @escaping @Sendable (Value) -> Void) { self.take = Mutex(take) }
    }

    private let pending: Pending

    init(_ take: @escaping @Sendable (Value) -> Void) { pending = Pending(take) }

    func give(_ value: Value) {
        let take = pending.take.withLock { take in
            defer { take = nil }
            return take
        }
        take?(value)
    }
}
