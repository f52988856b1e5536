import Descant
import Foundation
import MusicAssistantTestServer
import Testing

/// Lost players and servers.
extension EngineTests {
    @Test func playbackResumesAtItsPositionAfterServerRestart() async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await engine.play()
            try await engine.seek(to: .time(100))
            try await server.goAway(saying: nil)
            await log.wait(for: .buffering)
            #expect(await engine.currentTime >= 100)
            // A restarted server does not play.
            try await server.perform("players/cmd/stop", ["player_id": "kitchen"])
            try await server.comeBack()
            await log.wait(for: .playing)
            #expect(try await state(server) == "playing")
            let queue = try await server.perform("player_queues/get", ["queue_id": "kitchen"])
            #expect((100..<200).contains(queue["elapsed_time"]?.double ?? 0))
            #expect(await engine.isPlaying)
        }
    }

    @Test func lostQueueIsFilledAgainAfterServerRestart() async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("library://album/2"))
            try await engine.play()
            try await engine.seek(to: .time(60))
            try await server.goAway(saying: nil)
            await log.wait(for: .buffering)
            try await server.perform("player_queues/clear", ["queue_id": "kitchen"])
            try await server.comeBack()
            await log.wait(for: .playing)
            let queue = try await server.perform("player_queues/get", ["queue_id": "kitchen"])
            #expect(queue["items"] == 3 && queue["elapsed_time"]?.double ?? 0 >= 60)
        }
    }

    /// The second item of an album goes on, together with what another client has added, when the player is back.
    @Test func itemOfAnAlbumContinuesAfterALostPlayer() async throws {
        try await withEngine { engine, server, log in
            try await playSecondItem(of: "library://album/2", on: engine, server)
            try await server.changeHome { try $0.change(player: "kitchen") { $0.isAvailable = false } }
            _ = try #require(await log.failure())
            #expect(await kindOfFailure { try await engine.play() } == "ioError")
            try await server.changeHome { try $0.change(player: "kitchen") { $0.isAvailable = true } }
            try await engine.play()
            try await expectSecondItem(server, items: 4)
        }
    }

    /// A removed player takes its queue with it.
    @Test func itemOfAnAlbumContinuesAfterARemovedPlayer() async throws {
        try await withEngine { engine, server, log in
            try await playSecondItem(of: "library://album/2", on: engine, server)
            try await server.changeHome { $0.remove(player: "kitchen") }
            _ = try #require(await log.failure())
            #expect(await engine.currentTime >= 120)
            try await server.changeHome { $0.add(SimulatedPlayer("kitchen", "Kitchen")) }
            try await engine.play()
            try await expectSecondItem(server, items: 3)
        }
    }

    @Test(arguments: [true, false]) func itemOfAnAlbumContinuesAfterTheTimeLimit(_ keepsQueue: Bool) async throws {
        try await withEngine(wait: "1") { engine, server, log in
            try await playSecondItem(of: "library://album/2", on: engine, server)
            try await server.goAway(saying: nil)
            _ = try #require(await log.failure())
            if !keepsQueue { try await server.perform("player_queues/clear", ["queue_id": "kitchen"]) }
            try await server.comeBack(idle: true)
            try await engine.play()
            try await expectSecondItem(server, items: keepsQueue ? 4 : 3)
        }
    }

    /// A restarted server may have stored an earlier item as the present one, or nothing.
    @Test(arguments: [true, false]) func itemOfAnAlbumContinuesAfterServerRestart(_ keepsQueue: Bool) async throws {
        try await withEngine { engine, server, log in
            try await playSecondItem(of: "library://album/2", on: engine, server)
            try await server.goAway(saying: nil)
            await log.wait(for: .buffering)
            if keepsQueue {
                try await server.perform("player_queues/previous", ["queue_id": "kitchen"])
            } else {
                try await server.perform("player_queues/clear", ["queue_id": "kitchen"])
            }
            try await server.comeBack(idle: true)
            await log.wait(for: .playing)
            try await expectSecondItem(server, items: keepsQueue ? 4 : 3)
        }
    }

    /// Plays the second item of an album from 120 s, after another client has added an item.
    private func playSecondItem(
        of album: String, on engine: any MediaEngine, _ server: MusicAssistantTestServer
    ) async throws {
        let remote = try #require(engine as? any RemotePlayerEngine)
        try await engine.loadContent(item(album))
        try await engine.play()
        try await server.perform(
            "player_queues/play_media", ["queue_id": "kitchen", "media": "library://track/1", "option": "add"])
        try await remote.next()
        try await engine.seek(to: .time(120))
    }

    /// The queue plays, at this position or behind it.
    private func expectPlaying(_ server: MusicAssistantTestServer, from seconds: Double) async throws {
        let queue = try await server.perform("player_queues/get", ["queue_id": "kitchen"])
        #expect(queue["state"] == "playing" && queue["elapsed_time"]?.double ?? 0 >= seconds)
    }

    /// Expects that the second item plays from 120 s.
    private func expectSecondItem(_ server: MusicAssistantTestServer, items: Int) async throws {
        let queue = try await server.perform("player_queues/get", ["queue_id": "kitchen"])
        #expect(queue["state"] == "playing" && queue["current_index"] == 1, "\(queue)")
        #expect((120..<180).contains(queue["elapsed_time"]?.double ?? 0), "\(queue)")
        #expect(queue["items"]?.int == items, "\(queue)")
    }

    @Test func seekDuringALostConnectionIsSentLater() async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await engine.play()
            await log.wait(for: .playing)
            try await server.goAway(saying: nil)
            await log.wait(for: .buffering)
            try await engine.seek(to: .time(150))
            #expect(await engine.currentTime == 150)
            // The player has played on.
            try await server.comeBack()
            try await server.waitForCommand("player_queues/seek")
            await log.wait(for: .playing)
            #expect(await engine.currentTime >= 150)
            try await expectPlaying(server, from: 150)
        }
    }

    @Test func seekAndPauseDuringALostConnectionSetTheNextStartPosition() async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await engine.play()
            await log.wait(for: .playing)
            try await server.goAway(saying: nil)
            await log.wait(for: .buffering)
            try await engine.seek(to: .time(150))
            await engine.pause()
            try await server.comeBack()
            try await server.waitForCommand("players/cmd/pause")
            #expect(await engine.currentTime == 150)
            try await engine.play()
            try await expectPlaying(server, from: 150)
        }
    }

    /// The connection ends with the command, which the server does not run; the command after the reconnect may be lost, too.
    @Test(arguments: [1, 2]) func pauseThatIsLostWithTheConnectionIsSentLater(losses: Int) async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await engine.play()
            await log.wait(for: .playing)
            try await server.setFaults([ReplyFault(.close(code: 1001), on: "players/cmd/pause", times: losses)])
            await engine.pause()
            try #require(await engine.isPaused)
            try await server.waitForCommand("players/cmd/pause", times: losses + 1)
            #expect(try await state(server) == "paused")
            #expect(await engine.isPaused)
        }
    }

    @Test func refusedPauseIsAFailure() async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await engine.play()
            await log.wait(for: .playing)
            let refusal = ServerError(11, "the speaker is busy")
            try await server.setFaults([ReplyFault(.error(refusal), on: "players/cmd/pause")])
            await engine.pause()
            #expect(try #require(await log.failure()).message.contains("the speaker is busy"))
        }
    }

    @Test func pausedContentResumesAtItsPositionAfterServerRestart() async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await engine.play()
            try await engine.seek(to: .time(100))
            await engine.pause()
            try await server.goAway(saying: nil)
            try await server.perform("player_queues/seek", ["queue_id": "kitchen", "position": 0])
            try await server.perform("players/cmd/stop", ["player_id": "kitchen"])
            try await server.comeBack()
            try await engine.play()
            try await expectPlaying(server, from: 100)
        }
    }

    @Test func lostServerIsAnErrorAfterTheTimeLimit() async throws {
        try await withEngine(wait: "1") { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await engine.play()
            try await engine.seek(to: .time(100))
            try await server.goAway()
            let message = try #require(await log.failure()).message
            #expect(message.contains("127.0.0.1") && message.contains("1 s"), "\(message)")
            try await server.comeBack()
            // Playback continues at the last heard position.
            try await engine.play()
            try await expectPlaying(server, from: 100)
        }
    }

    @Test func removedPlayerIsNamedInTheError() async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await engine.play()
            await log.wait(for: .playing)
            try await server.changeHome { try $0.change(player: "kitchen") { $0.isAvailable = false } }
            #expect(try #require(await log.failure()).message.contains("Kitchen"))
            #expect(await kindOfFailure { try await engine.play() } == "ioError")
            try await server.changeHome { try $0.change(player: "kitchen") { $0.isAvailable = true } }
            try await engine.play()
            await log.wait(for: .playing)
            try await server.changeHome { $0.remove(player: "kitchen") }
            #expect(try #require(await log.failure()).message.contains("Kitchen"))
        }
    }

    @Test func serverIsFollowedAgainAfterARefusedToken() async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await engine.play()
            await log.wait(for: .playing)
            try await server.setFaults([ReplyFault(.error(ServerError(23, "no")), on: "auth", times: 1)])
            try await server.closeConnections()
            _ = try #require(await log.failure())
            try await engine.play()
            await log.wait(for: .playing)
            try await server.perform("players/cmd/pause", ["player_id": "kitchen"])
            await log.wait(for: .paused)
        }
    }

    @Test func newTokenOfTheSettingsIsUsedAfterARefusal() async throws {
        try await withEngine { engine, server, log in
            var scenario = Scenario()
            scenario.tokens = ["test-token", "new-token"]
            try await server.setScenario(scenario)
            try await engine.loadContent(item("library://track/3"))
            try await engine.play()
            await log.wait(for: .playing)
            try await server.revoke("test-token")
            _ = try #require(await log.failure())
            #expect(await kindOfFailure { try await engine.play() } == "ioError")
            setenv("DESCANT_MA_TOKEN", "new-token", 1)
            try await engine.play()
            await log.wait(for: .playing)
            try await server.perform("players/cmd/pause", ["player_id": "kitchen"])
            await log.wait(for: .paused)
        }
    }

    @Test func stopDuringALostConnectionIsSentLater() async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await engine.play()
            await log.wait(for: .playing)
            try await server.goAway()
            await log.wait(for: .buffering)
            await engine.stop()
            try await server.comeBack()
            try await server.waitForCommand("players/cmd/stop")
            #expect(await engine.engineState == .idle)
        }
    }

    @Test func contentOfOthersIsNotStoppedLater() async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await engine.play()
            await log.wait(for: .playing)
            try await server.goAway()
            await log.wait(for: .buffering)
            await engine.stop()
            try await playContentOfOthers(server)
            try await server.comeBack()
            try await waitForLists(engine)
            try await server.waitForCommand("players/cmd/volume_set")
            #expect(try await state(server) == "playing")
        }
    }

    @Test func impossiblePositionOfAStreamIsClamped() async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("http://127.0.0.1:1/stream"))
            try await engine.play()
            await log.wait(for: .playing)
            var queue = try await server.perform("player_queues/get", ["queue_id": "kitchen"])
            queue["elapsed_time"] = 1e300
            queue["current_item"]?["duration"] = .null
            try await server.send([ServerEvent("queue_updated", objectID: "kitchen", data: queue)])
            try await server.perform("players/cmd/volume_set", ["player_id": "kitchen", "volume_level": 7])
            await log.wait(for: .playing)
            try await server.goAway()
            await log.wait(for: .buffering)
            try await server.comeBack(idle: true)
            try await server.waitForCommand("player_queues/play_index")
        }
    }

    @Test func revokedTokenEndsPlayback() async throws {
        try await withEngine(wait: "60") { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await engine.play()
            await log.wait(for: .playing)
            try await server.revoke("test-token")
            let message = try #require(await log.failure()).message
            #expect(message.contains("descant ma login"), "\(message)")
        }
    }

    @Test func stopWorksInACancelledTask() async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await engine.play()
            await log.wait(for: .playing)
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                await engine.stop()
            }
            await task.value
            #expect(try await state(server) == "idle")
        }
    }

    @Test func stopDuringStartPreventsPlayback() async throws {
        try await withEngine { engine, server, _ in
            try await engine.loadContent(item("library://track/3"))
            try await server.setFaults([ReplyFault(.hold, on: "player_queues/play_media")])
            let playing = Task { try await engine.play() }
            try await server.waitForCommand("player_queues/play_media")
            playing.cancel()
            async let stopped: Void = engine.stop()
            try await server.release()
            await stopped
            _ = await playing.result
            #expect(try await state(server) == "idle")
            #expect(await engine.engineState == .idle)
        }
    }

    /// A stop waits for the reply to the start that it ends, and must not end a start that comes after it.
    @Test func playAfterAStopDuringStartPlays() async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await server.setFaults([ReplyFault(.hold, on: "player_queues/play_media", times: 1)])
            let first = Task { try await engine.play() }
            try await server.waitForCommand("player_queues/play_media")
            let stopping = Task { await engine.stop() }
            await log.wait(for: .idle)
            let second = Task.immediate { try await engine.play() }
            // The answer comes behind the beginning of the second start.
            _ = await engine.engineState
            try await server.release()
            await #expect(throws: CancellationError.self) { try await first.value }
            await stopping.value
            try await second.value
            #expect(await engine.isPlaying)
            #expect(try await state(server) == "playing")
        }
    }

    @Test func stopOfASecondStartPreventsPlayback() async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await server.setFaults([ReplyFault(.hold, on: "player_queues/play_media", times: 1)])
            let first = Task { try await engine.play() }
            try await server.waitForCommand("player_queues/play_media")
            let stopping = Task { await engine.stop() }
            await log.wait(for: .idle)
            let second = Task.immediate { try await engine.play() }
            let again = Task.immediate { await engine.stop() }
            _ = await engine.engineState
            try await server.release()
            for task in [stopping, again] { await task.value }
            for task in [first, second] { _ = await task.result }
            #expect(try await state(server) == "idle")
            #expect(await engine.engineState == .idle)
            #expect(try await server.commands.filter { $0.name == "player_queues/play_media" }.count == 1)
        }
    }

    @Test func pauseDuringStartPauses() async throws {
        try await withEngine { engine, server, _ in
            try await engine.loadContent(item("library://track/3"))
            try await server.setFaults([ReplyFault(.hold, on: "player_queues/play_media")])
            let playing = Task { try await engine.play() }
            try await server.waitForCommand("player_queues/play_media")
            let pausing = Task.immediate { await engine.pause() }
            _ = await engine.engineState
            try await server.release()
            try await playing.value
            await pausing.value
            #expect(await engine.isPaused)
            #expect(try await state(server) == "paused")
        }
    }

    @Test func playAfterAPauseDuringStartPlays() async throws {
        try await withEngine { engine, server, _ in
            try await engine.loadContent(item("library://track/3"))
            try await server.setFaults([ReplyFault(.hold, on: "player_queues/play_media")])
            let first = Task { try await engine.play() }
            try await server.waitForCommand("player_queues/play_media")
            let pausing = Task.immediate { await engine.pause() }
            let second = Task.immediate { try await engine.play() }
            _ = await engine.engineState
            try await server.release()
            for task in [first, second] { try await task.value }
            await pausing.value
            #expect(await engine.isPlaying)
            #expect(try await state(server) == "playing")
        }
    }

    @Test func secondPlayDuringStartHasTheOutcomeOfTheFirst() async throws {
        try await withEngine { engine, server, _ in
            try await engine.loadContent(item("library://track/3"))
            // A start from a position sends several commands.
            try await engine.seek(to: .time(100))
            try await server.setFaults([
                ReplyFault(.hold, on: "player_queues/clear"),
                ReplyFault(.error(ServerError(999, "no")), on: "player_queues/play_index"),
            ])
            let first = Task { try await engine.play() }
            try await server.waitForCommand("player_queues/clear")
            let second = Task.immediate { try await engine.play() }
            _ = await engine.engineState
            try await server.release()
            for task in [first, second] { #expect(await kindOfFailure { try await task.value } == "ioError") }
            #expect(await engine.engineState == .ready)
        }
    }
}
