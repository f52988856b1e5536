internal import DescantCore
internal import Synchronization

/// Reports calls that exceed their limit.
///
/// At most one check is scheduled at a time, whatever the number of calls.
final class CallWatch: Sendable {
    private struct Call {
        var operation: String
        var start: UInt64
        var limit: Double
        var isReported = false
    }

    private struct State {
        var call: Call?
        var isScheduled = false
    }

    private let state = Mutex(State())
    private let clock = MonotonicClock()
    private let report: @Sendable (_ operation: String, _ seconds: Double) -> Void

    /// - Parameter report: Receives each overdue call once, on any thread.
    init(report: @escaping @Sendable (_ operation: String, _ seconds: Double) -> Void) { self.report = report }

    /// Runs a call and reports it when it exceeds its limit.
    func during<Result>(_ operation: String, limit: Double, _ body: () throws -> Result) rethrows -> Result {
        let mustSchedule = state.withLock { state in
            state.call = Call(operation: operation, start: clock.now(), limit: limit)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if mustSchedule { scheduleCheck(after: limit) }
        defer { state.withLock { $0.call = nil } }
        return try body()
    }

    private func scheduleCheck(after seconds: Double) {
        // A call refers to its watch until it returns, so an overdue one is reported even when its deck is gone. The timer does not: what
        // the report refers to, such as the deck's memory, would be kept until the limit.
        DedicatedQueue.run(after: seconds) { [weak self] in self?.check() }
    }

    private func check() {
        let (overdue, next) = state.withLock { state -> ((String, Double)?, Double?) in
            let now = clock.now()
            guard var call = state.call, !call.isReported else {
                state.isScheduled = false
                return (nil, nil)
            }
            let seconds = Double(now - min(now, call.start)) / 1_000_000_000
            guard seconds >= call.limit else { return (nil, call.limit - seconds) }
            call.isReported = true
            state.call = call
            state.isScheduled = false
            return ((call.operation, call.limit), nil)
        }
        if let overdue { report(overdue.0, overdue.1) }
        if let next { scheduleCheck(after: next) }
    }
}
