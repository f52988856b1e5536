import DescantCore
import DescantTesting
import Synchronization
import Testing

/// The contract of clocks, checked on those of the library and on some that break rules.
@Suite(.timeLimit(.minutes(2))) struct ClockContractTests {
    @Test func theSystemsClockKeepsIt() async {
        #expect(await ClockContract(MonotonicClock()).findings() == [])
    }

    @Test func aManualClockKeepsIt() async {
        let clock = ManualClock(now: 5)
        let contract = ClockContract(clock) { clock.advance(by: $0) }
        #expect(await contract.findings() == [])
        #expect(clock.sleeperCount == 0)
    }

    /// A clock of a host's that only tells the time.
    private struct PlainClock: ClockPort {
        func now() -> UInt64 { MonotonicClock().now() }
    }

    @Test func theDefaultSleepKeepsIt() async { #expect(await ClockContract(PlainClock()).findings() == []) }

    @Test(arguments: FaultyClock.Fault.allCases) func brokenRulesAreFound(fault: FaultyClock.Fault) async {
        let found = await ClockContract(FaultyClock(fault), limit: 1).findings()
        #expect(found.contains { $0.rule == fault.rawValue }, "\(found)")
    }

    /// Its time does not pass by itself, so that only an early end is an end.
    @Test func aManualClockThatWakesTooEarlyIsFound() async {
        let clock = ManualClock()
        let contract = ClockContract(HastyClock(clock: clock)) { clock.advance(by: $0) }
        let found = await contract.findings()
        #expect(found.contains { $0.rule == FaultyClock.Fault.early.rawValue }, "\(found)")
    }

    private struct HastyClock: ClockPort {
        let clock: ManualClock
        func now() -> UInt64 { clock.now() }
        func sleep(until deadline: UInt64) async throws { try await clock.sleep(until: deadline / 2) }
    }
}

/// A clock that breaks one rule; the raw value is the rule.
final class FaultyClock: ClockPort {
    enum Fault: String, CaseIterable, Sendable {
        case decreasing = "the time never decreases"
        case refusing = "a sleep until a moment that has passed ends"
        case early = "a sleep ends when its deadline has come, and not before"
        case deaf = "a sleep whose task is cancelled meanwhile throws CancellationError"
        case deafBefore = "a sleep whose task is cancelled before it begins throws CancellationError"
    }

    private let fault: Fault
    private let readings = Mutex<UInt64>(0)

    init(_ fault: Fault) { self.fault = fault }

    func now() -> UInt64 {
        guard fault == .decreasing else { return MonotonicClock().now() }
        // 0.1 s less at each reading.
        return readings.withLock { readings in
            readings += 1
            return (1 << 50) - readings * 100_000_000
        }
    }

    func sleep(until deadline: UInt64) async throws {
        switch fault {
        case .refusing where deadline <= now(): throw CoreError.invalidArgument("a moment that has passed")
        case .decreasing, .early: try Task.checkCancellation()
        case .deaf, .deafBefore: try? await MonotonicClock().sleep(until: deadline)
        case .refusing: try await MonotonicClock().sleep(until: deadline)
        }
    }
}
