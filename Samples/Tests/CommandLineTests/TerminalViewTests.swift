import Foundation
import Glibc
import Testing

extension PlayingSuite {
    /// Words, covers, the mouse, the sleep timer and settings of the terminal player.
    @Suite struct TerminalViewTests {
        private let shop: Workshop

        init() throws { shop = try Workshop() }

        private func player(
            _ arguments: [String], width: Int = 80, height: Int = 24, environment: [String: String] = [:]
        ) throws -> TerminalProgram {
            try TerminalProgram(
                "descant", ["play", "--output", "null"] + arguments, width: width, height: height,
                environment: environment)
        }

        private func tone(_ name: String, seconds: Double = 120) throws -> String {
            try shop.tone(name, seconds: seconds, rate: 8_000, channels: 1)
        }

        // MARK: Modes

        /// GStreamer's log stands for the warnings of any library.
        @Test func whatLibrariesWriteToStandardErrorStandsBehindTheView() throws {
            let path = Program.products.appendingPathComponent("descant").path
            let arguments = ["play", "--output", "null", try tone("a.wav"), try tone("b.wav")]
            let player = try TerminalProgram(
                "bash", ["-c", "exec \"$@\" 2>&1", "bash", path] + arguments, width: 120, height: 24,
                environment: ["GST_DEBUG": "GST_STATES:4", "GST_DEBUG_NO_COLOR": "1"])
            try player.wait("the view", until: shows("▶ playing"))
            player.type("n")
            try player.wait("the next track", until: shows("▶ b"))
            #expect(!shows("GST_STATES")(player.screen))
            player.type("q")
            #expect(try player.finish() == 0)
            #expect(!player.screen.isAlternateScreen && shows("GST_STATES")(player.screen))
        }

        @Test func crossfadeAndGainHaveKeysAndAreShown() throws {
            let player = try player(["--crossfade", "4", "--replaygain", "album", try tone("a.wav")])
            try player.wait("the options", until: shows("crossfade 4 s · album gain"))
            for (key, text) in [
                ("x", "crossfade 5 s · album gain"), ("x", "crossfade 10 s"), ("g", "crossfade 10 s"),
                ("x", "playing"), ("g", "  track gain"), ("x", "crossfade 2 s · track gain"),
            ] {
                player.type(key)
                try player.wait("\(text) after \(key)", until: shows(text))
            }
        }

