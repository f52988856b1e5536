internal import DescantCore
internal import Synchronization

/// Notices calls that take longer than they may, from outside: a call that hangs cannot notice it itself.
///
/// At most one look is scheduled at a time, whatever the number of calls, so watching costs nothing while all is well.
final class CallWatch: Sendable {
    private struct Call {
        var operation: String
        var start: UInt64
        var limit: Double
        var isReported = false
    }

    private struct State {
        var call: Call?
        var isLooking = false
    }

    private let state = Mutex(State())
    private let clock = MonotonicClock()
    private let report: @Sendable (_ operation: String, _ seconds: Double) -> Void

    /// - Parameter report: Receives each overdue call once, on any thread.
    init(report: @escaping @Sendable (_ operation: String, _ seconds: Double) -> Void) { self.report = report }

    /// Runs a call under watch.
    func during<Result>(_ operation: String, limit: Double, _ body: () throws -> Result) rethrows -> Result {
        let mustLook = state.withLock { state in
            state.call = Call(operation: operation, start: clock.now(), limit: limit)
            defer { state.isLooking = true }
            return !state.isLooking
        }
        if mustLook { look(after: limit) }
        defer { state.withLock { $0.call = nil } }
        return try body()
    }

    private func look(after seconds: Double) {
        // Strong: a call that hangs must be reported even when its deck is gone.
        DedicatedQueue.run(after: seconds) { [self] in check() }
    }

    private func check() {
        let now = clock.now()
        let (overdue, next) = state.withLock { state -> ((String, Double)?, Double?) in
            guard var call = state.call, !call.isReported else {
                state.isLooking = false
                return (nil, nil)
            }
            let seconds = Double(now - call.start) / 1_000_000_000
            guard seconds >= call.limit else { return (nil, call.limit - seconds) }
            call.isReported = true
            state.call = call
            state.isLooking = false
            return ((call.operation, seconds), nil)
        }
        if let overdue { report(overdue.0, overdue.1) }
        if let next { look(after: next) }
    }
}
