internal import Glibc

/// The system's monotonic clock, CLOCK_MONOTONIC: never goes backwards, unaffected by changes of the date.
public struct MonotonicClock: ClockPort {
    /// Creates the clock; all instances tell the same time.
    public init() {}

    /// Nanoseconds since an arbitrary fixed moment.
    ///
    /// Real-time safe, any thread.
    public func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Suspends until ``now()`` has reached a moment.
    ///
    /// - Parameter deadline: Nanoseconds on this clock.
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func sleep(until deadline: UInt64) async throws {
        let present = now()
        if deadline > present { try await Task.sleep(nanoseconds: deadline - present) }
        try Task.checkCancellation()
    }
}
