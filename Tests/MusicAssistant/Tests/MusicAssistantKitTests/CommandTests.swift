import ClientTestSupport
import Foundation
import MusicAssistantKit
import MusicAssistantTestServer
import Testing

@Suite(.timeLimit(.minutes(3)))
struct CommandTests {
    private func isTimeout(_ error: any Error) -> Bool {
        if case MusicAssistantError.commandTimeout = error { true } else { false }
    }

    @Test func repliesOutOfOrderReachTheirCallers() async throws {
        try await Fixture.connected(Scenario(replyFaults: [ReplyFault(.reverse(count: 5), on: "players/get")])) {
            _, client in
            try await withThrowingTaskGroup(of: (String, String?).self) { group in
                for id in ["kitchen", "study", "porch", "kitchen", "study"] {
                    group.addTask { (id, try await client.getPlayer(playerId: id)?.playerId) }
                }
                for try await (asked, got) in group { #expect(asked == got) }
            }
        }
    }

    @Test func thousandConcurrentCommandsSucceed() async throws {
        try await Fixture.connected(Scenario(replyFaults: [ReplyFault(.hold, on: "echo")])) { fixture, client in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<1000 {
                    group.addTask {
                        await #expect { try await client.send("echo", ["number": .int(number)]) } throws: { error in
                            (error as? MusicAssistantError)?.serverCode == .invalidCommand
                        }
                    }
                }
                try await fixture.server.waitForCommand("echo", times: 1000)
                try await fixture.server.release()
                try await group.waitForAll()
            }
            #expect(try await client.getPlayers().count == 3)
        }
    }

    @Test func partialResultsAreJoined() async throws {
        var scenario = Scenario()
        scenario.chunkSize = 2
        try await Fixture.connected(scenario) { _, client in
            let playlist = try #require(try await client.libraryItems(kind: .playlists).first)
            let tracks = try await client.playlistTracks(itemId: playlist.itemId)
            #expect(tracks.count > 2)
            var parts: [[JSONValue]] = []
            let args: [String: JSONValue] = [
                "item_id": .string(playlist.itemId), "provider_instance_id_or_domain": "library",
            ]
            // On a busy machine the reader may run only after all parts have arrived.
            let stream = try client.stream("music/playlists/playlist_tracks", args, buffer: tracks.count)
            for try await part in stream { parts.append(part) }
            #expect(parts.count == (tracks.count + 1) / 2)
            #expect(parts.flatMap { $0 } == tracks.map(\.json))
        }
    }

    @Test func tooManyUnreadPartsEndTheStream() async throws {
        let part = #"{"message_id":"2","result":[1],"partial":true}"#
        let scenario = Scenario(replyFaults: [ReplyFault(.texts(Array(repeating: part, count: 20)), on: "parts")])
        try await Fixture.connected(scenario) { _, client in
            let parts = try client.stream("parts", buffer: 4)
            _ = try await client.info()
            await #expect { for try await _ in parts {} } throws: { error in
                if case MusicAssistantError.resultsOverflowed(command: "parts") = error { true } else { false }
            }
        }
    }

    @Test func droppedStreamRemovesItsCommand() async throws {
        let scenario = Scenario(replyFaults: [ReplyFault(.hold, on: "players/all")])
        try await Fixture.connected(scenario) { fixture, client in
            do {
                let parts = try client.stream("players/all")
                try await fixture.server.waitForCommand("players/all")
                _ = parts
            }
            try await fixture.server.release()
            #expect(try await client.info().schemaVersion == 29)
        }
    }

    @Test func commandWithoutReplyTimesOut() async throws {
        let clock = ManualClock()
        let scenario = Scenario(replyFaults: [ReplyFault(.hold, on: "players/all")])
        try await Fixture.connected(scenario, clock: clock, change: { $0.pingInterval = nil }) { fixture, client in
            let slow = Task { try await client.getPlayers() }
            try await fixture.server.waitForCommand("players/all")
            let quick = Task { try await client.send("players/all", timeout: .seconds(5)) }
            try await fixture.server.waitForCommand("players/all", times: 2)
            await clock.waitForSleeper(of: .seconds(5))
            clock.advance(by: .seconds(5))
            await #expect { try await quick.value } throws: { error in
                isTimeout(error) && "\(error)".contains("players/all") && "\(error)".contains("5.0 seconds")
            }
            await clock.waitForSleeper(of: .seconds(25))
            clock.advance(by: .seconds(25))
            await #expect { try await slow.value } throws: { isTimeout($0) }
            // The late replies are ignored, and other commands work.
            try await fixture.server.release()
            #expect(try await client.info().schemaVersion == 29)
        }
    }

    @Test func cancelledCallersAreReleased() async throws {
        try await Fixture.connected(Scenario(replyFaults: [ReplyFault(.hold, on: "players/all")])) { fixture, client in
            let tasks = (0..<100).map { _ in Task { try await client.getPlayers() } }
            try await fixture.server.waitForCommand("players/all", times: 100)
            for task in tasks { task.cancel() }
            for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
            try await fixture.server.release()
            #expect(try await client.info().schemaVersion == 29)
        }
    }

    @Test func malformedRepliesDoNotEndTheConnection() async throws {
        let scenario = Scenario(replyFaults: [
            ReplyFault(.duplicate(times: 3), on: "players/all"), ReplyFault(.binary([1, 2, 3]), on: "players/get"),
            ReplyFault(.fragment(bytes: 100), on: "player_queues/all"), ReplyFault(.pad(bytes: 3 << 20), on: "auth/me"),
            ReplyFault(.texts([#"{"message_id":"6"}"#]), on: "broken"),
            ReplyFault(
                .texts(["{", "[]", "\u{FEFF}", #"{"message_id":"99999","result":1}"#, #"{"event":5}"#]), on: "garbage"),
        ])
        try await Fixture.connected(scenario) { _, client in
            let players = try await client.getPlayers()
            #expect(players.count == 3)
            #expect(try await client.getPlayer(playerId: "kitchen")?.name == "Kitchen")
            #expect(try await client.getQueues().count == 3)
            #expect(try await client.me().username == "admin")
            await #expect { try await client.send("broken") } throws: { error in
                if case MusicAssistantError.invalidResponse = error { true } else { false }
            }
            await #expect { try await client.send("garbage", timeout: .milliseconds(50)) } throws: { isTimeout($0) }
            #expect(try await client.info().schemaVersion == 29)
        }
    }

    @Test func messageOfFiveMegabytesIsReceived() async throws {
        let text = String(repeating: "ä", count: 5 << 19)
        let scenario = Scenario(replyFaults: [ReplyFault(.result(.string(text)), on: "big")])
        try await Fixture.connected(scenario) { _, client in
            let big = try await client.send("big")
            #expect(big.stringValue == text)
            // A message of this length to the server exceeds the server's limit, and it closes the connection.
            await #expect { try await client.send("bigger", ["text": .string(text)]) } throws: { error in
                guard case MusicAssistantError.connectionLost(let reason) = error else { return false }
                return reason.contains("1009")
            }
        }
    }

    @Test func argumentsKeepTheirTypes() async throws {
        try await Fixture.connected { fixture, client in
            _ = try? await client.sendCommand(
                command: "types", args: ["i": 2, "d": 2.5, "b": true, "n": .null, "l": ["a", 1], "o": ["x": [false]]])
            let seen = try await fixture.server.commands.last
            #expect(seen?.name == "types")
            #expect(seen?.arguments == ["i": 2, "d": 2.5, "b": true, "n": nil, "l": ["a", 1], "o": ["x": [false]]])
        }
    }

    @Test func commandWithoutResultReturnsNil() async throws {
        try await Fixture.connected { _, client in
            let nothing = try await client.sendCommand(command: "players/cmd/play", args: ["player_id": "kitchen"])
            #expect(nothing == nil)
            #expect(try await client.sendCommand(command: "info")?["schema_version"] == 29)
            #expect(try await client.getPlayer(playerId: "nobody") == nil)
        }
    }

    @Test func serverErrorsHaveCodeAndMessage() async throws {
        let scenario = Scenario(replyFaults: [
            ReplyFault(.error(ServerError(4711, "new trouble")), on: "trouble"),
            ReplyFault(.error(ServerError(0, nil)), on: "mute"),
        ])
        try await Fixture.connected(scenario) { _, client in
            do {
                try await client.send("trouble")
                Issue.record("no error")
            } catch MusicAssistantError.serverError(let code, let message, _) {
                #expect(code == 4711)
                #expect(message == "new trouble")
            }
            await #expect { try await client.send("mute") } throws: { error in
                (error as? MusicAssistantError)?.serverCode == .generic
            }
            await #expect { try await client.item(uri: "library://track/99999") } throws: { error in
                (error as? MusicAssistantError)?.serverCode == .mediaNotFound
            }
        }
    }

    /// When a server stops reading, memory grows only by the waiting commands, and is freed when they end.
    @Test func memoryIsBoundedWhenServerStopsReading() async throws {
        let clock = ManualClock()
        let scenario = Scenario(connectionFaults: [ConnectionFault(.stopReading(afterBytes: 2000))])
        try await Fixture.connected(scenario, clock: clock, change: { $0.pingInterval = nil }) { fixture, client in
            let text = JSONValue.string(String(repeating: "x", count: 1 << 20))
            let tasks = (0..<30).map { _ in Task { try await client.send("big", ["text": text]) } }
            await clock.waitForSleeper(of: .seconds(30))
            for task in tasks[..<15] { task.cancel() }
            for task in tasks[..<15] { await #expect(throws: CancellationError.self) { try await task.value } }
            let mover = Task {
                while !Task.isCancelled {
                    clock.advance(by: .seconds(31))
                    await Task.yield()
                }
            }
            for task in tasks[15...] { await #expect { try await task.value } throws: { isTimeout($0) } }
            mover.cancel()
        }
    }
}
