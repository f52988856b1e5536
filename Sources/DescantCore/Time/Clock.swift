internal import Glibc

/// A source of monotonic time, so that services can run on a manual clock in tests.
public protocol ClockPort: Sendable {
    /// Nanoseconds since an arbitrary fixed moment; never decreases. Callable from any thread, real-time safe.
    func now() -> UInt64

    /// Suspends until ``now()`` has reached a moment.
    ///
    /// The default asks the system clock for the distance that is left; a manual clock wakes its sleepers
    /// when it is advanced.
    ///
    /// - Parameter deadline: Nanoseconds on this clock.
    /// - Throws: `CancellationError` when the task is cancelled first.
    func sleep(until deadline: UInt64) async throws
}

extension ClockPort {
    /// Sleeps on the system clock for the distance between now and the deadline.
    ///
    /// - Parameter deadline: Nanoseconds on this clock.
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func sleep(until deadline: UInt64) async throws {
        let present = now()
        if deadline > present { try await Task.sleep(nanoseconds: deadline - present) }
        try Task.checkCancellation()
    }
}

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
