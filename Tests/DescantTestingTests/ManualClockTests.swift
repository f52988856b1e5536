import DescantCore
import DescantTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct ManualClockTests {
    @Test func advanceResumesSleepersWhoseDeadlineHasPassed() async throws {
        let clock = ManualClock(now: 5)
        let early = Task { try await clock.sleep(until: 1_000) }
        let late = Task { try await clock.sleep(until: 3_000_000_000) }
        await clock.waitForSleepers(2)
        clock.advance(by: 995)
        try await early.value
        #expect(clock.sleeperCount == 1)
        clock.advance(seconds: 3)
        try await late.value
        #expect(clock.now() == 3_000_001_000)
        try await clock.sleep(until: 10)  // a deadline in the past
    }

    @Test func cancelledSleepersThrow() async {
        let clock = ManualClock()
        let task = Task { try await clock.sleep(until: 1_000) }
        await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test func loggerKeepsMessagesInOrder() {
        let logger = RecordingLogger()
        logger.info("one")
        logger.warn("two")
        #expect(logger.entries.map(\.description) == ["info: one", "warning: two"])
        #expect(logger.messages(.warning) == ["two"])
        logger.clear()
        #expect(logger.entries.isEmpty)
    }
}
