import Descant
import Foundation
import MusicAssistantTestServer
import Testing

/// The values for player panels.
extension EngineTests {
    @Test func trackInfoComesFromTheServer() async throws {
        try await withController { controller, server in
            try await controller.loadContent(item("library://album/2"))
            try await controller.play()
            let track = try #require(await controller.nowPlaying().track)
            #expect(track.title == "Pier" && track.artists == ["The Lanterns"] && track.album == "Harbour Lights")
            #expect(track.duration == 240 && track.trackNumber == 3)
            let cover = try #require(track.artworkURL)
            #expect(cover.path == "/imageproxy" && cover.port == server.port)
            #expect(cover.query?.contains("provider=test_tones--1") == true)

            let changes = controller.remoteChanges.makeAsyncIterator()
            try await server.perform("player_queues/next", ["queue_id": "kitchen"])
            let next = try await first(of: controller, after: changes) { $0.track?.title == "Signal Lamp" }
            #expect(next.track?.duration == 201 && next.track?.id != track.id)
            // A seek names its track; a seek for another track is ignored.
            try await controller.perform(.seekTo(90, of: track.id))
            #expect(await controller.remotePosition < 60)
            try await controller.perform(.seekTo(90, of: next.track?.id))
            #expect(await controller.remotePosition >= 90)
        }
    }

    @Test func passwordsAreNotPublished() async throws {
        try await withEngine { engine, server, _ in
            let reporter = try #require(engine as? any EngineTrackReporting)
            try await engine.loadContent(item("http://me:hush@127.0.0.1:1/stream"))
            let loaded = try #require(await reporter.currentTrack)
            try await engine.play()
            let playing = try #require(await reporter.currentTrack)
            #expect(loaded.id != playing.id)
            for track in [loaded, playing] {
                let published = "\(track.id) \(track.title ?? "") \(track.url?.absoluteString ?? "")"
                #expect(!published.contains("hush"), "\(published)")
                #expect(track.title?.contains("127.0.0.1:1/stream") == true)
            }
            // The server gets the whole address.
            let commands = try await server.commands.filter { $0.name == "player_queues/play_media" }
            #expect("\(commands)".contains("me:hush@"))
        }
    }

    @Test func volumeAndDurationFollowTheServer() async throws {
        try await withController { controller, server in
            try await controller.loadContent(item("library://album/2"))
            try await controller.play()
            let changes = controller.remoteChanges.makeAsyncIterator()
            try await server.perform("players/cmd/volume_set", ["player_id": "kitchen", "volume_level": 35])
            _ = try await first(of: controller, after: changes) { $0.volume == 0.35 }
            let updates = controller.updates.makeAsyncIterator()
            try await server.perform("player_queues/next", ["queue_id": "kitchen"])
            var reader = updates
            while let state = await reader.next(), state.progress.duration != 201 {}
            #expect(await controller.state.progress.duration == 201)
        }
    }

    /// Runs a test with a controller that plays on the player `kitchen`.
    private func withController(
        _ body: (MediaPlaybackController, MusicAssistantTestServer) async throws -> Void
    ) async throws {
        try await withEngine { _, server, _ in
            let environment = AudioEnvironment(plugins: try Bundles.registry())
            let controller = environment.makeController(output: .null, policy: .onDemand)
            try await controller.selectEngine("music-assistant")
            try await body(controller, server)
            await controller.stop()
        }
    }

    /// Waits until the published track meets a condition.
    private func first(
        of controller: MediaPlaybackController, after changes: EventStream<RemoteChange>.Iterator,
        _ isWanted: (NowPlaying) -> Bool
    ) async throws -> NowPlaying {
        var changes = changes
        while true {
            let present = await controller.nowPlaying()
            if isWanted(present) { return present }
            guard await changes.next() != nil else { throw CancellationError() }
        }
    }
}
