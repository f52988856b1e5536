internal import Dispatch

/// When a lost connection is made again.
struct Reconnection: Sendable {
    /// Seconds from the loss after which no attempt is made any more; 0 for none at all.
    let limit: Double

    private var lostAt: UInt64?
    private var attempts = 0

    /// Seconds before the first attempts; later ones keep the last.
    private static let pauses = [0.05, 0.25, 0.5, 1.0]

    init(limit: Double) { self.limit = limit }

    /// Seconds to wait before the next attempt; `nil` when the time is up.
    mutating func nextPause() -> Double? {
        let now = DispatchTime.now().uptimeNanoseconds
        let since = lostAt ?? now
        lostAt = since
        let pause = Self.pauses[min(attempts, Self.pauses.count - 1)]
        guard Double(now - since) / 1_000_000_000 + pause <= limit else { return nil }
        attempts += 1
        return pause
    }

    /// Sound has come again.
    mutating func succeeded() {
        lostAt = nil
        attempts = 0
    }
}
