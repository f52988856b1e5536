public import DescantCore

/// Checks the rules that every clock must keep; see `ClockPort` for the rules in full.
///
/// <!-- snippet: Tests/Integration/DocumentationTests/Guide/CommentExamples.swift#clock -->
/// ```swift
/// let contract = ClockContract(MyClock())
/// #expect(await contract.findings() == [])
/// ```
public struct ClockContract: Sendable {
    private let clock: any ClockPort
    private let limit: Double
    private let advance: (@Sendable (UInt64) -> Void)?

    /// Prepares the checks.
    ///
    /// - Parameters:
    ///   - clock: The clock.
    ///   - limit: The time after which a sleep that has not ended counts as endless, in seconds of the system.
    ///   - advance: Advances a manual clock by nanoseconds; `nil` for a clock that goes by itself.
    public init(_ clock: any ClockPort, limit: Double = 20, advance: (@Sendable (UInt64) -> Void)? = nil) {
        self.clock = clock
        self.limit = limit
        self.advance = advance
    }

    /// Runs every check.
    ///
    /// - Returns: The broken rules; empty for a clock that keeps the contract.
    public func findings() async -> [ContractFinding] {
        var collector = FindingCollector()
        await checkTime(into: &collector)
        await checkWaking(into: &collector)
        await checkCancellation(into: &collector)
        return collector.findings
    }

    private func checkTime(into collector: inout FindingCollector) async {
        let clock = clock
        var last = clock.now()
        var decrease: UInt64 = 0
        for _ in 0..<1_000 {
            advance?(1_000)
            let next = await Task.detached { clock.now() }.value
            if next < last { decrease = max(decrease, last - next) }
            last = next
        }
        collector.expect(decrease == 0, "the time never decreases", seen: "a decrease of \(decrease) ns")
    }

    private func checkWaking(into collector: inout FindingCollector) async {
        for sleep in [start { _ in 0 }, start { $0 }] {
            let ending = await end(of: sleep)
            collector.expect(ending.isWoken, "a sleep until a moment that has passed ends", seen: "\(ending)")
        }
        // A manual clock is advanced in small steps, so that one that wakes too early is noticed.
        let span: UInt64 = advance == nil ? 50_000_000 : 10_000_000_000
        let sleep = start { $0 + span }
        let (system, step) = (MonotonicClock(), span / 10_000)
        let latest = system.now() + UInt64(limit * 1e9)
        while let advance, sleep.ending.present == nil, system.now() < latest {
            advance(step)
            await Task.yield()
        }
        let ending = await end(of: sleep)
        collector.expect(
            ending.isOnTime, "a sleep ends when its deadline has come, and not before", seen: "\(ending)")
        sleep.task.cancel()
    }

    private func checkCancellation(into collector: inout FindingCollector) async {
        let anHour: UInt64 = 3_600_000_000_000
        for isCancelledBefore in [true, false] {
            let sleep = start(isCancelled: isCancelledBefore) { $0 + anHour }
            if !isCancelledBefore {
                for _ in 0..<100 { await Task.yield() }
                sleep.task.cancel()
            }
            let ending = await end(of: sleep)
            let moment = isCancelledBefore ? "before it begins" : "meanwhile"
            collector.expect(
                ending.isCancelled, "a sleep whose task is cancelled \(moment) throws CancellationError",
                seen: "\(ending)")
        }
    }

    // MARK: Sleeps

    /// How a sleep ended.
    private enum Ending: Sendable, CustomStringConvertible {
        case woken(at: UInt64, deadline: UInt64)
        case cancelled
        case failed(String)
        case endless

        var isWoken: Bool { if case .woken = self { true } else { false } }
        var isOnTime: Bool { if case .woken(let moment, let deadline) = self { moment >= deadline } else { false } }
        var isCancelled: Bool { if case .cancelled = self { true } else { false } }

        var description: String {
            switch self {
            case .woken(let moment, let deadline): "an end at \(moment) with the deadline \(deadline)"
            case .cancelled: "a CancellationError"
            case .failed(let error): "the error \(error)"
            case .endless: "no end"
            }
        }
    }

    private typealias Sleep = (ending: Promise<Ending>, task: Task<Void, Never>)

    /// Begins to sleep in a task of its own, which is left behind when it does not end.
    ///
    /// - Parameters:
    ///   - isCancelled: Whether the task is cancelled before.
    ///   - deadline: The deadline, from the time at the beginning.
    private func start(isCancelled: Bool = false, until deadline: @escaping @Sendable (UInt64) -> UInt64) -> Sleep {
        let (clock, ending) = (clock, Promise<Ending>())
        let task = Task {
            if isCancelled { Self.cancelCurrentTask() }
            let deadline = deadline(clock.now())
            do {
                try await clock.sleep(until: deadline)
                ending.resolve(.woken(at: clock.now(), deadline: deadline))
            } catch is CancellationError {
                ending.resolve(.cancelled)
            } catch {
                ending.resolve(.failed("\(error)"))
            }
        }
        return (ending, task)
    }

    private static func cancelCurrentTask() { withUnsafeCurrentTask { $0?.cancel() } }

    private func end(of sleep: Sleep) async -> Ending { await sleep.ending.value(within: limit) ?? .endless }
}
