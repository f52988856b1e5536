import ClientTestSupport
import MusicAssistantKit
import MusicAssistantTestServer
import Testing

/// Invalid arguments are refused before anything is sent.
@Suite(.timeLimit(.minutes(2)))
struct ArgumentTests {
    private typealias Call = @Sendable (MusicAssistantClient) async throws -> Void

    private static let refused: [(words: String, call: Call)] = [
        ("bogus", { try await $0.setRepeat(queueId: "kitchen", mode: "bogus") }),
        ("sometimes", { try await $0.playMedia(queueId: "kitchen", uri: "library://track/1", option: "sometimes") }),
        ("media is empty", { try await $0.playMedia(queueId: "kitchen", uris: []) }),
        ("250", { try await $0.setVolume(playerId: "kitchen", volume: 250) }),
        ("-1", { try await $0.setGroupVolume(playerId: "kitchen", volume: -1) }),
        ("101", { try await $0.playAnnouncement(playerId: "kitchen", url: "http://a/b.mp3", volume: 101) }),
        ("-5", { try await $0.seek(playerId: "kitchen", position: -5) }),
        ("-6", { try await $0.seekQueue(queueId: "kitchen", position: -6) }),
        ("-7", { try await $0.playIndex(queueId: "kitchen", index: -7) }),
        ("nan", { try await $0.setPlaybackSpeed(queueId: "kitchen", speed: .nan) }),
        ("0.0", { try await $0.setPlaybackSpeed(queueId: "kitchen", speed: 0) }),
        ("-8", { _ = try await $0.getQueueItems(queueId: "kitchen", limit: -8) }),
        ("-9", { _ = try await $0.getQueueItems(queueId: "kitchen", offset: -9) }),
        ("-10", { _ = try await $0.search(query: "a", limit: -10) }),
        ("-11", { _ = try await $0.libraryItems(kind: .tracks, limit: -11) }),
        ("player_id", { try await $0.play(playerId: "") }),
        ("queue_id", { try await $0.clearQueue(queueId: "") }),
        ("a/b", { _ = try await $0.libraryCount(kind: "a/b") }),
    ]

    @Test(arguments: ArgumentTests.refused.indices) func invalidArgumentIsRefusedBeforeSending(_ index: Int)
        async throws
    {
        let (words, call) = Self.refused[index]
        try await Fixture.connected { fixture, client in
            try await fixture.server.forgetCommands()
            await #expect { try await call(client) } throws: { error in
                guard case MusicAssistantError.invalidArgument = error else { return false }
                return "\(error)".contains(words)
            }
            #expect(try await fixture.server.commands.isEmpty)
        }
    }

    @Test func minimumAndMaximumAreSent() async throws {
        try await Fixture.connected { fixture, client in
            for volume in [0, 100] { try await client.setVolume(playerId: "kitchen", volume: volume) }
            for mode: MusicAssistantRepeatMode in [.off, .one, .all] {
                try await client.setRepeat(queueId: "kitchen", mode: mode)
            }
            #expect(try await fixture.server.commands.filter { $0.name.contains("repeat") }.count == 3)
        }
    }

    /// The server's own index field is 0 for every item.
    @Test func queueItemsHaveTheirIndex() async throws {
        try await Fixture.connected { fixture, client in
            try await client.playMedia(queueId: "kitchen", uri: "library://album/2", option: .replace)
            #expect(try await client.getQueueItems(queueId: "kitchen").map(\.index) == [0, 1, 2])
            #expect(try await client.getQueueItems(queueId: "kitchen", offset: 1).map(\.index) == [1, 2])
            try await client.nextInQueue(queueId: "kitchen")
            let queue = try #require(try await client.getQueue(queueId: "kitchen"))
            #expect(queue.currentItem?.index == 1)
        }
    }

    @Test func playerMediaHasItsQueue() async throws {
        try await Fixture.connected { fixture, client in
            try await client.group(playerId: "kitchen", adding: ["study"])
            try await client.playMedia(queueId: "kitchen", uri: "library://track/1", option: .replace)
            for player in ["kitchen", "study"] {
                let media = try #require(try await client.getPlayer(playerId: player)?.currentMedia)
                #expect(media.queueId == "kitchen")
                #expect(media.queueItemId != nil)
            }
        }
    }
}
