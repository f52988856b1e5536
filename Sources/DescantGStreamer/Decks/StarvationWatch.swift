/// Notices a source that brings nothing although somebody wants to read it.
///
/// Times are nanoseconds of one monotonic clock.
struct StarvationWatch: Sendable {
    /// Seconds without anything after which no more is expected.
    let limit: Double

    private var since: UInt64?
    private var lastAsked: UInt64 = 0

    /// Seconds without a reader after which it has been away, as in a pause. Those who play ask many times a second.
    private static let absence = 1.0

    init(limit: Double) { self.limit = limit }

    /// When the limit is reached; `nil` while nothing is missing.
    var deadline: UInt64? { since.map { $0 + UInt64(limit * 1_000_000_000) } }

    /// Somebody has asked and got nothing.
    ///
    /// - Returns: Whether that goes on for longer than the limit.
    mutating func foundNothing(now: UInt64) -> Bool {
        if since == nil || now - min(now, lastAsked) > UInt64(Self.absence * 1_000_000_000) { since = now }
        lastAsked = now
        return deadline.map { now >= $0 } ?? false
    }

    /// Somebody has waited up to now, without asking.
    mutating func wasAwaited(now: UInt64) { lastAsked = now }

    /// Something has come, or nothing is expected now.
    mutating func reset() { since = nil }
}
