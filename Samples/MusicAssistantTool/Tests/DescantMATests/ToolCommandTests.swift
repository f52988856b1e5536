import Foundation
import MusicAssistantTestServer
import Testing

/// The output and the effects of the commands.
@Suite(.serialized, .timeLimit(.minutes(3))) struct ToolCommandTests {
    // MARK: Players

    @Test func muteAndPowerPrintThePlayersState() async throws {
        try await Desk.with { desk in
            #expect(try await desk.run("play", "library://track/3", "--on", "kitchen").status == 0)
            #expect(try await desk.run("mute", "on").output == "Kitchen: muted\n")
            #expect(try await desk.run("mute", "off", "--json").output.contains(#""muted":false"#))
            #expect(try await desk.run("power", "off").output == "Kitchen: off\n")
            try await desk.server.setFaults([
                ReplyFault(.result(.null), on: "players/cmd/power"),
                ReplyFault(.result(.null), on: "players/cmd/volume_mute"),
            ])
            let off = try await desk.run("power", "on")
            #expect(off.status == 1 && off.output.isEmpty && off.errors.contains("Kitchen is still off"))
            let loud = try await desk.run("mute", "on")
            #expect(loud.status == 1 && loud.errors.contains("Kitchen is not muted"))
        }
    }

    @Test func volumeIsPrintedAndSet() async throws {
        try await Desk.with { desk in
            #expect(try await desk.run("volume", "--on", "kitchen").output == "Kitchen: volume 100\n")
            #expect(try await desk.run("volume", "33", "--on", "kitchen").output == "Kitchen: volume 33\n")
            #expect(try await desk.run("volume", "up", "--on", "kitchen").output == "Kitchen: volume 36\n")
            let json = try await desk.run("volume", "--json", "--on", "kitchen")
            #expect(JSON(text: json.output)?["volume"] == 36)
        }
    }

    @Test func volumeIsChangedByAnAmount() async throws {
        try await Desk.with { desk in
            #expect(try await desk.run("play", "library://track/3", "--on", "kitchen").status == 0)
            let steps = [
                (["30"], 30), (["+10"], 40), (["--", "-15"], 25), (["--", "-70"], 0), (["down"], 0), (["+200"], 100),
                (["up"], 100), (["--group", "--", "-20"], 80),
            ]
            for (arguments, volume) in steps {
                let changed = try await Program.run(["volume", "--json"] + arguments, home: desk.home)
                #expect(JSON(text: changed.output)?["volume"]?.int == volume, "\(arguments): \(changed)")
            }
            for wrong in ["101", "+", "++5", "+-5", "1.5", "٣", "louder", ""] {
                #expect(try await desk.run("volume", wrong).status == 2, "\(wrong)")
            }
        }
    }

    @Test func volumeThatAPlayerDoesNotFollowIsAnError() async throws {
        try await Desk.with { desk in
            try await desk.server.setFaults(
                ["volume_set", "volume_up", "group_volume"].map { ReplyFault(.result(.null), on: "players/cmd/\($0)") })
            try await desk.server.changeHome { try $0.change(player: "kitchen") { $0.volume = 40 } }
            for arguments in [["30"], ["+5"], ["up"], ["--group", "30"]] {
                let kept = try await Program.run(["volume", "--on", "kitchen"] + arguments, home: desk.home)
                #expect(kept.status == 1 && kept.output.isEmpty, "\(arguments): \(kept)")
                #expect(kept.errors.contains("volume 40: it did not follow the command"), "\(arguments): \(kept)")
            }
            #expect(try await desk.run("volume", "40", "--on", "kitchen").output == "Kitchen: volume 40\n")
        }
    }

    @Test func userChoosesBetweenPlayersOfOneName() async throws {
        var scenario = Scenario()
        scenario.home = SimulatedHome(players: [
            SimulatedPlayer("one", "Kitchen"), SimulatedPlayer("two", "Kitchen"), SimulatedPlayer("study", "Study"),
        ])
        try await Desk.with(scenario) { desk in
            let nobody = try await desk.run("pause", "--on", "kitchen")
            #expect(nobody.status == 1 && nobody.errors.contains("one, two"), "\(nobody.errors)")
            #expect(try await desk.run("volume", "7", "--on", "two").output == "Kitchen: volume 7\n")
            let players = try await desk.run("players").output
            #expect(players.contains("Kitchen  (one)") && players.contains("Kitchen  (two)"))
            #expect(players.contains("Study  idle"))
            // At a terminal the user is asked.
            let program = Program.products.appendingPathComponent("descant-ma").path
            let asked = Program.process(
                ["/usr/bin/script", "-qfec", "\(program) volume 9 --on kitchen", "/dev/null"], desk.home, [:])
            let (input, output) = (Pipe(), Pipe())
            (asked.standardInput, asked.standardOutput) = (input, output)
            try asked.run()
            try input.fileHandleForWriting.write(contentsOf: Data("2\n".utf8))
            let text = String(decoding: await output.fileHandleForReading.allBytes(), as: UTF8.self)
            #expect(text.contains("2 players are called \"Kitchen\"") && text.contains("Kitchen: volume 9"), "\(text)")
            #expect(try await desk.server.home.players.map(\.volume) == [100, 9, 100])
        }
    }

    @Test func namesCannotControlTheTerminal() async throws {
        var scenario = Scenario()
        scenario.home = SimulatedHome(players: [SimulatedPlayer("kitchen", "Kü\u{1b}[2J\nche")])
        try await Desk.with(scenario) { desk in
            #expect(try await desk.run("players").output == "Kü [2J che  idle, volume 100\n")
            try await desk.server.changeHome { try $0.change(player: "kitchen") { $0.isAvailable = false } }
            let failed = try await desk.run("pause", "--on", "kitchen")
            #expect(failed.status == 1 && !failed.errors.contains("\u{1b}"), "\(failed.errors)")
        }
    }

    @Test func groupsAreShownByName() async throws {
        try await Desk.with { desk in
            let grouped = try await desk.run("group", "--on", "kitchen", "--add", "Study")
            #expect(grouped.output == "Kitchen: plays with Study\n")
            #expect(try await desk.run("players").output.contains("plays along with Kitchen"))
        }
    }

    @Test func missingRememberedPlayerIsNamedInTheError() async throws {
        try await Desk.with { desk in
            #expect(try await desk.run("play", "library://track/3", "--on", "kitchen").status == 0)
            try await desk.server.changeHome { $0.remove(player: "kitchen") }
            #expect(try await desk.run("pause").errors.contains("no player \"Kitchen\""))
        }
    }

    // MARK: The queue

    @Test func seekAcceptsClockTimesAndSteps() async throws {
        try await Desk.with { desk in
            #expect(try await desk.run("play", "library://track/3", "--on", "kitchen").status == 0)
            #expect(try await desk.run("seek", "1:30").output == "Kitchen: at 1:30\n")
            #expect(try await desk.run("seek", "--json", "+0:20").output.contains(#""seconds":20"#))
            #expect(try await desk.run("seek", "--", "-10").status == 0)
            let position = try await desk.server.perform("player_queues/get", ["queue_id": "kitchen"])["elapsed_time"]
            #expect((98..<140).contains(position?.double ?? 0))
            for wrong in ["1:60", "x", "1:2:3:4", "", "1.5"] {
                #expect(try await desk.run("seek", wrong).status == 2, "\(wrong)")
            }
        }
    }

    @Test func shuffleAndRepeatArePrintedAndSet() async throws {
        try await Desk.with { desk in
            #expect(try await desk.run("play", "library://album/2", "--on", "kitchen").status == 0)
            let order = try await desk.run("shuffle")
            #expect(order.output == "Kitchen: in order\n")
            #expect(try await desk.run("repeat", "all").output == "Kitchen: repeats all\n")
            #expect(try await desk.run("repeat", "--json").output.contains(#""repeat":"all""#))
            #expect(try await desk.run("queue").output.contains("repeats all\n"))
            #expect(try await desk.run("repeat", "off").output == "Kitchen: repeats nothing\n")
            #expect(try await desk.run("shuffle", "on").output == "Kitchen: shuffled\n")
        }
    }

    @Test func itemsAreMovedAndRemoved() async throws {
        try await Desk.with { desk in
            #expect(try await desk.run("play", "library://album/2", "--on", "kitchen").status == 0)
            let moved = try await desk.run("move", "3", "2")
            #expect(moved.output == "Kitchen: moved The Lanterns - Foghorn Signal to 2\n")
            var names = try await names(desk)
            #expect(names == ["Pier", "Foghorn Signal", "Signal Lamp"])
            #expect(try await desk.run("move", "2", "end").status == 0)
            names = try await self.names(desk)
            #expect(names == ["Pier", "Signal Lamp", "Foghorn Signal"])
            #expect(try await desk.run("move", "3", "next").status == 0)
            names = try await self.names(desk)
            #expect(names == ["Pier", "Foghorn Signal", "Signal Lamp"])
            #expect(try await desk.run("move", "2", "9").status == 66)
            for wrong in ["+1", "0", "٣", ""] {
                #expect(try await desk.run("move", "3", wrong).status == 2, "\(wrong)")
            }
            #expect(try await desk.run("remove", "2", "3", "2").status == 0)
            names = try await self.names(desk)
            #expect(names == ["Pier"])
            #expect(try await desk.run("remove", "9").status == 66)
        }
    }

    @Test func ignoredChangesOfTheQueueAreErrors() async throws {
        try await Desk.with { desk in
            #expect(try await desk.run("play", "library://album/2", "--on", "kitchen").status == 0)
            // A server keeps what it has buffered, and reports no error.
            try await desk.server.setFaults([
                ReplyFault(.result(.null), on: "player_queues/delete_item"),
                ReplyFault(.result(.null), on: "player_queues/move_item"),
            ])
            let kept = try await desk.run("remove", "2")
            #expect(kept.status == 1 && kept.output.isEmpty && kept.errors.contains("Signal Lamp"), "\(kept)")
            let moved = try await desk.run("move", "3", "2")
            #expect(moved.status == 1 && moved.errors.contains("Foghorn Signal"), "\(moved)")
        }
    }

    @Test func transferMovesTheQueue() async throws {
        try await Desk.with { desk in
            #expect(try await desk.run("play", "library://album/2", "--on", "kitchen").status == 0)
            let moved = try await desk.run("transfer", "study")
            #expect(moved.output == "Kitchen: goes on at Study\n")
            #expect(try await desk.run("queue").output.hasPrefix("Study: playing"))
            #expect(try await desk.run("clear").output == "Study: nothing in the queue\n")
            #expect(try await desk.run("queue").output == "Study: idle, nothing in the queue\n")
        }
    }

    /// The titles in the kitchen's queue, in order.
    private func names(_ desk: Desk) async throws -> [String] {
        let items = try await desk.server.perform("player_queues/items", ["queue_id": "kitchen"])
        return items.array?.compactMap { $0["media_item"]?["name"]?.string } ?? []
    }

    @Test func queuePrintsTheNumberOfHiddenItems() async throws {
        try await Desk.with { desk in
            #expect(try await desk.run("play", "library://playlist/1", "--on", "kitchen").status == 0)
            let queue = try await desk.run("queue")
            #expect(queue.output.split(separator: "\n").count == 51)
            #expect(queue.errors == "… and 1050 more: descant ma queue --limit 1100\n")
            var unbegun = try await desk.server.perform("player_queues/get", ["queue_id": "kitchen"])
            (unbegun["current_item"], unbegun["current_index"], unbegun["state"]) = (.null, .null, "idle")
            try await desk.server.setFaults([ReplyFault(.result(unbegun), on: "player_queues/get_active_queue")])
            let idle = try await desk.run("queue", "--limit", "3")
            #expect(idle.output.hasPrefix("Kitchen: idle, 1100 items in the queue\n"), "\(idle.output)")
        }
    }

    @Test func impossibleNumberOfItemsIsHarmless() async throws {
        try await Desk.with { desk in
            #expect(try await desk.run("play", "library://track/3", "--on", "kitchen").status == 0)
            for number in [Int.min, Int.max] {
                var queue = try await desk.server.perform("player_queues/get", ["queue_id": "kitchen"])
                (queue["items"], queue["current_index"]) = (.int(number), .int(number))
                try await desk.server.setFaults([ReplyFault(.result(queue), on: "player_queues/get_active_queue")])
                let listed = try await desk.run("queue")
                #expect(listed.status == 0 && listed.output.contains("1  The Lanterns - Pier"), "\(listed)")
            }
        }
    }

    @Test func closedPipeIsNotAnError() async throws {
        try await Desk.with { desk in
            let program = Program.products.appendingPathComponent("descant-ma").path
            let process = Program.process(
                [
                    "/bin/bash", "-c",
                    "\(program) playlists show Endless --limit 1100 --json | head -c 1; exit ${PIPESTATUS[0]}",
                ], desk.home, [:])
            let errors = Pipe()
            process.standardOutput = Pipe()
            process.standardError = errors
            try process.run()
            let text = String(decoding: await errors.fileHandleForReading.allBytes(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationStatus == 0 && text.isEmpty, "\(text)")
        }
    }

    // MARK: The library

    @Test func libraryIsListed() async throws {
        try await Desk.with { desk in
            #expect(
                try await desk.run("albums").output.contains("album  The Lanterns – Night Ferry  library://album/3"))
            #expect(try await desk.run("albums", "salt").output.split(separator: "\n").count == 1)
            #expect(try await desk.run("albums", "--of", "library://artist/2").output.split(separator: "\n").count == 2)
            let artists = try await desk.run("artists", "--limit", "2")
            #expect(artists.output.split(separator: "\n").count == 2)
            #expect(artists.errors == "… and more: --limit COUNT\n")
            let tracks = try await desk.run("tracks", "--of", "library://album/2", "--json")
            #expect(JSON(text: tracks.output)?.array?.count == 3)
            #expect(try await desk.run("tracks", "--of", "library://playlist/2").output.contains("Low Tide"))
            #expect(try await desk.run("tracks", "--of", "library://track/2").status == 2)
            #expect(try await desk.run("radios").output.contains("Harbour Radio"))
            let track = try await desk.server.perform("music/item_by_uri", ["uri": "library://track/4"])
            let played = JSON.array(Array(repeating: track, count: 21))
            try await desk.server.setFaults([ReplyFault(.result(played), on: "music/recently_played_items")])
            let recent = try await desk.run("recent")
            #expect(recent.output.contains("Signal Lamp") && recent.output.split(separator: "\n").count == 20)
            #expect(recent.errors == "… and more: --limit COUNT\n")
            #expect(JSON(text: try await desk.run("recent", "--json").output)?.array?.count == 21)
            let found = try await desk.run("search", "signal", "--limit", "1")
            #expect(found.output.split(separator: "\n").count == 1)
            #expect(found.errors == "… and more: --limit COUNT\n")
        }
    }

    @Test func programsGetWholeLists() async throws {
        var scenario = Scenario()
        let songs = (1...1_200).map { SimulatedItem(.track, "\($0)", "Song \($0)") }
        let all = SimulatedItem(.playlist, "1", "All", tracks: songs.map(\.id))
        scenario.home = SimulatedHome(library: Library(items: songs + [all]))
        try await Desk.with(scenario) { desk in
            #expect(try await desk.run("play", "library://playlist/1", "--on", "kitchen").status == 0)
            for list in [["tracks"], ["tracks", "--of", "library://playlist/1"], ["playlists", "show", "All"]] {
                func count(_ options: String...) async throws -> Int? {
                    let listed = try await Program.run(list + options, home: desk.home)
                    return listed.errors.isEmpty ? JSON(text: listed.output)?.array?.count : nil
                }
                #expect(try await count("--json") == 1_200, "\(list)")
                #expect(try await count("--json", "--limit", "3") == 3, "\(list)")
                #expect(try await count("--json", "--limit", "600") == 600, "\(list)")
                let text = try await Program.run(list, home: desk.home)
                #expect(text.output.split(separator: "\n").count == 50, "\(list)")
                #expect(text.errors.hasPrefix("… and "), "\(list): \(text.errors)")
            }
            let tracks = JSON(text: try await desk.run("tracks", "--json").output)?.array ?? []
            #expect(Set(tracks.compactMap { $0["item_id"]?.string }).count == 1_200)
            let queue = try await desk.run("queue", "--json")
            #expect(JSON(text: queue.output)?["items"]?.array?.count == 1_200)
        }
    }

    @Test func whatIsNotThereIsNoResult() async throws {
        var scenario = Scenario()
        scenario.home = SimulatedHome(players: [], library: Library(items: []))
        try await Desk.with(scenario) { desk in
            let notes = [
                (["players"], "the server has no players\n"), (["albums"], "the library has no albums\n"),
                (["tracks", "blue"], "nothing found\n"), (["search", "blue"], "nothing found\n"),
                (["recent"], "nothing was played yet\n"),
                (["favorites"], "there are no favourites yet; mark one: descant ma favorites add URI\n"),
            ]
            for (arguments, note) in notes {
                let listed = try await Program.run(arguments, home: desk.home)
                #expect(listed.status == 0 && listed.output.isEmpty && listed.errors == note, "\(listed)")
            }
        }
    }

    @Test func foldersHaveNames() async throws {
        try await Desk.with { desk in
            let folders: JSON = [
                [
                    "item_id": "artists", "provider": "test", "name": "", "translation_key": "album_artists",
                    "media_type": "folder", "uri": "test://folder/artists", "path": "test://artists",
                ],
                [
                    "item_id": "x", "provider": "test", "name": "", "media_type": "folder", "uri": "test://folder/x",
                    "path": "test://new_music",
                ],
            ]
            try await desk.server.setFaults([ReplyFault(.result(folders), on: "music/browse")])
            let listed = try await desk.run("browse")
            #expect(
                listed.output == "folder  Album artists  test://artists\nfolder  New music  test://new_music\n",
                "\(listed.output)")
        }
    }

    @Test func favouritesAreMarked() async throws {
        try await Desk.with { desk in
            #expect(try await desk.run("favorites", "add", "library://album/3").output == "Night Ferry: a favourite\n")
            #expect(try await desk.run("play", "library://track/4", "--on", "kitchen").status == 0)
            #expect(try await desk.run("favorites", "add").output == "Signal Lamp: a favourite\n")
            let list = try await desk.run("favourites")
            #expect(list.output.split(separator: "\n").count == 2 && list.output.contains("Night Ferry"))
            #expect(try await desk.run("favorites", "remove", "library://album/3", "--json").status == 0)
            #expect(JSON(text: try await desk.run("favorites", "list", "--json").output)?.array?.count == 1)
            #expect(try await desk.run("tracks", "--favorites").output.split(separator: "\n").count == 1)
            #expect(try await desk.run("favorites", "add", "library://track/3").status == 0)
            let one = try await desk.run("favorites", "--limit", "1")
            #expect(one.output.split(separator: "\n").count == 1 && one.errors == "… and more: --limit COUNT\n")
            #expect(JSON(text: try await desk.run("favorites", "--json").output)?.array?.count == 2)
        }
    }

    @Test func playlistsAreMadeAndChanged() async throws {
        try await Desk.with { desk in
            #expect(try await desk.run("playlists").output.contains("Endless"))
            let made = try await desk.run("playlists", "create", "Evening")
            #expect(made.output.contains("Evening"))
            let added = try await desk.run("playlists", "add", "evening", "library://track/3", "library://track/4")
            #expect(added.output == "Evening: 2 added\n")
            let shown = try await desk.run("playlists", "show", "Evening")
            #expect(shown.output.contains("2  track  The Lanterns – Signal Lamp"))
            #expect(try await desk.run("playlists", "remove", "Evening", "1").output == "Evening: 1 removed\n")
            let left = try await desk.run("playlists", "show", "Evening", "--json")
            #expect(JSON(text: left.output)?.array?.compactMap { $0["name"]?.string } == ["Signal Lamp"])
            #expect(try await desk.run("playlists", "show", "nothing").status == 66)
            #expect(try await desk.run("play", "library://album/2", "--on", "kitchen").status == 0)
            #expect(try await desk.run("playlists", "create", "Kept", "--from-queue").output.contains("Kept"))
            #expect(try await desk.run("playlists", "show", "Kept").output.split(separator: "\n").count == 3)
        }
    }
}
