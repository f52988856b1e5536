import Testing

@testable import DescantGStreamer

/// The number and the time limit of reconnects.
@Suite struct ReconnectionTests {
    private let second: UInt64 = 1_000_000_000

    @Test func attemptsEndAtTheLimit() {
        var reconnection = Reconnection(limit: 7)
        var pauses: [Double] = []
        var now = 5 * second
        while let pause = reconnection.nextPause(now: now) {
            pauses.append(pause)
            now += UInt64(pause * Double(second))
        }
        #expect(pauses == [0.05, 0.25, 0.5, 1, 1, 1, 1, 1, 1])
        #expect(reconnection.nextPause(now: now) == nil)
    }

    @Test func pauseOfTheReaderDoesNotCountAsOutage() {
        var reconnection = Reconnection(limit: 7)
        #expect(reconnection.nextPause(now: second) == 0.05)
        #expect(reconnection.nextPause(now: 2 * second) == 0.25)
        #expect(reconnection.nextPause(now: 60 * second) == 0.05)
        #expect(reconnection.nextPause(now: 61 * second) == 0.25)
    }

    @Test func outageCountsBeforeTheNextAttempt() {
        var reconnection = Reconnection(limit: 7)
        #expect(reconnection.nextPause(now: second) == 0.05)
        for block in 0..<100 { reconnection.noteRead(now: 60 * second + UInt64(block) * second / 100) }
        #expect(reconnection.nextPause(now: 61 * second) == 0.05)
    }

    /// An attempt may take as long as a silent server does.
    @Test func waitingForAServerIsNotAnOutage() {
        var (asking, waiting) = (Reconnection(limit: 7), Reconnection(limit: 7))
        #expect(asking.nextPause(now: second) == 0.05)
        #expect(waiting.nextPause(now: second) == 0.05)
        for block in 0..<3_000 { asking.noteRead(now: second + UInt64(block) * second / 100) }
        waiting.noteWait(now: 31 * second)
        #expect(asking.nextPause(now: 31 * second) == nil)
        #expect(waiting.nextPause(now: 31 * second) == nil)
    }

    @Test func noAttemptWhenReconnectionIsOff() {
        var reconnection = Reconnection(limit: 0)
        #expect(reconnection.nextPause(now: second) == nil)
    }
}
