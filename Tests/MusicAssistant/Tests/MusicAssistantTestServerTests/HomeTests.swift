import MusicAssistantTestServer
import Testing

extension ServerSuite {
    @Suite struct HomeTests {
        @Test func playbackEventsAreSentBeforeTheReply() async throws {
            try await withServer { server in
                let client = try await RawClient.authenticated(server)
                let watcher = try await RawClient.authenticated(server)
                let reply = try await client.call(
                    "player_queues/play_media", ["queue_id": "kitchen", "media": ["library://album/2"]])
                #expect(reply["result"] == .null && reply["error_code"] == nil)
                let kinds = client.events.compactMap { $0["event"]?.string }
                #expect(kinds.contains("queue_items_updated") && kinds.contains("player_updated"))
                #expect(client.events.last { $0["event"] == "queue_updated" }?["data"]?["state"] == "playing")
                #expect(try await watcher.event("player_updated")["data"]?["playback_state"] == "playing")
                let queue = try await client.call("player_queues/get", ["queue_id": "kitchen"])["result"]
                #expect(queue?["items"] == 3 && queue?["current_item"]?["media_item"]?["name"] == "Pier")
                _ = try await client.call("players/cmd/next", ["player_id": "kitchen"])
                let next = try await client.call("player_queues/get", ["queue_id": "kitchen"])["result"]
                #expect(next?["current_index"] == 1 && next?["current_item"]?["name"] == "The Lanterns - Signal Lamp")
            }
        }

        @Test func positionsFollowTheClockAndTracksEnd() async throws {
            var scenario = Scenario()
            let clock = SharedClock()
            scenario.clock = { clock.now }
            try await withServer(scenario) { server in
                let client = try await RawClient.authenticated(server)
                _ = try await client.call(
                    "player_queues/play_media",
                    ["queue_id": "kitchen", "media": ["library://track/10", "library://track/9"]])
                clock.advance(by: 0.25)
                _ = try await client.call("players/cmd/pause", ["player_id": "kitchen"])
                let paused = try await client.call("player_queues/get", ["queue_id": "kitchen"])["result"]
                #expect(paused?["state"] == "paused" && paused?["elapsed_time"] == 0.25)
                _ = try await client.call("players/cmd/play", ["player_id": "kitchen"])
                client.events = []
                clock.advance(by: 0.75)
                // The track lasts one second; its end is reported without a command.
                #expect(try await client.event("media_item_played")["data"]?["fully_played"] == true)
                #expect(try await client.event("queue_updated")["data"]?["current_index"] == 1)
            }
        }

        @Test func playerWithoutPauseBecomesIdleAndResumes() async throws {
            try await withServer { server in
                let client = try await RawClient.authenticated(server)
                _ = try await client.call(
                    "player_queues/play_media", ["queue_id": "porch", "media": "library://track/1"])
                _ = try await client.call("players/cmd/pause", ["player_id": "porch"])
                #expect(try await client.call("player_queues/get", ["queue_id": "porch"])["result"]?["state"] == "idle")
                _ = try await client.call("players/cmd/play", ["player_id": "porch"])
                #expect(
                    try await client.call("player_queues/get", ["queue_id": "porch"])["result"]?["state"] == "playing")
            }
        }

        @Test func errorsHaveTheServersCodes() async throws {
            let cases: [(String, JSON, Int)] = [
                ("server/info", [:], 12), ("music/search", ["search": "a"], 999),
                ("music/item_by_uri", ["uri": "library://track/99999"], 2),
                ("music/item_by_uri", ["uri": "nonsense"], 14), ("music/item_by_uri", ["uri": "spotify://track/1"], 1),
                ("player_queues/play_media", ["queue_id": "nope", "media": "library://track/1"], 10),
                ("player_queues/play_media", ["queue_id": "study", "uri": "library://track/1"], 999),
                ("player_queues/resume", ["queue_id": "study"], 8),
                ("player_queues/seek", ["queue_id": "study", "position": 10], 12),
                ("players/cmd/volume_set", ["player_id": "study", "volume_level": "loud"], 999),
                ("players/cmd/volume_set", ["player_id": "study", "volume_level": 250], 11),
                ("players/cmd/seek", ["player_id": "study", "position": 5], 11),
                ("players/get", ["player_id": "nope", "raise_unavailable": true], 10),
            ]
            try await withServer { server in
                let client = try await RawClient.authenticated(server)
                for (command, arguments, code) in cases {
                    #expect(try await client.call(command, arguments)["error_code"]?.int == code, "\(command)")
                }
                // As on a real server, commands to an unknown player have no effect.
                #expect(try await client.call("players/cmd/play", ["player_id": "nope"])["error_code"] == nil)
                _ = try await client.call("players/cmd/volume_set", ["player_id": "study", "volume_level": "30"])
                #expect(
                    try await client.call("players/get", ["player_id": "study"])["result"]?["volume_level"] == 30)
            }
        }

        @Test func longListsAreSentInParts() async throws {
            try await withServer { server in
                let client = try await RawClient.authenticated(server)
                let id = try await client.send(
                    "music/playlists/playlist_tracks", ["item_id": "1", "provider_instance_id_or_domain": "library"])
                var sizes: [Int] = []
                while true {
                    let part = try await client.reply(to: id)
                    sizes.append(part["result"]?.array?.count ?? -1)
                    if part["partial"] == false { break }
                }
                #expect(sizes == [500, 500, 100])
            }
        }

        @Test func groupsShareTheLeadersQueue() async throws {
            try await withServer { server in
                let client = try await RawClient.authenticated(server)
                _ = try await client.call(
                    "players/cmd/set_members", ["target_player": "kitchen", "player_ids_to_add": ["study"]])
                let active = try await client.call("player_queues/get_active_queue", ["player_id": "study"])["result"]
                #expect(active?["queue_id"] == "kitchen")
                #expect(
                    try await client.call("players/get", ["player_id": "kitchen"])["result"]?["group_members"]
                        == ["kitchen", "study"])
                _ = try await client.call("players/cmd/ungroup", ["player_id": "study"])
                #expect(
                    try await client.call("players/get", ["player_id": "study"])["result"]?["synced_to"] == .null)
            }
        }

        @Test func changesByOthersAreSentAsEvents() async throws {
            try await withServer { server in
                let client = try await RawClient.authenticated(server)
                try await server.perform("players/cmd/volume_set", ["player_id": "kitchen", "volume_level": 7])
                #expect(try await client.event("player_updated")["data"]?["volume_level"] == 7)
                try await server.changeHome { try $0.change(player: "study") { $0.isAvailable = false } }
                #expect(try await client.event("player_updated")["data"]?["available"] == false)
                try await server.send([ServerEvent("weather_changed", data: ["rain": [1, 2.5]])])
                #expect(try await client.event("weather_changed")["data"]?["rain"] == [1, 2.5])
                await #expect(throws: ServerError(12, "Invalid command: a/b")) { try await server.perform("a/b") }
            }
        }
    }
}
