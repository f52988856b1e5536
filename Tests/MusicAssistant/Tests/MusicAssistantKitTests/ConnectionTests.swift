import ClientTestSupport
import Foundation
import MusicAssistantTestServer
internal import Synchronization
import Testing

@testable import MusicAssistantKit

@Suite(.timeLimit(.minutes(2)))
struct ConnectionTests {
    @Test func connectedStateHasTheServerInfo() async throws {
        try await Fixture.run { fixture in
            let client = try fixture.client()
            #expect(await !client.isConnected)
            try await client.connect()
            try await client.connect()
            #expect(await client.isConnected)
            #expect(await client.serverInfo?.schemaVersion == 29)
            #expect(await client.serverInfo?.isSetUp == true)
            await client.disconnect()
            await client.disconnect()
            #expect(await client.connectionState.isDisconnected)
            try await fixture.server.wait { $0.openConnections == 0 }
            #expect(try await fixture.server.statistics.connections == 1)
        }
    }

    @Test func statesAreReportedInOrder() async throws {
        try await Fixture.run { fixture in
            let client = try fixture.client()
            let states = client.connectionStates
            try await client.connect()
            await client.disconnect()
            var seen: [String] = []
            for await state in states {
                switch state {
                case .disconnected: seen.append("disconnected")
                case .connecting: seen.append("connecting")
                case .connected: seen.append("connected")
                case .reconnecting: seen.append("reconnecting")
                case .failed: seen.append("failed")
                }
            }
            #expect(seen == ["disconnected", "connecting", "connected", "disconnected"])
        }
    }

