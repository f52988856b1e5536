internal import Glibc

/// Wakes threads that wait for a deck: a counter that only grows, with a condition beside it.
///
/// Waiting is for offline rendering; a real-time thread only looks. Who raises it may be a streaming thread.
package final class ReadinessSignal: @unchecked Sendable {
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

    /// How often it was raised; to be read before looking at the state that a wait is about.
    package var raises: UInt64 {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return count
    }

    /// Wakes whoever waits.
    package func raise() {
        pthread_mutex_lock(mutex)
        count &+= 1
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Blocks until it was raised more often than `seen`, or until the deadline.
    ///
    /// - Parameters:
    ///   - seen: What ``raises`` was before the state was looked at.
    ///   - deadline: Nanoseconds on the monotonic clock.
    /// - Returns: Whether it was raised.
    package func wait(after seen: UInt64, deadline: UInt64) -> Bool {
        var moment = timespec(
            tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while count == seen {
            if pthread_cond_timedwait(condition, mutex, &moment) == ETIMEDOUT { return count != seen }
        }
        return true
    }
}
