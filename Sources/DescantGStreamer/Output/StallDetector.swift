/// Notices that a position has stopped moving: a sound server that hangs says nothing.
struct StallDetector {
    private let limit: UInt64
    private var position: Int64?
    private var since: UInt64 = 0

    /// - Parameter seconds: How long a position may stand still.
    init(limit seconds: Double) { limit = UInt64(seconds * 1e9) }

    /// - Parameter time: Nanoseconds on the monotonic clock.
    mutating func isStalled(at position: Int64, time: UInt64) -> Bool {
        if position != self.position {
            self.position = position
            since = time
        }
        return time - since >= limit
    }
}
