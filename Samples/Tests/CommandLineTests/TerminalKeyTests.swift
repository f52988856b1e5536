import DescantTestSupport
import Foundation
import Glibc
import Testing

extension PlayingSuite {
    /// Keys of the terminal player, and what the screen says about them.
    @Suite struct TerminalKeyTests {
        private let shop: Workshop

        init() throws { shop = try Workshop() }

        private func player(
            _ arguments: [String], width: Int = 80, height: Int = 24, environment: [String: String] = [:]
        ) throws -> TerminalProgram {
            try TerminalProgram(
                "descant", ["play"] + arguments, width: width, height: height, environment: environment)
        }

        private func tone(_ name: String, seconds: Double = 120) throws -> String {
            try shop.tone(name, seconds: seconds, rate: 8_000, channels: 1)
        }

        @Test func modesHaveKeysAndAreShown() throws {
            let player = try player(["--output", "null", "--volume", "40", "--shuffle", try tone("a.wav")])
            try player.wait("the view", until: shows("▶ playing"))
            try player.wait("the volume of the command line", until: shows("40%"))
            #expect(shows("shuffle")(player.screen))
            func press(_ key: String, _ text: String) throws {
                player.type(key)
                try player.wait("\(text) after \(key)", until: shows(text))
            }
            try press("r", "repeat all · shuffle")
            try press("s", "  repeat all")
            try press("r", "repeat track")
            try press("]", "repeat track · 1.1×")
            try press("[[", "repeat track · 0.9×")
            player.type("\u{7f}r")
            try player.wait("neither") { !shows("0.9×")($0) && !shows("repeat track")($0) }
            try press("m", "muted")
            try press("m", "40%")
            // Another program may write over the view.
            player.scribble("\u{1b}[1;1Ha warning of a library")
            try player.wait("the warning", until: shows("a warning of a library"))
            player.type("\u{0C}")
            try player.wait("the view again") { !shows("a warning of a library")($0) && shows("Descant")($0) }
            // The position of a paused player changes by keys only.
            try press(" ", "⏸ paused")
            player.type("5")
            try player.wait("the middle") { (shownPosition($0) ?? 0) >= 59 }
            try press(" ", "▶ playing")
            try press("v", "■ stopped")
            try press(" ", "▶ playing")
            try player.wait("the beginning") { shownPosition($0).map { $0 < 59 } ?? false }
            player.type("q")
            #expect(try player.finish() == 0)
        }

