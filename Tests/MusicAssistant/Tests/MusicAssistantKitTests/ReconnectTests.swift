import ClientTestSupport
import Foundation
import MusicAssistantKit
import MusicAssistantTestServer
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ReconnectTests {
    private func delay(_ state: ConnectionState?) -> (attempt: Int, delay: Double)? {
        if case .reconnecting(let attempt, let delay) = state { (attempt, delay) } else { nil }
    }

    /// Makes a configuration as a host gets it that sets nothing but its token, on a test's clock.
    private func untouched(on clock: ManualClock) -> @Sendable (inout ClientConfiguration) -> Void {
        return { configuration in
            configuration = ClientConfiguration(token: "test-token")
            configuration.clock = clock
        }
    }

    /// Runs a test while a client that was connected waits for the answer to its login, which does not come within 30 s.
    private func duringAnAttempt(
        _ body: @escaping @Sendable (Fixture, MusicAssistantClient, ManualClock) async throws -> Void
    ) async throws {
        let clock = ManualClock()
        let scenario = Scenario(replyFaults: [ReplyFault(.drop, on: "auth", connection: 1)])
        try await Fixture.connected(scenario, clock: clock, change: { $0.pingInterval = nil }) { fixture, client in
            let states = client.connectionStates
            try await fixture.server.closeConnections()
            _ = try await states.first { $0.isReconnecting }
            await clock.waitForSleeper(of: .seconds(1))
            clock.advance(by: .seconds(1))
            try await fixture.server.waitForCommand("auth", times: 2)
            await clock.waitForSleeper(of: .seconds(30))
            try await body(fixture, client, clock)
        }
    }

    @Test func delaysGrowToOneMinuteAndResetAfterSuccess() async throws {
        let clock = ManualClock()
        try await Fixture.connected(clock: clock) { fixture, client in
            var states = client.connectionStates.makeAsyncIterator()
            _ = await states.next()
            for _ in 0..<2 {
                try await fixture.server.goAway()
                for (index, seconds) in [1.0, 2, 4, 8, 16, 32, 60, 60, 60].enumerated() {
                    let state = delay(await states.next())
                    #expect(state?.attempt == index + 1)
                    #expect(state?.delay == seconds)
                    await clock.waitForSleeper(of: .seconds(seconds))
                    if index == 8 { try await fixture.server.comeBack() }
                    clock.advance(by: .seconds(seconds))
                }
                #expect(await states.next()?.isConnected == true)
                #expect(try await client.getPlayers().count == 3)
            }
        }
    }

    @Test func jitterIsBounded() async throws {
        let clock = ManualClock()
        try await Fixture.connected(clock: clock, change: { $0.reconnect = ReconnectPolicy(delays: [10], jitter: 0.2) })
        {
            fixture, client in
            var states = client.connectionStates.makeAsyncIterator()
            _ = await states.next()
            try await fixture.server.goAway()
            var delays: Set<Double> = []
            for _ in 0..<30 {
                let seconds = try #require(delay(await states.next())?.delay)
                #expect((8...12).contains(seconds))
                delays.insert(seconds)
                await clock.waitForSleeper(of: .seconds(seconds))
                clock.advance(by: .seconds(seconds))
            }
            #expect(delays.count > 20)
        }
    }

    /// Without the variation, all clients of a server would return to it at once.
    @Test func defaultDelaysVaryByUpToATenth() async throws {
        let clock = ManualClock()
        try await Fixture.connected(clock: clock, change: untouched(on: clock)) { fixture, client in
            var states = client.connectionStates.makeAsyncIterator()
            _ = await states.next()
            try await fixture.server.goAway()
            var shares: [Double] = []
            for index in 0..<30 {
                let seconds = try #require(delay(await states.next())?.delay)
                let share = seconds / [1.0, 2, 4, 8, 16, 32, 60][min(index, 6)]
                #expect((0.8999...1.1001).contains(share))
                shares.append(share)
                await clock.waitForSleeper(of: .seconds(seconds))
                clock.advance(by: .seconds(seconds))
            }
            let (lowest, highest) = (try #require(shares.min()), try #require(shares.max()))
            #expect(highest - lowest > 0.1)
        }
    }

    @Test(arguments: [Int?.none, 1000, 1001, 1011, 4000])
    func everyEndThatTheClientDidNotAskForIsRepaired(_ code: Int?) async throws {
        let clock = ManualClock()
        try await Fixture.connected(clock: clock) { fixture, client in
            let states = client.connectionStates
            try await fixture.server.closeConnections(saying: code)
            let lost = try await states.first { $0.isReconnecting }
            #expect(delay(lost)?.attempt == 1)
            await clock.waitForSleeper(of: .seconds(1))
            clock.advance(by: .seconds(1))
            _ = try await states.first { $0.isConnected }
            #expect(try await client.getPlayers().count == 3)
        }
    }

    @Test func waitingCommandsFailAtOnce() async throws {
        let clock = ManualClock()
        try await Fixture.connected(Scenario(replyFaults: [ReplyFault(.hold, on: "players/all")]), clock: clock) {
            fixture, client in
            let tasks = (0..<100).map { _ in Task { try await client.getPlayers() } }
            let parts = try client.stream("players/all")
            try await fixture.server.waitForCommand("players/all", times: 101)
            let states = client.connectionStates
            try await fixture.server.closeConnections()
            for task in tasks {
                await #expect { try await task.value } throws: { error in
                    if case MusicAssistantError.connectionLost = error { true } else { false }
                }
            }
            await #expect(throws: MusicAssistantError.self) { for try await _ in parts {} }
            _ = try await states.first { $0.isReconnecting }
            await #expect { try await client.getPlayers() } throws: { error in
                guard case MusicAssistantError.reconnecting(attempt: 1) = error else { return false }
                return !"\(error)".contains("call connect() first")
            }
        }
    }

    @Test func connectEndsTheDelay() async throws {
        let clock = ManualClock()
        try await Fixture.connected(clock: clock) { fixture, client in
            let states = client.connectionStates
            try await fixture.server.goAway()
            _ = try await states.first { $0.isReconnecting }
            await #expect { try await client.connect() } throws: { error in
                if case MusicAssistantError.connectionFailed = error { true } else { false }
            }
            try await fixture.server.comeBack()
            _ = try await states.first { delay($0)?.attempt == 2 }
            try await client.connect()
            #expect(await client.isConnected)
        }
    }

    /// An attempt that was made before the server was back says nothing of the server as it is now.
    @Test func connectDoesNotFailWithAnEarlierAttempt() async throws {
        try await duringAnAttempt { fixture, client, clock in
            let connecting = Task { try await client.connect() }
            // As a rule it has joined the attempt by then.
            for _ in 0..<1000 { await Task.yield() }
            clock.advance(by: .seconds(30))
            try await connecting.value
            #expect(await client.isConnected)
            #expect(try await fixture.server.statistics.connections == 3)
        }
    }

    @Test func disconnectEndsReconnecting() async throws {
        let clock = ManualClock()
        try await Fixture.connected(clock: clock) { fixture, client in
            let states = client.connectionStates
            try await fixture.server.closeConnections()
            _ = try await states.first { $0.isReconnecting }
            await client.disconnect()
            clock.advance(by: .seconds(3600))
            #expect(await client.connectionState.isDisconnected)
            #expect(try await fixture.server.statistics.connections == 1)
        }
    }

    @Test func emptyDelaysMeanNoReconnect() async throws {
        try await Fixture.connected(change: { $0.reconnect = .never }) { fixture, client in
            let states = client.connectionStates
            try await fixture.server.closeConnections()
            let end = try await states.first { if case .failed = $0 { true } else { false } }
            guard case .failed(MusicAssistantError.connectionLost) = end else {
                Issue.record("ended with \(String(describing: end))")
                return
            }
            try await client.connect()
            #expect(await client.isConnected)
        }
    }

    /// A slow server has not refused the token, so the client continues to reconnect.
    @Test func loginTimeoutDoesNotRejectTheToken() async throws {
        try await duringAnAttempt { _, client, clock in
            let states = client.connectionStates
            clock.advance(by: .seconds(30))
            let next = try await states.first { $0.isReconnecting && delay($0)?.attempt != 1 }
            #expect(delay(next)?.attempt == 2)
            await clock.waitForSleeper(of: .seconds(2))
            clock.advance(by: .seconds(2))
            _ = try await states.first { $0.isConnected }
        }
    }

    @Test func connectionEndsWhenServerDoesNotAnswerPing() async throws {
        let clock = ManualClock()
        var scenario = Scenario()
        scenario.answersPings = false
        // 21 s and 10 s differ from all other time limits of the client.
        try await Fixture.connected(scenario, clock: clock, change: { $0.pingInterval = .seconds(21) }) { _, client in
            let states = client.connectionStates
            await clock.waitForSleeper(of: .seconds(21))
            clock.advance(by: .seconds(21))
            await clock.waitForSleeper(of: .seconds(10))
            clock.advance(by: .seconds(10))
            _ = try await states.first { $0.isReconnecting }
        }
    }

    /// A client with the default settings sends a ping after 20 s without a message, and waits 10 s for the answer.
    @Test func defaultsEndASilentConnectionAfterHalfAMinute() async throws {
        let clock = ManualClock()
        var scenario = Scenario()
        scenario.answersPings = false
        try await Fixture.connected(scenario, clock: clock, change: untouched(on: clock)) { fixture, client in
            let states = client.connectionStates
            let events = client.events.all
            _ = try await client.players.snapshots.first { $0.isCurrent }
            _ = try await client.queues.snapshots.first { $0.isCurrent }
            await clock.waitForSleeper(of: .seconds(20))
            // The time limit of the commands so far ends at 30 s. With a message at 1 s, the limit of the ping ends at 31 s.
            clock.advance(by: .seconds(1))
            try await fixture.server.send([ServerEvent("from_the_future")])
            _ = try await events.first { $0.event == "from_the_future" }
            clock.advance(by: .seconds(19))
            await clock.waitForSleeper(of: .seconds(1))
            clock.advance(by: .seconds(1))
            await clock.waitForSleeper(of: .seconds(10))
            #expect(await client.isConnected)
            clock.advance(by: .seconds(10))
            _ = try await states.first { $0.isReconnecting }
        }
    }

    @Test func connectionIsKeptWhenServerAnswersPings() async throws {
        let clock = ManualClock()
        try await Fixture.connected(clock: clock, change: { $0.pingInterval = .seconds(21) }) { fixture, client in
            // A ping is sent after 21 s without messages. The next one is due 21 s after its answer, which is 11 s after
            // the check.
            for quiet in [21, 11, 11, 11] {
                await clock.waitForSleeper(of: .seconds(quiet))
                clock.advance(by: .seconds(quiet))
                await clock.waitForSleeper(of: .seconds(10))
                _ = try await client.info()
                clock.advance(by: .seconds(10))
            }
            #expect(await client.isConnected)
            #expect(try await fixture.server.statistics.connections == 1)
        }
    }

    @Test func serverPingsAreAnswered() async throws {
        var scenario = Scenario()
        scenario.pingInterval = .milliseconds(20)
        scenario.pongLimit = .seconds(10)
        try await Fixture.connected(scenario) { fixture, client in
            try await fixture.server.wait { $0.pongs >= 5 }
            #expect(try await fixture.server.statistics.connections == 1)
        }
    }
}
