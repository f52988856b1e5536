public import Foundation
public import MusicAssistantKit
internal import Synchronization

/// A clock whose time changes only when a test advances it.
public final class ManualClock: ClientClock {
    private struct Sleeper {
        let end: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }
    private struct State {
        var uptime = Duration.zero
        var sleepers: [UInt64: Sleeper] = [:]
        var watchers: [CheckedContinuation<Void, Never>] = []
        var next: UInt64 = 0
        /// The time by which the date was set forward.
        var shift = 0.0
        /// The number of sleeps that began.
        var begun: UInt64 = 0
    }

    private let state = Mutex(State())
    private let start: Date

    /// Creates a clock that shows a date.
    public init(start: Date = Date(timeIntervalSince1970: 1_800_000_000)) { self.start = start }

    /// The time by which the clock was advanced.
    public var uptime: Duration { state.withLock { $0.uptime } }

    /// The date that it shows.
    public var date: Date {
        let (uptime, shift) = state.withLock { ($0.uptime, $0.shift) }
        return start.addingTimeInterval(uptime / .seconds(1) + shift)
    }

    /// Sets the date forward, as a user sets a clock; no time passes.
    public func setForward(by seconds: Double) { state.withLock { $0.shift += seconds } }

    /// Returns when the clock was advanced to a time.
    public func sleep(until time: Duration) async throws {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver: Bool? = state.withLock { state in
                    if Task.isCancelled { return nil }
                    if state.uptime >= time { return true }
                    state.sleepers[id] = Sleeper(end: time, continuation: continuation)
                    state.begun += 1
                    return false
                }
                switch isOver {
                case nil: continuation.resume(throwing: CancellationError())
                case true?: continuation.resume()
                case false?: notify()
                }
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Advances the clock, and resumes the tasks whose time has come.
    public func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.uptime += duration
            let woken = state.sleepers.filter { $0.value.end <= state.uptime }
            for id in woken.keys { state.sleepers[id] = nil }
            return woken
        }
        for sleeper in woken.values.sorted(by: { $0.end < $1.end }) { sleeper.continuation.resume() }
    }

    /// Waits until a task sleeps for exactly a duration from now.
    public func waitForSleeper(of duration: Duration) async {
        while true {
            let (isThere, count) = state.withLock { state in
                (state.sleepers.values.contains { $0.end == state.uptime + duration }, state.begun)
            }
            if isThere { return }
            await withCheckedContinuation { continuation in
                let hasChanged = state.withLock { state in
                    guard state.begun == count else { return true }
                    state.watchers.append(continuation)
                    return false
                }
                if hasChanged { continuation.resume() }
            }
        }
    }

    private func notify() {
        let watchers = state.withLock { state in
            defer { state.watchers = [] }
            return state.watchers
        }
        for watcher in watchers { watcher.resume() }
    }
}
