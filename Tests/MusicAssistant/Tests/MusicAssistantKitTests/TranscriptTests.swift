import ClientTestSupport
import Foundation
import MusicAssistantKit
import MusicAssistantTestServer
import Testing

/// Repeats recorded conversations with a real server; its messages become typed results, errors and events.
@Suite(.timeLimit(.minutes(2)))
struct TranscriptTests {
    /// Runs the commands of a transcript in order, except the login.
    private func replay(
        _ name: String,
        _ body:
            @Sendable (MusicAssistantClient, MusicAssistantEventStream<MusicAssistantEvent>, [Replayed]) async throws ->
            Void
    ) async throws {
        var scenario = Scenario()
        let transcript = try Transcript(named: name)
        scenario.transcript = transcript
        scenario.tokens = ["TOKEN"]
        try await Fixture.run(scenario) { fixture in
            let client = try fixture.client(token: "TOKEN") { $0.eventBuffer = 10_000 }
            let events = client.events.all
            try await client.connect()
            var replies: [Replayed] = []
            for command in transcript.commands.drop(while: { $0.name != "auth" }).dropFirst() {
                do {
                    let args = try command.arguments.mapValues { try JSONValue(parsing: $0.text) }
                    replies.append(Replayed(command.name, .success(try await client.send(command.name, args))))
                } catch let error as MusicAssistantError {
                    replies.append(Replayed(command.name, .failure(error)))
                }
            }
            // The messages after the last reply have arrived when the server answers another command.
            _ = try await client.info()
            await client.disconnect()
            try await body(client, events, replies)
        }
    }

    struct Replayed: Sendable {
        let command: String
        let result: Result<JSONValue, MusicAssistantError>

        init(_ command: String, _ result: Result<JSONValue, MusicAssistantError>) {
            self.command = command
            self.result = result
        }

        var value: JSONValue? { try? result.get() }
        var code: ServerErrorCode? {
            if case .failure(let error) = result { error.serverCode } else { nil }
        }
    }

    private func kinds(_ events: MusicAssistantEventStream<MusicAssistantEvent>) async -> [EventKind: Int] {
        var counts: [EventKind: Int] = [:]
        for await event in events { counts[event.event, default: 0] += 1 }
        return counts
    }

    @Test func players() async throws {
        try await replay("02-players") { _, _, replies in
            let players = try #require(replies.first { $0.command == "players/all" }?.value?.arrayValue)
            #expect(!players.isEmpty)
            for json in players {
                let player = try MusicAssistantPlayer(json: json)
                #expect(!player.name.isEmpty && player.name != player.playerId)
                #expect(player.state == .idle)
                #expect(player.volume.map { (0...100).contains($0) } == true)
                #expect(player.supportedFeatures.contains(.volumeSet))
            }
            #expect(replies.contains { $0.code == .playerUnavailable })
            #expect(replies.contains { $0.command == "players/get" && $0.value == .null })
        }
    }