        @Test func theSleepTimerOfTheCommandLineRuns() throws {
            try FileManager.default.createDirectory(atPath: shop.path("scans"), withIntermediateDirectories: true)
            let player = try player(
                ["--output", "null", "--sleep", "90", shop.path("scans"), try tone("a.wav")], width: 160)
            // The timer is no key, which would dismiss the message.
            try player.wait("what was left out", until: shows("there are no audio files in this folder"))
            try player.wait("the timer") { screen in screen.text.contains { $0.contains(#/sleep (1:30:00|1:29:\d\d)/#) }
            }
            player.type("t")
            try player.wait("the next setting", until: shows("sleep after this track"))
        }

        @Test func thePlaylistIsSearchedAndEdited() throws {
            let files = try ["alder", "birch", "cedar"].map { try tone("\($0).wav") }
            let player = try player(["--output", "null"] + files, width: 40, height: 15)
            /// The names of the list from the top.
            func list(_ names: String...) -> (TerminalEmulator) -> Bool {
                { screen in
                    let rows = screen.text.compactMap { $0.firstMatch(of: #/^  [▶ ] (\w+) +\d+:\d\d$/#)?.1 }
                    return rows.map(String.init) == names
                }
            }
            try player.wait("the list") { list("alder", "birch", "cedar")($0) && shows("▶ playing")($0) }
            player.type("/ED")
            try player.wait("the match", until: list("cedar"))
            player.type("\u{7f}\u{7f}xyz")
            try player.wait("no match", until: list())
            player.type("\u{1b}")
            try player.wait("the whole list", until: list("alder", "birch", "cedar"))
            // A pasted text is typed where a line is, and carries out nothing elsewhere.
            player.type("\u{1b}[200~d\rq\u{1b}[201~/\u{1b}[200~ced\rq\u{1b}[201~")
            try player.wait("the pasted word", until: list("cedar"))
            player.type("\u{1b}")
            try player.wait("the whole list again", until: list("alder", "birch", "cedar"))
            player.type("/bir\r")
            try player.wait("the found track", until: shows("▶ birch"))
            player.type("J")
            try player.wait("the move", until: list("alder", "cedar", "birch"))
            player.type("kd")
            try player.wait("the removal", until: list("alder", "birch"))
            player.type("u")
            try player.wait("the undone removal", until: list("alder", "cedar", "birch"))
            player.type("u")
            try player.wait("the undone move", until: list("alder", "birch", "cedar"))
            player.type("u")
            try player.wait("the reason", until: shows("nothing to undo"))
            player.type("w\(shop.path("mine"))\r")
            try player.wait("the file", until: shows("saved as"))
            player.type("w\(shop.path("mine"))\r")
            try player.wait("the question", until: shows("replace"))
            player.type("n")
            try player.wait("the answer", until: shows("stays"))
            player.type("jdw\(shop.path("mine"))\r")
            try player.wait("the question again", until: shows("replace"))
            player.type("y")
            try player.wait("the other file", until: shows("saved as"))
            player.type("w\(shop.path("none/x"))\r")
            try player.wait("the reason and the name") { shows("cannot")($0) && shows("none/x")($0) }
            player.type("\u{1b}")
            try player.wait("the end of the line") { !shows("save as:")($0) }
            player.type("q")
            #expect(try player.finish() == 0)
            #expect(
                try String(contentsOfFile: shop.path("mine.m3u"), encoding: .utf8)
                    == "#EXTM3U\n#EXTINF:120,alder\nalder.wav\n#EXTINF:120,birch\nbirch.wav\n"
            )
        }

        @Test func tracksAreAddedByTheirNames() throws {
            let files = try ["alder", "birch", "cedar"].map { try tone("\($0).wav") }
            let list = try shop.file("list.m3u", "birch.wav\ncedar.wav\n")
            let player = try player(["--output", "null", files[0]], width: 160)
            try player.wait("the view", until: shows("▶ alder"))
            player.type("O\(shop.path("gone.wav"))\r")
            try player.wait("the reason and the name") {
                shows("gone.wav: there is no such file or folder")($0) && shows("  add: ")($0)
            }
            player.type(String(repeating: "\u{7f}", count: 8) + "birch.wav\r")
            try player.wait("the track", until: shows("added birch to the playlist"))
            player.type("O\(list)\r")
            try player.wait("the tracks", until: shows("added 2 tracks to the playlist"))
            try player.wait("the place of the present track", until: shows("1/4"))
            player.type("q")
            #expect(try player.finish() == 0)
        }

        @Test func aSavedPlaylistHoldsNoPassword() throws {
            let player = try player(
                // The track behind the next one is not opened, whose failure would be told.
                ["--output", "null", try tone("a.wav"), try tone("b.wav"), "http://ann:secret@127.0.0.1:9/live"],
                width: 240)
            try player.wait("the view", until: shows("▶ playing"))
            player.type("w\(shop.path("mine.m3u"))\r")
            try player.wait("the message", until: shows("mine.m3u, without the password of 127.0.0.1"))
            player.type("q")
            #expect(try player.finish() == 0)
            let text = try String(contentsOfFile: shop.path("mine.m3u"), encoding: .utf8)
            #expect(text.contains("\nhttp://ann@127.0.0.1:9/live\n"), "\(text)")
        }

        /// A filter that is typed before the tags of a long playlist are read shows the tracks whose tags contain it when they are.
        @Test func tagsOfALongPlaylistReachTheFilter() throws {
            let tagged = try shop.flac(
                "tagged.flac", seconds: 60, rate: 8_000, channels: 1, tags: ["TITLE=Élan vital", "ARTIST=Field"])
            let tone = try tone("tone.wav")
            let (count, place) = (5_000, 4_700)
            let lines = try (0..<count).map { number in
                let file = shop.path(number == place ? "\(number).flac" : "\(number).wav")
                try FileManager.default.linkItem(atPath: file.hasSuffix("flac") ? tagged : tone, toPath: file)
                return "#EXTINF:120,Song \(number)\n\(file)\n"
            }
            let player = try player(["--output", "null", try shop.file("long.m3u", lines.joined())])
            try player.wait("the view", until: shows("▶ playing"))
            player.type("/ELAN field")
            try player.wait("the track whose tags were read") {
                shows("Élan vital – Field")($0) && shows("search: ELAN field")($0) && !shows("Song 1 ")($0)
            }
            player.type("\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}\r")
            try player.wait("the found track") { $0.bold.contains("Élan vital") && shows("\(place + 1)/\(count)")($0) }
            player.type("/song 119")
            try player.wait("other tracks") { shows("Song 1190")($0) && !shows("Élan vital – ")($0) }
            player.type("\u{1b}")
            try player.wait("the whole list") { !shows("search:")($0) }
            player.type("q")
            #expect(try player.finish() == 0)
        }

        /// Keys that come before the list has changed.
        @Test func fastRemovalsAreUndone() throws {
            let names = ["alder", "birch", "cedar", "dogwood", "elm"]
            let player = try player(["--output", "null"] + (try names.map { try tone("\($0).wav") }))
            func list(_ names: [String]) -> (TerminalEmulator) -> Bool {
                { screen in
                    screen.text.compactMap { $0.firstMatch(of: #/^  [▶ ] (\w+) +.*2:00$/#)?.1 }.map(String.init)
                        == names
                }
            }
            try player.wait("the list") { list(names)($0) && shows("▶ playing")($0) }
            player.type("jdd")
            try player.wait("the removals", until: list(["alder", "dogwood", "elm"]))
            player.type("uu")
            try player.wait("the undone removals", until: list(names))
        }

        @Test func aTrackThatFailsSaysWhy() throws {
            let good = try [tone("a.wav"), tone("c.wav")]
            let damaged = try shop.file("b.flac", "this is not music")
            let player = try player(["--output", "null", good[0], damaged, shop.path("gone.wav"), good[1]])
            try player.wait("the view", until: shows("▶ a"))
            player.type("n")
            try player.wait("the reasons") { screen in
                let line = { (name: String) in screen.text.first { $0.hasPrefix("    \(name) ") } ?? "" }
                return line("b").contains("not in a known audio format")
                    && line("gone").contains("there is no such file")
            }
            try player.wait("the next track", until: shows("▶ c"))
            player.type("kk")
            try player.wait("the chosen track's reason", until: shows("  b: it is not in a known audio format"))
            player.type("j\r")
            try player.wait("the refusal") { shows("file not found: ")($0) && shows("/gone.wav")($0) }
        }

        // MARK: The sound server

        @Test func theDeviceAndWhatKeepsTheSoundAwayAreShown() throws {
            let server = try PrivatePulseServer()
            _ = try server.control.load([
                "module-null-sink", "sink_name=kitchen", "rate=48000",
                "sink_properties=device.description=Kitchen_radio",
            ])
            try server.setDefaultSink("kitchen")
            let player = try player([try tone("a.wav")], width: 120, environment: ["PULSE_SERVER": server.address])
            try player.wait("the description") { $0.text[0].contains("Kitchen") && !$0.text[0].contains("kitchen") }
            try player.wait("the sound", until: shows("▶ playing"))

            server.kill()
            try player.wait("the loss") { screen in
                screen.text.contains { $0.contains("no sound;") && $0.contains("descant doctor") }
            }
            try server.start()
            try player.wait("the end of the loss") { !shows("no sound;")($0) }

            let call = try ForeignPlayer(on: server.address, name: "Telephone", role: "phone")
            try player.wait("the call") { shows("⏸ paused")($0) && shows("paused by a call (Telephone)")($0) }
            call.stop()
            try player.wait("the end of the call") { shows("▶ playing")($0) && !shows("by a call")($0) }
        }

        @Test func aSuspendedDeviceIsShownWithTheRemedy() async throws {
            let server = try PrivatePulseServer()
            let player = try player([try tone("a.wav")], width: 120, environment: ["PULSE_SERVER": server.address])
            try player.wait("the sound", until: shows("▶ playing"))
            func suspend(_ isSuspended: Bool) async throws {
                let result = try await Program.run(
                    "pactl", ["--server=\(server.address)", "suspend-sink", "@DEFAULT_SINK@", isSuspended ? "1" : "0"])
                #expect(result.status == 0)
            }
            try await suspend(true)
            try player.wait("the remedy", until: shows("pactl suspend-sink \(PrivatePulseServer.defaultSink) 0"))
            try await suspend(false)
            try player.wait("the end of it") { !shows("no sound;")($0) }
        }
    }
}
