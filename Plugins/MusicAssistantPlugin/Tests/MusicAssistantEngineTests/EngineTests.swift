import Descant
import Foundation
import MusicAssistantTestServer
import Testing

/// The bundle as a host loads it, against a server.
@Suite(.serialized, .timeLimit(.minutes(3))) struct EngineTests {
    /// Loads the bundle and runs a test with an engine on the player `kitchen`, with a time limit for a lost server.
    func withEngine(
        wait: String = "", _ body: (any MediaEngine, MusicAssistantTestServer, StateLog) async throws -> Void
    ) async throws {
        let server = try await startServer(wait: wait)
        do {
            let engine = try Bundles.registry().makeEngine("music-assistant")
            try await body(engine, server, StateLog(engine))
        } catch {
            try await server.stop()
            throw error
        }
        try await server.stop()
    }

    /// Starts a server that the plugin finds, which reads the environment as every host's does.
    func startServer(wait: String = "") async throws -> MusicAssistantTestServer {
        let server = try await MusicAssistantTestServer.start()
        Bundles.variables
        setenv("DESCANT_MA_SERVER", server.url, 1)
        setenv("DESCANT_MA_TOKEN", "test-token", 1)
        setenv("DESCANT_MA_PLAYER", "Kitchen", 1)
        setenv("DESCANT_MA_WAIT", wait, 1)
        return server
    }

    func item(_ uri: String) throws -> MediaContent { .url(try #require(URL(string: uri))) }

    @Test func playPauseSeekAndStopReachTheServer() async throws {
        try await withEngine { engine, server, log in
            #expect(await kindOfFailure { try await engine.play() } == "invalidState")
            try await engine.loadContent(item("library://track/3"))
            #expect(await engine.engineState == .ready)
            #expect(await engine.duration == 240)
            try await engine.play()
            await log.wait(for: .playing)
            #expect(await engine.isPlaying)
            #expect(try await state(server) == "playing")
            try await engine.seek(to: .fraction(0.5))
            try await engine.seek(to: .time(130.4))
            await engine.pause()
            await log.wait(for: .paused)
            #expect(await engine.isPaused)
            #expect(try await state(server) == "paused")
            #expect((130..<230).contains(await engine.currentTime))
            #expect(await engine.progress > 0.5)
            try await engine.play()
            await log.wait(for: .playing)
            await engine.stop()
            #expect(try await state(server) == "idle")
            #expect(await engine.engineState == .idle)
            #expect(await engine.currentTime == 0)
        }
    }

    @Test func changesByOthersAreFollowed() async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await engine.play()
            try await server.perform("players/cmd/pause", ["player_id": "kitchen"])
            await log.wait(for: .paused)
            try await server.perform("players/cmd/play", ["player_id": "kitchen"])
            await log.wait(for: .playing)
            try await server.perform("player_queues/seek", ["queue_id": "kitchen", "position": 239])
            await log.wait(for: .finished)
        }
    }

    @Test func playbackResumedByOthersIsFollowed() async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await engine.play()
            for position in [nil, 80.0] {
                await engine.pause()
                await log.wait(for: .paused)
                if let position { try await engine.seek(to: .time(position)) }
                try await server.forgetCommands()
                try await server.perform("players/cmd/play", ["player_id": "kitchen"])
                await log.wait(for: .playing)
                #expect(await engine.currentTime < 80)
                #expect(try await state(server) == "playing")
                let names = try await server.commands.map(\.name)
                #expect(!names.contains("players/cmd/pause"), "the engine paused it again")
            }
        }
    }

    @Test func pauseThatTheServerEndsStaysAPause() async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await engine.play()
            await engine.pause()
            await log.wait(for: .paused)
            // A server stops a paused player after some time.
            try await server.perform("players/cmd/stop", ["player_id": "kitchen"])
            try await server.perform("players/cmd/play", ["player_id": "kitchen"])
            #expect(await log.first(of: .idle, .playing) == .playing)
        }
    }

    @Test func resumedPlaybackIsNotReportedAsPausedAgain() async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await engine.play()
            await engine.pause()
            await log.wait(for: .paused)
            // A real server replies before the player plays.
            try await server.setFaults([ReplyFault(.result(.null), on: "player_queues/resume")])
            try await engine.play()
            #expect(await engine.isPlaying)
            try await server.perform("players/cmd/volume_set", ["player_id": "kitchen", "volume_level": 7])
            #expect(await log.first(of: .paused, .playing) == .playing)
            try await server.perform("players/cmd/play", ["player_id": "kitchen"])
            try await server.perform("players/cmd/pause", ["player_id": "kitchen"])
            await log.wait(for: .paused)
        }
    }

    @Test func presentQueueOfThePlayerIsUsed() async throws {
        try await withEngine { engine, server, log in
            // In a group, the leader's queue plays.
            try await server.perform(
                "players/cmd/set_members", ["target_player": "study", "player_ids_to_add": ["kitchen"]])
            try await engine.loadContent(item("library://track/3"))
            try await server.perform("players/cmd/ungroup", ["player_id": "kitchen"])
            try await engine.loadContent(item("library://track/4"))
            try await engine.play()
            await log.wait(for: .playing)
            #expect(try await state(server) == "playing")
            await engine.stop()
            #expect(try await state(server) == "idle")
        }
    }

    @Test func endBeforeTheReplyIsReported() async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await server.setFaults([ReplyFault(.hold, on: "player_queues/play_media")])
            async let played: Void = engine.play()
            try await server.waitForCommand("player_queues/play_media")
            try await server.perform("player_queues/seek", ["queue_id": "kitchen", "position": 239])
            while try await state(server) != "idle" { try Task.checkCancellation() }
            try await server.release()
            try await played
            await log.wait(for: .finished)
        }
    }

    @Test func idleStateBeforePlaybackIsNotTheEnd() async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await server.setFaults([ReplyFault(.result(.null), on: "player_queues/play_media")])
            try await engine.play()
            // A real server sends the queue once more before it plays.
            let idle = try await server.perform("player_queues/get", ["queue_id": "kitchen"])
            #expect(idle["state"] == "idle")
            try await server.send([ServerEvent("queue_updated", objectID: "kitchen", data: idle)])
            try await server.perform(
                "player_queues/play_media",
                ["queue_id": "kitchen", "media": "library://track/3", "option": "replace"])
            try await server.perform("players/cmd/pause", ["player_id": "kitchen"])
            await log.wait(for: .paused)
        }
    }

    @Test func volumeAndQueueCommandsReachThePlayer() async throws {
        try await withEngine { engine, server, log in
            let remote = try #require(engine as? any RemotePlayerEngine)
            #expect(await remote.volume == nil)
            #expect(await kindOfFailure { try await remote.setVolume(0.5) } == "invalidState")
            #expect(await kindOfFailure { try await remote.next() } == "invalidState")
            try await engine.loadContent(item("library://track/3"))
            try await engine.play()
            await log.wait(for: .playing)
            try await remote.setVolume(0.254)
            #expect(try await server.perform("players/get", ["player_id": "kitchen"])["volume_level"]?.int == 25)
            for wrong in [-0.1, 1.1, .nan] {
                #expect(await kindOfFailure { try await remote.setVolume(wrong) } == "invalidArgument")
            }
            try await server.perform(
                "player_queues/play_media",
                ["queue_id": "kitchen", "media": "library://track/4", "option": "add"])
            try await remote.next()
            #expect(try await currentIndex(server) == 1)
            try await remote.previous()
            #expect(try await currentIndex(server) == 0)
            #expect(await engine.isPlaying)
        }
    }

    func currentIndex(_ server: MusicAssistantTestServer) async throws -> Int? {
        try await server.perform("player_queues/get", ["queue_id": "kitchen"])["current_index"]?.int
    }

    @Test func engineReconnectsAfterServerRestart() async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await engine.play()
            // Only the newest state is kept, so the server stays away until the loss was reported.
            try await server.goAway()
            await log.wait(for: .buffering)
            try await server.comeBack()
            await log.wait(for: .playing)
            await engine.pause()
            await log.wait(for: .paused)
            #expect(try await state(server) == "paused")
        }
    }

    @Test func unsupportedCommandsAreRefused() async throws {
        try await withEngine { engine, _, _ in
            #expect(await kindOfFailure { try await engine.loadContent(item("library://track/99999")) } == "notFound")
            #expect(
                await kindOfFailure { try await engine.loadContent(.url(URL(fileURLWithPath: "/tmp/a.flac"))) }
                    == "unsupported")
            #expect(await kindOfFailure { try await engine.loadContent(.text("a", language: nil)) } == "unsupported")
            try await engine.loadContent(item("library://track/3"))
            #expect(await kindOfFailure { try await engine.setRate(1.5) } == "unsupported")
            try await engine.setRate(1)
            #expect(engine.capabilities == [.playsURLs, .seeks, .remote])
        }
    }

    @Test func errorWithoutAChosenPlayerNamesWhatHostsCanDo() async throws {
        let server = try await startServer()
        setenv("DESCANT_MA_PLAYER", "", 1)
        let engine = try Bundles.registry().makeEngine("music-assistant")
        let error = await #expect(throws: CoreError.self) { try await engine.loadContent(item("library://track/3")) }
        try await server.stop()
        let message = error?.message ?? ""
        #expect(message.contains("DESCANT_MA_PLAYER") && message.contains("Kitchen, Porch, Study"), "\(message)")
    }

    /// The kind of the error that an operation of an engine throws; `nil` when it throws none.
    func kindOfFailure(_ operation: () async throws -> Void) async -> String? {
        do {
            try await operation()
            return nil
        } catch {
            return (error as? CoreError)?.code
        }
    }

    func state(_ server: MusicAssistantTestServer) async throws -> String? {
        try await server.perform("player_queues/get", ["queue_id": "kitchen"])["state"]?.string
    }
}
