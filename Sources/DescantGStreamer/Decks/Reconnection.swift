/// When a lost connection is made again.
///
/// Times are nanoseconds of one monotonic clock.
struct Reconnection: Sendable {
    /// The seconds after a loss during which attempts are made; 0 for no attempts.
    let limit: Double

    private var lostAt: UInt64?
    private var attempts = 0
    private var lastAsked: UInt64 = 0

    /// Seconds before each attempt; the last value repeats.
    private static let pauses = [0.05, 0.25, 0.5, 1.0]

    /// Seconds without a read after which playback counts as paused. Attempts are made only while the deck is read,
    /// many times a second.
    private static let absence = 2.0

    init(limit: Double) { self.limit = limit }

    /// The seconds to wait before the next attempt; `nil` when the limit is reached.
    mutating func nextPause(now: UInt64) -> Double? {
        noteRead(now: now)
        let since = lostAt ?? now
        lostAt = since
        let pause = Self.pauses[min(attempts, Self.pauses.count - 1)]
        guard Self.seconds(from: since, to: now) + pause <= limit else { return nil }
        attempts += 1
        return pause
    }

    /// Notes a read. After a pause the limit starts again, because no attempts were made meanwhile.
    mutating func noteRead(now: UInt64) {
        if lostAt != nil, Self.seconds(from: lastAsked, to: now) > Self.absence { succeeded() }
        lastAsked = now
    }

    /// Notes a blocking wait up to now.
    mutating func noteWait(now: UInt64) { lastAsked = now }

    /// Notes that sound has arrived.
    mutating func succeeded() {
        lostAt = nil
        attempts = 0
    }

    private static func seconds(from start: UInt64, to end: UInt64) -> Double {
        end > start ? Double(end - start) / 1_000_000_000 : 0
    }
}