    @Test func concurrentConnectsShareOneAttempt() async throws {
        try await Fixture.run { fixture in
            let client = try fixture.client()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 { group.addTask { try await client.connect() } }
                try await group.waitForAll()
            }
            #expect(try await fixture.server.statistics.connections == 1)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<20 { group.addTask { await client.disconnect() } }
            }
            #expect(await client.connectionState.isDisconnected)
        }
    }

    @Test func clientConnectsAgainAfterDisconnect() async throws {
        try await Fixture.run { fixture in
            let client = try fixture.client()
            for _ in 0..<10 {
                try await client.connect()
                #expect(try await client.getPlayers().count == 3)
                await client.disconnect()
            }
            #expect(try await fixture.server.statistics.connections == 10)
        }
    }

    @Test func connectWithoutServerFails() async throws {
        let server = try await MusicAssistantTestServer.start()
        let port = server.port
        try await server.stop()
        let client = MusicAssistantClient(host: "127.0.0.1", port: port)
        await #expect { try await client.connect() } throws: { error in
            if case MusicAssistantError.connectionFailed = error { true } else { false }
        }
        guard case .failed = await client.connectionState else {
            Issue.record("the state is \(await client.connectionState)")
            return
        }
        await client.disconnect()
    }

    @Test(arguments: [404, 503, 200])
    func aServerThatIsNoMusicAssistant(_ status: Int) async throws {
        try await Fixture.run(Scenario(connectionFaults: [ConnectionFault(.refuse(status: status))])) { fixture in
            await #expect { try await fixture.client().connect() } throws: { error in
                if case MusicAssistantError.connectionFailed = error { true } else { false }
            }
        }
    }

    @Test(arguments: [0, 10, 129, 200])
    func aServerThatFallsSilentIsGivenUp(_ bytes: Int) async throws {
        try await Fixture.run(Scenario(connectionFaults: [ConnectionFault(.stall(afterBytes: bytes))])) { fixture in
            let clock = ManualClock()
            let client = try fixture.client(clock: clock)
            let connecting = Task { try await client.connect() }
            await clock.waitForSleeper(of: .seconds(10))
            try await fixture.server.wait { $0.connections == 1 }
            // The time limit of the greeting begins after the upgrade.
            let mover = Task {
                while !Task.isCancelled {
                    await clock.waitForSleeper(of: .seconds(10))
                    clock.advance(by: .seconds(10))
                }
            }
            await #expect { try await connecting.value } throws: { error in
                guard case MusicAssistantError.connectionFailed(let cause) = error else { return false }
                return "\(cause)".hasSuffix("took too long")
            }
            mover.cancel()
            clock.advance(by: .seconds(100))
            try await fixture.server.wait { $0.openConnections == 0 }
        }
    }

    @Test func cancelledConnectEndsTheAttempt() async throws {
        try await Fixture.run(Scenario(connectionFaults: [ConnectionFault(.stall(afterBytes: 0))])) { fixture in
            let client = try fixture.client()
            let task = Task { try await client.connect() }
            try await fixture.server.wait { $0.connections == 1 }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(await client.connectionState.isDisconnected)
        }
    }

    @Test func disconnectEndsAnAttempt() async throws {
        try await Fixture.run(Scenario(connectionFaults: [ConnectionFault(.stall(afterBytes: 0))])) { fixture in
            let client = try fixture.client()
            let task = Task { try await client.connect() }
            try await fixture.server.wait { $0.connections == 1 }
            await client.disconnect()
            await #expect { try await task.value } throws: { error in
                if case MusicAssistantError.notConnected = error { true } else { false }
            }
        }
    }

    /// A `connect()` that waits until the client has noticed the end of a connection makes no new one.
    @Test func disconnectEndsAConnectThatWaits() async throws {
        let clock = HoldingClock(holding: .seconds(21))
        defer { clock.release() }
        try await Fixture.run(Scenario(replyFaults: [ReplyFault(.drop, on: "players/all")])) { fixture in
            let client = try fixture.client(clock: clock) { $0.pingInterval = .seconds(21) }
            try await client.connect()
            let session = try client.core.session()
            let command = Task { try await client.getPlayers() }
            try await fixture.server.waitForCommand("players/all")
            try await fixture.server.closeConnections()
            await #expect(throws: MusicAssistantError.self) { try await command.value }
            #expect(await client.isConnected)
            let connecting = Task { try await client.connect() }
            while session.left.waiterCount == 0 {
                try Task.checkCancellation()
                await Task.yield()
            }
            let disconnecting = Task { await client.disconnect() }
            await #expect { try await connecting.value } throws: { error in
                if case MusicAssistantError.notConnected = error { true } else { false }
            }
            clock.release()
            await disconnecting.value
            #expect(await client.connectionState.isDisconnected)
            #expect(try await fixture.server.statistics.connections == 1)
        }
    }

    @Test func commandsWithoutConnectionFailAtOnce() async throws {
        let client = MusicAssistantClient(host: "127.0.0.1", port: 1)
        for _ in 0..<2 {
            await #expect { try await client.getPlayers() } throws: { error in
                if case MusicAssistantError.notConnected = error { true } else { false }
            }
            #expect(throws: MusicAssistantError.self) { try client.stream("players/all") }
            await client.disconnect()
        }
    }

    @Test func disconnectFailsWaitingCommands() async throws {
        try await Fixture.connected(Scenario(replyFaults: [ReplyFault(.drop, on: "players/all")])) { fixture, client in
            let tasks = (0..<50).map { _ in Task { try await client.getPlayers() } }
            try await fixture.server.waitForCommand("players/all", times: 50)
            await client.disconnect()
            for task in tasks {
                await #expect { try await task.value } throws: { error in
                    if case MusicAssistantError.notConnected = error { true } else { false }
                }
            }
        }
    }

    @Test func releasedClientClosesItsConnection() async throws {
        try await Fixture.run { fixture in
            var client: MusicAssistantClient? = try fixture.client { $0.keepsMirrors = true }
            weak let gone = client
            let events = client?.events.all
            try await client?.connect()
            try await fixture.server.waitForClients(1)
            client = nil
            #expect(gone == nil)
            try await fixture.server.wait { $0.openConnections == 0 }
            #expect(try await events?.first { _ in false } == nil)
        }
    }

    @Test(arguments: [
        "", "nonsense", "ftp://host", "ws://", "ws://user:password@host", "ws://host:0", "ws://host:70000", "/ws",
    ])
    func addressesThatAreNone(_ text: String) async throws {
        guard let url = URL(string: text) ?? URL(string: "about:blank") else { return }
        let client = MusicAssistantClient(url: url)
        await #expect { try await client.connect() } throws: { error in
            guard case MusicAssistantError.invalidURL(let problem) = error else { return false }
            return !problem.contains("password@")
        }
    }

    @Test func serverThatSupportsOnlyNewerProtocolsIsRefused() async throws {
        var scenario = Scenario()
        scenario.minimumSchemaVersion = 1000
        scenario.schemaVersion = 1001
        try await Fixture.run(scenario) { fixture in
            await #expect { try await fixture.client().connect() } throws: { error in
                if case MusicAssistantError.unsupportedServer(minimumSchema: 1000) = error { true } else { false }
            }
        }
    }

    @Test func greetingWithUnknownFieldsIsAccepted() async throws {
        var scenario = Scenario()
        scenario.schemaVersion = 98
        scenario.descriptionMembers = ["base_url": nil, "status": "dreaming", "internal_url": "x", "name": 5]
        try await Fixture.connected(scenario) { _, client in
            let info = await client.serverInfo
            #expect(info?.schemaVersion == 98)
            #expect(info?.status == "dreaming")
            #expect(info?.json["internal_url"] == "x")
            #expect(info?.name == nil)
        }
    }

    @Test func wssWithoutSecurityFailsWithRemedy() async throws {
        let url = try #require(URL(string: "wss://127.0.0.1:1"))
        await #expect { try await MusicAssistantClient(url: url).connect() } throws: { error in
            "\(error)".contains("MusicAssistantTLS")
        }
    }
}

/// A clock that stands still. The sleeps until one time last until the test ends them, also in a cancelled task. With
/// the interval of pings as that time, the client notices the end of a connection only then.
private final class HoldingClock: ClientClock {
    private struct State {
        var isReleased = false
        var sleepers: [CheckedContinuation<Void, Never>] = []
    }

    private let clock = ManualClock()
    private let held: Duration
    private let state = Mutex(State())

    init(holding held: Duration) { self.held = held }

    var uptime: Duration { clock.uptime }
    var date: Date { clock.date }

    func sleep(until time: Duration) async throws {
        guard time == held else { return try await clock.sleep(until: time) }
        await withCheckedContinuation { continuation in
            let isReleased = state.withLock { state in
                if !state.isReleased { state.sleepers.append(continuation) }
                return state.isReleased
            }
            if isReleased { continuation.resume() }
        }
        throw CancellationError()
    }

    /// Ends the held sleeps, and later ones at once.
    func release() {
        let sleepers = state.withLock { state in
            state.isReleased = true
            defer { state.sleepers = [] }
            return state.sleepers
        }
        for sleeper in sleepers { sleeper.resume() }
    }
}
