import ClientTestSupport
import MusicAssistantKit
import MusicAssistantTestServer

/// One client with a server that has random faults.
struct ChaosRun {
    /// A broken promise of the client.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let plan: ChaosPlan
    let server: MusicAssistantTestServer
    let clients: LifeCounter

    func perform() async throws {
        do {
            try await live()
        } catch {
            throw Failure(description: "DESCANT_CHAOS_SEED=\(plan.seed) DESCANT_CHAOS_RUNS=1: \(error)")
        }
    }

    private func live() async throws {
        try await server.setFaults(plan.replies, connections: plan.connections)
        let unread = try await liveOneClient()
        // The client is released, so its event sequences have ended.
        var buffered = 0
        for await _ in unread { buffered += 1 }
        guard buffered <= plan.eventBuffer else { throw Failure(description: "\(buffered) events were buffered") }
    }

    /// - Returns: The number of unread events.
    private func liveOneClient() async throws -> MusicAssistantEventStream<MusicAssistantEvent> {
        let client = try client()
        let unread = client.events.all
        do { try await client.connect() } catch is MusicAssistantError {}
        try await call(client)
        try await recover(client)
        guard !plan.isDropped else { return unread }
        await client.disconnect()
        guard await client.connectionState.isDisconnected else { throw Failure(description: "not disconnected") }
        return unread
    }

    private func client() throws -> MusicAssistantClient {
        let life = clients.begin()
        return try Fixture(server: server).client { configuration in
            configuration.commandTimeout = plan.commandTimeout
            configuration.connectTimeout = plan.connectTimeout
            configuration.reconnect = ReconnectPolicy(delays: [0.001, 0.002, 0.005], jitter: 0.5)
            configuration.pingInterval = plan.pingInterval
            configuration.pongTimeout = plan.pongTimeout
            configuration.keepsMirrors = plan.keepsMirrors
            configuration.eventBuffer = plan.eventBuffer
            // Every part of the client keeps a reference to the configuration.
            configuration.logger = { [life] _ in withExtendedLifetime(life) {} }
        }
    }

    // MARK: Calls

    /// Starts all calls at once, and waits until each has ended.
    private func call(_ client: MusicAssistantClient) async throws {
        var ended = 0
        try await withThrowingTaskGroup(of: Void.self) { group in
            for call in plan.calls {
                group.addTask {
                    let task = Task { try await perform(call, client) }
                    if call.isCancelled { task.cancel() }
                    do { try await task.value } catch is MusicAssistantError {} catch is CancellationError {}
                }
            }
            group.addTask { try await interrupt(client) }
            for try await _ in group { ended += 1 }
        }
        guard ended == plan.calls.count + 1 else { throw Failure(description: "\(ended) calls ended") }
    }

    private func perform(_ call: ChaosPlan.Call, _ client: MusicAssistantClient) async throws {
        switch call.kind {
        case 0: _ = try await client.getPlayers()
        case 1: _ = try await client.search(query: "a", limit: 2)
        case 2: try await client.setVolume(playerId: "kitchen", volume: 20)
        case 3: try await client.playMedia(queueId: "study", uri: "library://track/1", option: .replace)
        case 4: _ = try await client.send("player_queues/items", ["queue_id": "study"], timeout: .milliseconds(30))
        // The time limit of the typed call is two minutes.
        case 5: _ = try await client.send("music/playlists/playlist_tracks", playlist)
        default: for try await _ in try client.stream("music/playlists/playlist_tracks", playlist) {}
        }
    }

    private var playlist: [String: JSONValue] {
        ["item_id": .string(plan.playlist), "provider_instance_id_or_domain": "library"]
    }

    private func interrupt(_ client: MusicAssistantClient) async throws {
        switch plan.interruption {
        case .none: break
        case .disconnect: await client.disconnect()
        case .restart(let code): try await server.restart(saying: code)
        }
    }

    // MARK: Afterwards

    /// The client reconnects to a server without faults, and commands work.
    private func recover(_ client: MusicAssistantClient) async throws {
        try await server.setFaults()
        try await server.closeConnections()
        var last: any Error = CancellationError()
        // Its time limits are those of the plan, and a slow machine exceeds them now and then.
        let limit = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < limit {
            do {
                try await client.connect()
                let players = try await client.send("players/all", timeout: .seconds(10))
                guard players.arrayValue?.count == 3 else { throw Failure(description: "players: \(players)") }
                return
            } catch let error as MusicAssistantError {
                last = error
            }
        }
        throw Failure(description: "no connection any more, \(last)")
    }
}
