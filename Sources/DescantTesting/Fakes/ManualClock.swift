public import DescantCore
internal import Synchronization

/// A clock whose time changes only when a test advances it.
///
/// ``advance(by:)`` resumes the tasks whose deadlines have passed, in the order of their deadlines. Callable from any
/// thread.
public final class ManualClock: ClockPort {
    private struct Sleeper {
        var deadline: UInt64
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct Watcher {
        var count: Int
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now: UInt64
        var nextIdentity: UInt64 = 0
        var sleepers: [UInt64: Sleeper] = [:]
        /// Sleepers that were cancelled before they were added.
        var cancelled: Set<UInt64> = []
        var watchers: [Watcher] = []
    }

    private let state: Mutex<State>

    /// Creates a clock.
    ///
    /// - Parameter now: The initial time, in nanoseconds.
    public init(now: UInt64 = 0) { state = Mutex(State(now: now)) }

    /// The time that the clock was advanced to, in nanoseconds.
    public func now() -> UInt64 { state.withLock { $0.now } }

    /// Advances the clock and resumes the tasks that sleep until a time that has passed.
    ///
    /// - Parameter nanoseconds: The time to add, in nanoseconds.
    public func advance(by nanoseconds: UInt64) {
        let woken = state.withLock { state in
            state.now += nanoseconds
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for identity in due.keys { state.sleepers[identity] = nil }
            return due.values.sorted { $0.deadline < $1.deadline }
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }

    /// Advances the clock.
    ///
    /// - Parameter seconds: The time to add, in seconds; rounded to nanoseconds.
    public func advance(seconds: Double) { advance(by: UInt64((seconds * 1e9).rounded())) }

    /// The number of tasks that sleep on this clock.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Waits until a number of tasks sleep on this clock, so that a test does not advance it too early.
    ///
    /// - Parameter count: The minimum number of tasks.
    public func waitForSleepers(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.sleepers.count >= count { return true }
                state.watchers.append(Watcher(count: count, continuation: continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Suspends until the clock has been advanced to a deadline.
    ///
    /// - Parameter deadline: Nanoseconds on this clock.
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func sleep(until deadline: UInt64) async throws {
        let identity = state.withLock { state in
            state.nextIdentity += 1
            return state.nextIdentity
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                add(identity, Sleeper(deadline: deadline, continuation: continuation))
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.sleepers.removeValue(forKey: identity)
                if sleeper == nil { state.cancelled.insert(identity) }
                return sleeper
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
        state.withLock { _ = $0.cancelled.remove(identity) }
    }

    private func add(_ identity: UInt64, _ sleeper: Sleeper) {
        enum Outcome { case added, due, cancelled }
        let (outcome, watchers) = state.withLock { state -> (Outcome, [Watcher]) in
            if state.cancelled.remove(identity) != nil { return (.cancelled, []) }
            if sleeper.deadline <= state.now { return (.due, []) }
            state.sleepers[identity] = sleeper
            let satisfied = state.watchers.filter { $0.count <= state.sleepers.count }
            state.watchers.removeAll { $0.count <= state.sleepers.count }
            return (.added, satisfied)
        }
        switch outcome {
        case .added: for watcher in watchers { watcher.continuation.resume() }
        case .due: sleeper.continuation.resume()
        case .cancelled: sleeper.continuation.resume(throwing: CancellationError())
        }
    }
}
