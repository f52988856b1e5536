internal import Glibc

/// A counter that threads can wait on; known as an *event count*.
///
/// A waiting thread reads ``raises``, then the state, and then blocks in ``wait(after:deadline:)``: a change in between is
/// not lost. Raising takes a short lock, so streaming threads may do it. A real-time thread only reads.
package final class EventCount: @unchecked Sendable {
    // Safe to share: both pointers never change, and `count` is touched only while the mutex is held.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var count: UInt64 = 0

    package init() {
        pthread_mutex_init(mutex, nil)
        // Deadlines count on the monotonic clock, which a change of the date leaves alone.
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// The number of calls of ``raise()``. Read it before the state that a wait is for.
    package var raises: UInt64 {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return count
    }

    /// Increments the count and wakes all waiting threads.
    package func raise() {
        pthread_mutex_lock(mutex)
        count &+= 1
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Blocks the thread until the count is higher than `seen`, or until the deadline.
    ///
    /// - Parameters:
    ///   - seen: The value of ``raises`` before the state was read.
    ///   - deadline: Nanoseconds on the monotonic clock; without one, the wait has no limit.
    /// - Returns: Whether it was raised.
    @discardableResult
    package func wait(after seen: UInt64, deadline: UInt64 = .max) -> Bool {
        var moment = timespec(
            tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while count == seen {
            if pthread_cond_timedwait(condition, mutex, &moment) == ETIMEDOUT { return count != seen }
        }
        return true
    }

    /// Blocks the thread until the count is higher than `seen`, or for a number of seconds, at most 2^30 (34 years).
    package func wait(after seen: UInt64, limit seconds: Double) -> Bool {
        wait(after: seen, deadline: Self.deadline(in: seconds))
    }

    /// The moment some seconds from now, in nanoseconds on the monotonic clock.
    package static func deadline(in seconds: Double) -> UInt64 {
        let span = seconds > 0 ? min(seconds, Double(1 << 30)) : 0
        return MonotonicClock().now() + UInt64(span * 1e9)
    }
}
