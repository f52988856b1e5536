/// When a lost connection is made again.
///
/// Times are nanoseconds of one monotonic clock.
struct Reconnection: Sendable {
    /// Seconds from the loss after which no attempt is made any more; 0 for none at all.
    let limit: Double

    private var lostAt: UInt64?
    private var attempts = 0
    private var lastAsked: UInt64 = 0

    /// Seconds before the first attempts; later ones keep the last.
    private static let pauses = [0.05, 0.25, 0.5, 1.0]

    /// Seconds without a reader after which it has been away. Attempts are made only for one, and those who play ask many times a second.
    private static let absence = 2.0

    init(limit: Double) { self.limit = limit }

    /// Seconds to wait before the next attempt; `nil` when the time is up.
    mutating func nextPause(now: UInt64) -> Double? {
        isAsked(now: now)
        let since = lostAt ?? now
        lostAt = since
        let pause = Self.pauses[min(attempts, Self.pauses.count - 1)]
        guard Self.seconds(from: since, to: now) + pause <= limit else { return nil }
        attempts += 1
        return pause
    }

    /// Somebody wants to read. After an absence, such as a pause, the time begins anew: nobody has tried meanwhile.
    mutating func isAsked(now: UInt64) {
        if lostAt != nil, Self.seconds(from: lastAsked, to: now) > Self.absence { succeeded() }
        lastAsked = now
    }

    /// Somebody has waited up to now, without asking.
    mutating func wasAwaited(now: UInt64) { lastAsked = now }

    /// Sound has come again.
    mutating func succeeded() {
        lostAt = nil
        attempts = 0
    }

    private static func seconds(from start: UInt64, to end: UInt64) -> Double {
        end > start ? Double(end - start) / 1_000_000_000 : 0
    }
}

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
