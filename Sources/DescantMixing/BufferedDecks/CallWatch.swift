internal import DescantCore
internal import Synchronization

/// Reports calls that exceed their limit.
///
/// A call schedules a check only when none is scheduled for its limit or before, so that most calls schedule nothing.
final class CallWatch: Sendable {
    private struct Call {
        var operation: String
        var limit: Double
        /// When the limit is exceeded, in seconds of the clock.
        var deadline: Double
        var isReported = false
    }

    private struct State {
        var call: Call?
        /// When the next check is, in seconds of the clock; `nil` when none is scheduled.
        var nextCheck: Double?
    }

    private let state = Mutex(State())
    private let clock = MonotonicClock()
    private let report: @Sendable (_ operation: String, _ seconds: Double) -> Void

    /// - Parameter report: Receives each overdue call once, on any thread.
    init(report: @escaping @Sendable (_ operation: String, _ seconds: Double) -> Void) { self.report = report }

    /// Runs a call and reports it when it exceeds its limit.
    func during<Result>(_ operation: String, limit: Double, _ body: () throws -> Result) rethrows -> Result {
        let deadline = now + limit
        let mustSchedule = state.withLock { state -> Bool in
            state.call = Call(operation: operation, limit: limit, deadline: deadline)
            // The limit of an earlier call, such as a seek to a late position, may be much longer than that of this one.
            if let nextCheck = state.nextCheck, nextCheck <= deadline { return false }
            state.nextCheck = deadline
            return true
        }
        if mustSchedule { scheduleCheck(at: deadline) }
        defer { state.withLock { $0.call = nil } }
        return try body()
    }

    private var now: Double { Double(clock.now()) / 1_000_000_000 }

    private func scheduleCheck(at time: Double) {
        // A call refers to its watch until it returns, so an overdue one is reported even when its deck is gone. The timer does not: what
        // the report refers to, such as the deck's memory, would be kept until the limit.
        DedicatedQueue.run(after: max(0, time - now)) { [weak self] in self?.check(at: time) }
    }

    private func check(at time: Double) {
        let (overdue, next) = state.withLock { state -> (Call?, Double?) in
            // An earlier check has taken the place of this one.
            guard state.nextCheck == time else { return (nil, nil) }
            state.nextCheck = nil
            guard let call = state.call, !call.isReported else { return (nil, nil) }
            guard now >= call.deadline else {
                state.nextCheck = call.deadline
                return (nil, call.deadline)
            }
            state.call?.isReported = true
            return (call, nil)
        }
        if let overdue { report(overdue.operation, overdue.limit) }
        if let next { scheduleCheck(at: next) }
    }
}