    @Test func search() async throws {
        try await replay("03-search") { _, _, replies in
            let results = try replies.map { try SearchResults(json: try #require($0.value)) }
            #expect(results.first?.albums.first?.name == "Night Signals")
            #expect(results.dropFirst().first?.tracks.first?.name == "日の出")
            #expect(results.dropFirst().first?.tracks.first?.mediaType == .track)
            #expect(results.last?.all.isEmpty == true)
        }
    }

    @Test func library() async throws {
        try await replay("04-library") { _, _, replies in
            let counts = replies.filter { $0.command.hasSuffix("/count") }
            #expect(counts.count == 6 && counts.allSatisfy { $0.value?.intValue != nil })
            for reply in replies where reply.command.hasSuffix("_items") || reply.command.hasSuffix("_tracks") {
                let json = try #require(reply.value?.arrayValue)
                let items = try json.map { try MediaItem(json: $0) }
                #expect(items.allSatisfy { !$0.name.isEmpty && !$0.uri.isEmpty && $0.mediaType != .unknown })
            }
        }
    }

    @Test func partialResult() async throws {
        try await replay("05-partial-result") { _, events, replies in
            let tracks = try #require(replies.first { $0.command.hasSuffix("playlist_tracks") }?.value?.arrayValue)
            #expect(tracks.count > 2)
            #expect(try tracks.allSatisfy { try MediaItem(json: $0).mediaType == .track })
            #expect(await kinds(events)[.mediaItemUpdated, default: 0] > 0)
        }
    }

    @Test(arguments: ["06-queue", "07-playback", "09-track-change-and-end", "11-squeezelite-real-pause"])
    func playback(_ name: String) async throws {
        try await replay(name) { _, events, replies in
            #expect(replies.allSatisfy { $0.value != nil }, "no command failed")
            var states: Set<MusicAssistantPlaybackState> = []
            var counts: [EventKind: Int] = [:]
            for await event in events {
                counts[event.event, default: 0] += 1
                switch event.event {
                case .queueUpdated, .queueItemsUpdated:
                    let queue = try PlayerQueue(json: event.data)
                    #expect(queue.queueId == event.objectId)
                    states.insert(queue.state)
                case .playerUpdated: #expect(try MusicAssistantPlayer(json: event.data).playerId == event.objectId)
                default: break
                }
            }
            #expect(counts[.queueUpdated, default: 0] > 0)
            #expect(states.contains(.playing))
        }
    }

    @Test func errors() async throws {
        try await replay("08-errors") { _, _, replies in
            let codes = Set(replies.compactMap(\.code))
            #expect(codes.isSuperset(of: [.invalidCommand, .unexpected, .mediaNotFound, .invalidURI]))
        }
    }

    @Test func groups() async throws {
        try await replay("10-group") { _, events, _ in
            var leaders: Set<String> = []
            for await event in events where event.event == .playerUpdated {
                let player = try MusicAssistantPlayer(json: event.data)
                if player.groupMembers.count > 1 { leaders.insert(player.playerId) }
            }
            #expect(!leaders.isEmpty)
        }
    }

    @Test func removedPlayerIsAddedAgain() async throws {
        try await replay("12-player-goes-and-returns") { _, events, _ in
            var available: [Bool] = []
            for await event in events where event.event == .playerUpdated {
                available.append(try MusicAssistantPlayer(json: event.data).isAvailable)
            }
            #expect(available.contains(false))
            #expect(available.contains(true))
        }
    }

    /// The server closes with code 1000 when it stops; the client reconnects.
    @Test func serverShutdown() async throws {
        var scenario = Scenario()
        scenario.transcript = try Transcript(named: "13-server-shutdown")
        scenario.tokens = ["TOKEN"]
        try await Fixture.run(scenario) { fixture in
            let client = try fixture.client(token: "TOKEN", clock: ManualClock())
            let states = client.connectionStates
            try await client.connect()
            _ = try await states.first { $0.isReconnecting }
            await client.disconnect()
        }
    }

    @Test func setupRequired() async throws {
        var scenario = Scenario()
        scenario.transcript = try Transcript(named: "00-setup-required")
        try await Fixture.run(scenario) { fixture in
            await #expect { try await fixture.client().connect() } throws: { error in
                if case MusicAssistantError.setupRequired = error { true } else { false }
            }
        }
    }

    @Test func login() async throws {
        var scenario = Scenario()
        scenario.transcript = try Transcript(named: "01-connect-auth")
        try await Fixture.run(scenario) { fixture in
            let client = try fixture.client(token: nil)
            try await client.connect()
            await #expect { try await client.send("players/all") } throws: { error in
                (error as? MusicAssistantError)?.serverCode == .authenticationRequired
            }
            #expect(try await client.loginProviders().first?.providerId == "builtin")
            await #expect { try await client.login(username: "admin", password: "wrong") } throws: { error in
                if case MusicAssistantError.loginFailed = error { true } else { false }
            }
            let answer = try await client.send("auth/login", ["username": "admin", "password": "PASSWORD"])
            #expect(answer["access_token"] == "TOKEN")
            await #expect { try await client.authenticate(token: "not-a-token") } throws: { error in
                if case MusicAssistantError.tokenRejected = error { true } else { false }
            }
            #expect(try await client.authenticate(token: "TOKEN")?.username == "admin")
            #expect(try await client.info().schemaVersion == 29)
            #expect(try await client.me().role == "admin")
            await client.disconnect()
        }
    }

    /// Every message of every transcript is parsed and written without loss.
    @Test(arguments: Transcript.allNames)
    func nothingIsLost(_ name: String) throws {
        for command in try Transcript(named: name).commands {
            let text = JSON.object(command.arguments).text
            #expect(try JSONValue(parsing: text).jsonString == text)
        }
    }
}
