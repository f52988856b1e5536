import ClientTestSupport
import Foundation
import MusicAssistantKit
import MusicAssistantTestServer
import Testing

/// The examples of the guide "Remote players", run.
@Suite(.timeLimit(.minutes(2)))
struct ReadmeTests {
    private func quickStart(_ client: MusicAssistantClient) async throws {
        // snippet: quick start
        try await client.connect()

        try await client.play(playerId: "kitchen")
        let results = try await client.search(query: "Beatles")
        print(results.tracks.map(\.name))
        // end
    }

    @Test func quickStartAndUpdates() async throws {
        try await Fixture.run { fixture in
            let client = try fixture.client()
            let updates = client.events.playerUpdates
            let reader = Task {
                // snippet: player updates
                for await event in updates {
                    print("Player \(event.playerId) updated")
                }
                // end
            }
            try await quickStart(client)
            #expect(await client.isConnected)
            await client.disconnect()
            await reader.value
        }
    }

    @Test func playerControl() async throws {
        try await Fixture.connected { _, client in
            try await client.play(playerId: "kitchen")
            try await client.pause(playerId: "kitchen")
            try await client.stop(playerId: "kitchen")
        }
    }

    @Test func queueManagement() async throws {
        try await Fixture.connected { _, client in
            try await client.playMedia(queueId: "kitchen", uri: "library://track/1", option: "play")
            let items = try await client.getQueueItems(queueId: "kitchen")
            #expect(items.count == 1)
            try await client.shuffle(queueId: "kitchen", enabled: true)
            try await client.setRepeat(queueId: "kitchen", mode: "all")
            #expect(try await client.getQueue(queueId: "kitchen")?.repeatMode == .all)
            try await client.clearQueue(queueId: "kitchen")
        }
    }

    @Test func events() async throws {
        try await Fixture.connected { _, client in
            let updates = client.events.queueUpdates
            try await client.playMedia(queueId: "kitchen", uri: "library://track/1")
            for await event in updates {
                print("Queue: \(event.queueId), Data: \(event.data)")
                break
            }
        }
    }

    @Test func errorHandling() async throws {
        let client = MusicAssistantClient(host: "127.0.0.1", port: 8095)
        do {
            try await client.play(playerId: "kitchen")
            Issue.record("there is no connection")
        } catch MusicAssistantError.notConnected {
            print("Not connected to server")
        } catch MusicAssistantError.commandTimeout(let messageId) {
            print("Command \(messageId) timed out")
        } catch MusicAssistantError.serverError(let code, let message, _) {
            print("Server error \(code ?? 0): \(message)")
        } catch {
            print("Unexpected error: \(error)")
        }
    }
}
