import Descant
import Foundation
import MusicAssistantTestServer
import Testing

/// Start positions, and the end of content.
///
/// The server plays in real time, so what plays may be many seconds further when a busy machine asks.
extension EngineTests {
    @Test func playAfterTheEndStartsAtTheBeginning() async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await engine.seek(to: .time(120))
            try await engine.play()
            try await end(server, log)
            try await engine.play()
            await log.wait(for: .playing)
            #expect(try await position(server) < 100)
            #expect(await engine.currentTime < 100)
        }
    }

    @Test func seekBeforePlaySetsTheStartPosition() async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await engine.seek(to: .time(100))
            #expect(await engine.currentTime == 100)
            try await server.forgetCommands()
            try await engine.play()
            #expect(try await (100..<200).contains(position(server)))
            // Playback never starts at the beginning, not even shortly.
            let names = try await server.commands.map(\.name)
            #expect(names.contains("player_queues/play_index") && !names.contains("player_queues/seek"))
        }
    }

    @Test func seekDuringStartMovesThePlayer() async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await server.setFaults([ReplyFault(.hold, on: "player_queues/play_media")])
            let playing = Task { try await engine.play() }
            try await server.waitForCommand("player_queues/play_media")
            try await engine.seek(to: .time(100))
            try await server.release()
            try await playing.value
            #expect(try await (100..<200).contains(position(server)))
            #expect((100..<200).contains(await engine.currentTime))
        }
    }

    @Test func seekAfterTheEndSetsTheNextStartPosition() async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await engine.play()
            try await end(server, log)
            try await engine.seek(to: .time(50))
            #expect(try await state(server) == "idle")
            #expect(await engine.currentTime == 50)
            try await engine.play()
            #expect(try await (50..<150).contains(position(server)))
        }
    }

    @Test func seekWhilePausedStaysPaused() async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await engine.play()
            await engine.pause()
            await log.wait(for: .paused)
            try await engine.seek(to: .time(80))
            #expect(try await state(server) == "paused")
            #expect(await engine.isPaused)
            #expect(await engine.currentTime == 80)
            try await engine.play()
            #expect(try await (80..<180).contains(position(server)))
        }
    }

    @Test func endIsDetectedAlthoughTheServerResetsThePosition() async throws {
        try await withEngine { engine, server, log in
            // The clock stands still, so that the server does not report the end itself a second later.
            var scenario = Scenario()
            let now = Date().timeIntervalSince1970
            scenario.clock = { now }
            try await server.setScenario(scenario)
            try await engine.loadContent(item("library://track/3"))
            try await engine.play()
            await log.wait(for: .playing)
            try await engine.seek(to: .time(238.6))
            var idle = try await server.perform("player_queues/get", ["queue_id": "kitchen"])
            // As on a real server: the position is 0 while the player plays the rest, then the queue is idle.
            try await server.send([ServerEvent("queue_time_updated", objectID: "kitchen", data: 0)])
            try await server.perform("players/cmd/volume_set", ["player_id": "kitchen", "volume_level": 7])
            await log.wait(for: .playing)
            #expect(await engine.currentTime == 240)
            idle["state"] = "idle"
            idle["elapsed_time"] = 0
            try await server.send([ServerEvent("queue_updated", objectID: "kitchen", data: idle)])
            #expect(await log.first(of: .finished, .idle) == .finished)
        }
    }

    @Test func endOfNewerServersIsDetected() async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await engine.play()
            await log.wait(for: .playing)
            var idle = try await server.perform("player_queues/get", ["queue_id": "kitchen"])
            idle["state"] = "idle"
            idle["elapsed_time"] = 0
            idle["ended"] = true
            try await server.send([ServerEvent("queue_updated", objectID: "kitchen", data: idle)])
            #expect(await log.first(of: .finished, .idle) == .finished)
        }
    }

    @Test(arguments: [Int.min, -1, Int.max]) func impossibleIndexOfAQueueIsHarmless(index: Int) async throws {
        try await withEngine { engine, server, log in
            try await engine.loadContent(item("library://track/3"))
            try await engine.play()
            await log.wait(for: .playing)
            var queue = try await server.perform("player_queues/get", ["queue_id": "kitchen"])
            (queue["current_index"], queue["elapsed_time"]) = (.int(index), 0)
            try await server.send([ServerEvent("queue_updated", objectID: "kitchen", data: queue)])
            try await server.perform("players/cmd/volume_set", ["player_id": "kitchen", "volume_level": 7])
            await log.wait(for: .playing)
            try await server.goAway()
            await log.wait(for: .buffering)
            // The item that played last is looked for among several of the same media.
            for option in ["replace", "add"] {
                try await server.perform(
                    "player_queues/play_media",
                    ["queue_id": "kitchen", "media": "library://track/3", "option": .string(option)])
            }
            try await server.comeBack(idle: true)
            try await server.waitForCommand("player_queues/play_index")
        }
    }

    /// Advances the server to the end of the present item.
    private func end(_ server: MusicAssistantTestServer, _ log: StateLog) async throws {
        try await server.perform("player_queues/seek", ["queue_id": "kitchen", "position": 239])
        await log.wait(for: .finished)
    }

    /// The position of the player `kitchen` on the server.
    private func position(_ server: MusicAssistantTestServer) async throws -> Double {
        try await server.perform("player_queues/get", ["queue_id": "kitchen"])["elapsed_time"]?.double ?? -1
    }
}
