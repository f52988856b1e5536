import Descant
import Foundation
import MusicAssistantTestServer
import Testing

/// Stops and pauses that the server gets late, or after a failure.
extension EngineTests {
    @Test func stopAfterAFailureStopsThePlayer() async throws {
        try await withEngine(wait: "1") { engine, server, log in
            try await failWhilePlaying(engine, server, log)
            try await returnWithLists(server, engine)
            await engine.stop()
            #expect(try await state(server) == "idle")
        }
    }

    @Test func loadingAfterAFailureStopsThePlayer() async throws {
        try await withEngine(wait: "1") { engine, server, log in
            try await failWhilePlaying(engine, server, log)
            try await returnWithLists(server, engine)
            try await engine.loadContent(item("library://track/4"))
            #expect(try await state(server) == "idle")
            #expect(await engine.engineState == .ready)
        }
    }

    @Test func contentOfOthersIsNotStoppedAfterAFailure() async throws {
        try await withEngine(wait: "1") { engine, server, log in
            try await failWhilePlaying(engine, server, log)
            try await playContentOfOthers(server)
            try await returnWithLists(server, engine)
            try await server.forgetCommands()
            await engine.stop()
            #expect(try await state(server) == "playing")
            let names = try await server.commands.map(\.name)
            #expect(!names.contains("players/cmd/stop"))
        }
    }

    /// A server may run a command whose reply is lost.
    @Test func stopAfterAStartWithoutAReplyStopsThePlayer() async throws {
        try await withEngine { engine, server, _ in
            try await engine.loadContent(item("library://track/3"))
            try await server.setFaults([ReplyFault(.close(code: 1001), on: "player_queues/play_media", times: 2)])
            #expect(await kindOfFailure { try await engine.play() } == "ioError")
            try await server.perform(
                "player_queues/play_media",
                ["queue_id": "kitchen", "media": "library://track/3", "option": "replace"])
            try await waitForLists(engine)
            await engine.stop()
            #expect(try await state(server) == "idle")
        }
    }

    /// Otherwise a program that quits hours later would stop the music of another one.
    @Test func aStartWithoutAReplyLapses() async throws {
        try await withEngine(wait: "0") { engine, server, _ in
            try await engine.loadContent(item("library://track/3"))
            try await server.setFaults([ReplyFault(.close(code: 1001), on: "player_queues/play_media", times: 2)])
            #expect(await kindOfFailure { try await engine.play() } == "ioError")
            try await playContentOfOthers(server)
            try await waitForLists(engine)
            await engine.stop()
            #expect(try await state(server) == "playing")
        }
    }

    /// The server takes the command, and nothing is heard: the stream is broken, or the loudspeaker sleeps.
    @Test func contentThatDoesNotBeginIsAnError() async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await server.setFaults([ReplyFault(.result(.null), on: "player_queues/play_media")])
            try await engine.play()
            let failure = try #require(await log.failure())
            #expect(failure.message.contains("Kitchen has not begun"))
        }
    }

    /// The connection ends with the stop, and once more with the stop after the reconnect.
    @Test func stopThatIsLostTwiceIsSentLater() async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await engine.play()
            await log.wait(for: .playing)
            try await server.setFaults([ReplyFault(.close(code: 1001), on: "players/cmd/stop", times: 2)])
            await engine.stop()
            try await server.waitForCommand("players/cmd/stop", times: 3)
            #expect(try await state(server) == "idle")
            #expect(await engine.engineState == .idle)
        }
    }

    @Test func contentOfOthersIsNotPausedLater() async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await engine.play()
            await log.wait(for: .playing)
            try await server.goAway()
            await log.wait(for: .buffering)
            await engine.pause()
            await log.wait(for: .paused)
            try await playContentOfOthers(server)
            try await server.comeBack()
            // It counts as resumed by the other client.
            await log.wait(for: .playing)
            #expect(try await state(server) == "playing")
            let names = try await server.commands.map(\.name)
            #expect(!names.contains("players/cmd/pause"))
        }
    }

    @Test func pauseWorksInACancelledTask() async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await engine.play()
            await log.wait(for: .playing)
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                await engine.pause()
            }
            await task.value
            #expect(await engine.isPaused)
            try await server.waitForCommand("players/cmd/pause")
            #expect(try await state(server) == "paused")
        }
    }

    /// Plays until the server is away for longer than the time limit. The player plays on.
    private func failWhilePlaying(
        _ engine: any MediaEngine, _ server: MusicAssistantTestServer, _ log: StateLog
    ) async throws {
        try await engine.loadContent(item("library://track/3"))
        try await engine.play()
        await log.wait(for: .playing)
        try await server.goAway()
        _ = try #require(await log.failure())
    }

    /// Plays other content than the engine's.
    func playContentOfOthers(_ server: MusicAssistantTestServer) async throws {
        try await server.perform(
            "player_queues/play_media", ["queue_id": "kitchen", "media": "library://track/4", "option": "replace"])
    }

    /// Lets the server come back, and waits until the engine knows its players and queues.
    private func returnWithLists(_ server: MusicAssistantTestServer, _ engine: any MediaEngine) async throws {
        try await server.comeBack()
        try await waitForLists(engine)
    }

    /// Waits until the engine knows the players and queues of a new connection; they come before the reply to a command.
    func waitForLists(_ engine: any MediaEngine) async throws {
        let remote = try #require(engine as? any RemotePlayerEngine)
        try await remote.setVolume(0.5)
    }
}