        @Test(arguments: [(80, 24), (40, 15)]) func theSpectrumTakesThePlaceOfTheLevels(width: Int, height: Int) throws
        {
            let player = try player([try tone("a.wav")], width: width, height: height)
            try player.wait("the levels", until: shows(" dB"))
            player.type("f")
            // A tone: one or two bars, and nothing far from them.
            try player.wait("its bars") { screen in
                let rows = screen.text.filter { $0.contains(#/[▁▂▃▄▅▆▇█]{2}/#) }
                return !shows(" dB")(screen) && !rows.isEmpty
                    && rows.allSatisfy { $0.filter { "▁▂▃▄▅▆▇█".contains($0) }.count <= 10 }
            }
            player.type("f")
            try player.wait("the levels again", until: shows(" dB"))
        }

        @Test(arguments: [(80, 24), (40, 15)]) func chaptersAreMarkedNamedAndReached(width: Int, height: Int)
            async throws
        {
            let sound = try tone("book.wav")
            let marks = try shop.file(
                "marks.txt",
                ";FFMETADATA1\n"
                    + [(0, 30, "Prologue"), (30, 90, "The Sea"), (90, 120, "Home")].map {
                        "[CHAPTER]\nTIMEBASE=1/1\nSTART=\($0.0)\nEND=\($0.1)\ntitle=\($0.2)\n"
                    }.joined())
            let book = shop.path("book.m4b")
            let encoding = try await Program.run(
                "ffmpeg",
                ["-v", "error", "-i", sound, "-i", marks, "-map", "0:a", "-map_chapters", "1", "-c:a", "aac", book])
            try #require(encoding.status == 0, "\(encoding.errors)")
            #expect(try await Program.descant("tags", book).output.contains("0:00:30  The Sea"))
            let player = try player([book], width: width, height: height)
            try player.wait("the first name", until: shows("Prologue"))
            try player.wait("the marks") { screen in
                screen.text.contains { $0.filter { $0 == "┼" }.count == 2 && $0.contains("●") }
            }
            // A paused player stays at the beginning of a chapter: behind its first 3 s, `<` leads to that beginning.
            player.type(" ")
            try player.wait("the pause", until: shows("⏸ paused"))
            player.type(">")
            try player.wait("the second name") { shows("The Sea")($0) && (29...31).contains(shownPosition($0) ?? 0) }
            player.type(">")
            try player.wait("the third name") { shows("Home")($0) && (89...91).contains(shownPosition($0) ?? 0) }
            player.type(">")
            try player.wait("why it does not go on", until: shows("this is the last chapter"))
            player.type("<")
            try player.wait("back", until: shows("The Sea"))
        }

        @Test func theSleepTimerStopsThePlayer() throws {
            let player = try player([try tone("a.wav", seconds: 80), try tone("b.wav")])
            try player.wait("the view", until: shows("▶ playing"))
            player.type("t")
            try player.wait("the time that is left") { screen in
                screen.text.contains { $0.contains(#/sleep 1[34]:\d\d/#) }
            }
            player.type("ttt")
            try player.wait("the longest") { screen in screen.text.contains { $0.contains(#/sleep 1:2\d:\d\d/#) } }
            player.type("t")
            try player.wait("the end of the track", until: shows("sleep after this track"))
            player.type("9")
            try player.wait("the stop", until: shows("the sleep timer has stopped the music; space goes on"))
            #expect(!shows("▶ b")(player.screen))
            player.type(" ")
            try player.wait("the sound again") { shows("▶ playing")($0) && !shows("sleep after")($0) }
        }

        // MARK: Words and covers

        @Test(arguments: [(80, 24), (40, 15)]) func wordsBesideTheFileFollowTheSound(width: Int, height: Int) throws {
            let file = try tone("a.wav")
            try shop.file(
                "a.lrc",
                "[ti:x]\n[offset:+500]\n[00:00.50]first words\n[01:00.50][01:40.00]again\n[00:30]<00:30.10>middle\n")
            let player = try player([file], width: width, height: height)
            try player.wait("the first line", until: shows("♫ first words"))
            player.type("5")
            try player.wait("the line of the position", until: shows("♫ again"))
            player.type("l")
            try player.wait("all words") { screen in
                let lines = screen.text.filter {
                    ["first words", "middle", "again"].contains($0.trimmingCharacters(in: .whitespaces))
                }
                return lines.map { $0.trimmingCharacters(in: .whitespaces) } == [
                    "first words", "middle", "again", "again",
                ]
            }
            player.type("\u{1b}")
            try player.wait("the playlist", until: shows("▶ a"))
        }

        @Test func wordsOfTagsAreShownAndATrackWithoutAnySaysSo() throws {
            let tagged = try shop.flac("b.flac", seconds: 60, tags: ["LYRICS=Only one line"])
            let player = try player([tagged, try tone("a.wav")])
            try player.wait("the view", until: shows("▶ playing"))
            player.type("l")
            try player.wait("the words", until: shows("Only one line"))
            player.type("n")
            try player.wait("no words", until: shows("there are no words for this track"))
        }

        @Test func aCoverIsDrawnWhereThereIsRoom() async throws {
            let image = try await Program.run(
                "ffmpeg",
                [
                    "-loglevel", "error", "-f", "lavfi", "-i", "color=red:s=300x300", "-frames:v", "1",
                    shop.path("cover.png"),
                ])
            #expect(image.status == 0, "\(image.errors)")
            let player = try player([try tone("a.wav")], environment: ["COLORTERM": "truecolor"])
            try player.wait("the cover") { $0.pixelCells == 200 && shows("▀▀▀▀▀▀▀▀▀▀   a")($0) }
            player.type("c")
            try player.wait("no cover") { $0.pixelCells == 0 && shows("▶ playing")($0) }
            player.type("c")
            try player.wait("the cover again") { $0.pixelCells == 200 }
            player.resize(width: 40, height: 15)
            try player.wait("no cover in little room") { $0.pixelCells == 0 && shows("▶ playing")($0) }
            let plain = try self.player([shop.path("a.wav")], environment: ["NO_COLOR": "1"])
            try plain.wait("the view", until: shows("▶ playing"))
            #expect(!shows("▀")(plain.screen))
        }

        @Test func aDamagedCoverIsNoCover() throws {
            let file = try tone("a.wav")
            var png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13])
            png += Data("IHDR".utf8) + Data(repeating: 0x7F, count: 4_000)
            try png.write(to: URL(fileURLWithPath: shop.path("cover.png")))
            try (Data([0xFF, 0xD8, 0xFF, 0xE0]) + Data(repeating: 7, count: 100)).write(
                to: URL(fileURLWithPath: shop.path("folder.jpg")))
            let player = try player([file])
            try player.wait("the sound", until: shows("▶ playing"))
            player.type("m")
            try player.wait("the next key", until: shows("muted"))
            #expect(player.screen.pixelCells == 0)
        }

        // MARK: The mouse and the title

        /// Clicks on the first cell that shows a text.
        private func click(_ player: TerminalProgram, _ text: String, button: Int = 0, column: Int? = nil) throws {
            let rows = player.screen.text
            let row = try #require(rows.firstIndex { $0.contains(text) }, "\(text) is not shown")
            let found = rows[row].range(of: text).map {
                rows[row].distance(from: rows[row].startIndex, to: $0.lowerBound)
            }
            let place = (column ?? found ?? 0) + 1
            player.type("\u{1b}[<\(button);\(place);\(row + 1)M\u{1b}[<\(button);\(place);\(row + 1)m")
        }

        @Test func theMouseChoosesPlaysAndSeeks() throws {
            let player = try player(try ["alder", "birch", "cedar"].map { try tone("\($0).wav") })
            try player.wait("the view") { shows("▶ alder")($0) && $0.isMouseReported && shows("▶ playing")($0) }
            try click(player, "cedar")
            try player.wait("the choice") { $0.inverse.contains("cedar") }
            #expect(shows("▶ alder")(player.screen))
            try click(player, "cedar")
            try player.wait("the track", until: shows("▶ cedar"))
            try player.wait("its sound", until: shows("▶ playing"))
            try click(player, "▶ playing")
            try player.wait("the pause", until: shows("⏸ paused"))
            // The position of a paused player changes by clicks only.
            try click(player, "─────", column: 40)
            try player.wait("the seek") { (50..<70).contains(shownPosition($0) ?? 0) }
            try click(player, "vol ", button: 65)
            try player.wait("the volume", until: shows("95%"))
            try click(player, "birch", button: 64)
            try player.wait("the scrolled choice") { $0.inverse.contains("alder") }
            player.type("q")
            #expect(try player.finish() == 0)
            #expect(!player.screen.isMouseReported)
        }

        @Test func theWindowIsNamedAfterTheTrack() throws {
            let file = try shop.flac("a.flac", seconds: 60, tags: ["TITLE=A\u{7}b\u{1b}]c", "ARTIST=Übung"])
            let player = try player([file])
            try player.wait("the title") { $0.title == "A b ]c – Übung" }
        }

        // MARK: Settings

        private func settings(_ text: String) throws -> [String: String] {
            try FileManager.default.createDirectory(
                atPath: shop.path("config/descant"), withIntermediateDirectories: true)
            try shop.file("config/descant/config", text)
            return ["XDG_CONFIG_HOME": shop.path("config")]
        }

        @Test func settingsGiveOptionsKeysAndColours() throws {
            let environment = try settings(
                """
                # mine
                volume = 40
                repeat = playlist
                shuffle = no
                quit-at-end = yes
                theme = terminal
                mouse = off
                title = no
                [keys]
                y = mute
                q = none
                page-up = quit
                = = stop
                """)
            let file = try tone("a.wav")
            let player = try player([file], environment: environment)
            try player.wait("the options") { shows("40%")($0) && shows("repeat all")($0) && shows("▶ playing")($0) }
            #expect(!player.screen.isMouseReported && player.screen.title.isEmpty)
            player.type("q")
            player.type("y")
            try player.wait("the key of the settings", until: shows("muted"))
            player.type("=")
            try player.wait("the other key", until: shows("■ stopped"))
            player.type("?")
            try player.wait("help with the keys") { screen in
                screen.text.contains { $0.contains("+  -  y ") }
                    && screen.text.contains { $0.contains("Esc  PgUp") || $0.contains("Esc PgUp") }
            }
            player.type("?\u{1b}[5~")
            #expect(try player.finish() == 0)
            let other = try self.player(["--volume", "70", "--shuffle", file], environment: environment)
            try other.wait("the command line's choices") { shows("70%")($0) && shows("shuffle")($0) }
            let without = try self.player(["--no-config", file], environment: environment)
            try without.wait("the usual volume", until: shows("100%"))
        }

        @Test func theCommandLineOverridesSettings() async throws {
            let environment = try settings(
                "shuffle = yes\nquit-at-end = yes\nremote = no\ncrossfade = 4\nvolume = 50\n")
            let file = try tone("a.wav", seconds: 0.5)
            let player = try player(["--no-shuffle", "--no-quit-at-end", file], environment: environment)
            try player.wait("the end", until: shows("the playlist has ended"))
            #expect(!shows("shuffle")(player.screen) && shows("50%")(player.screen))
            // What an engine of a plugin does not take, nobody has asked for on the command line.
            let engine = try await Program.descant(
                "play", "--engine", "gstreamer", "--output", "null", file, environment: environment)
            #expect(engine.status == 0, "\(engine.errors)")
            let refused = try await Program.descant(
                "play", "--engine", "gstreamer", "--output", "null", "--crossfade", "4", file, environment: environment)
            #expect(refused.status == 2 && refused.errors.contains("--crossfade is for the built-in player"))
            // Without a server there is no sound, but the command is accepted.
            let elsewhere = try settings("output = snapcast:nowhere\n").merging(["PULSE_SERVER": "unix:/nowhere"]) {
                $1
            }
            let silent = try await Program.descant("play", "--engine", "gstreamer", file, environment: elsewhere)
            #expect(silent.status == 1 && !silent.errors.contains("leave out --engine"), "\(silent.errors)")
        }

        @Test(arguments: [
            ("volume = loud", "config, line 1: "), ("volume = 101", "config, line 1: "),
            ("\nhello", "config, line 2: write name = value"),
            ("loudness = 3", "there is no setting loudness; use cover, cover-pictures, crossfade"),
            ("theme = blue", "theme: use standard, light"),
            ("cover-pictures = png", "cover-pictures: use auto, blocks, kitty, sixel"),
            ("[keys]\nctrl-c = quit", "config, line 2: there is no key ctrl-c"),
            ("[keys]\nx = jump", "there is no action jump; use none, pause"),
            ("[colours]\nx = y", "there is no section [colours]; use [keys]"),
            ("mouse = maybe", "mouse: use yes or no"),
        ])
        func aWrongSettingIsNamed(text: String, message: String) async throws {
            let result = try await Program.descant("play", "a.wav", environment: try settings(text))
            #expect(result.status == 2 && result.errors.contains(message), "\(result.errors)")
        }
    }
}
