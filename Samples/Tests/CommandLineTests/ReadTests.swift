import DescantTestSupport
import Foundation
import Glibc
import Testing

extension PlayingSuite {
    /// `descant read` with real voices.
    @Suite struct ReadTests {
        private let shop: Workshop
        private let state: URL
        private let text: String
        /// A word of each sentence that is not in any other sentence.
        private let places = (1...40).map { "mark\($0)" }

        init() throws {
            shop = try Workshop()
            state = shop.folder.appendingPathComponent("state")
            text =
                "# The Mill\n\n"
                + places.enumerated().map { index, place in
                    (index == 20 ? "# The Sea\n\n" : "")
                        + "The river runs past the \(place) and under seven stone bridges before it reaches the sea."
                }.joined(separator: "\n\n")
        }

        private func environment(_ bundles: String...) throws -> [String: String] {
            var environment = ["XDG_STATE_HOME": state.path, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"]
            let shelf = shop.folder.appendingPathComponent("bundles")
            try? FileManager.default.createDirectory(at: shelf, withIntermediateDirectories: true)
            for name in bundles {
                let link = shelf.appendingPathComponent(name + ".descantplugin")
                guard !FileManager.default.fileExists(atPath: link.path) else { continue }
                try FileManager.default.createSymbolicLink(
                    at: link, withDestinationURL: Bundles.folder().appendingPathComponent(name + ".descantplugin"))
            }
            environment["DESCANT_PLUGIN_PATH"] = shelf.path
            return environment
        }

        private func reader(_ arguments: [String], _ environment: [String: String]) throws -> TerminalProgram {
            try TerminalProgram(
                "descant", ["read", "--output", "null"] + arguments, width: 80, height: 24, environment: environment)
        }

        private func shows(_ text: String...) -> (TerminalEmulator) -> Bool {
            { screen in
                let shown = screen.text.joined(separator: "\n")
                return text.allSatisfy { shown.contains($0) }
            }
        }

        /// The word that is highlighted.
        private func word(_ screen: TerminalEmulator) -> String {
            screen.inverse.split(separator: " ").joined(separator: " ")
        }

        private struct Kept: Decodable {
            let offset: Int
            let engine: String?
            let rate: Double
        }

        /// The stored position of the only book.
        private func kept() throws -> Kept {
            let folder = state.appendingPathComponent("descant/reading")
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
                $0.hasSuffix(".json")
            }
            #expect(names.count == 1)
            return try JSONDecoder().decode(
                Kept.self, from: Data(contentsOf: folder.appendingPathComponent(try #require(names.first))))
        }

        @Test func readShowsBookAndContinuesAtStoredPosition() throws {
            let environment = try environment("FliteSpeech", "EspeakSpeech")
            let book = try shop.file("mill.md", text)
            let first = try reader(["--engine", "flite", book], environment)
            try first.wait("the book", until: shows("♫ mill", "flite · 1.0×", "The Mill", "▶ playing", "left"))
            #expect(first.isRaw && first.screen.isAlternateScreen)
            try first.wait("words", until: { word($0) == "river" })
            try first.wait("the next words", until: { ["past", "the", "mark1"].contains(word($0)) })
            first.type("\u{1b}[6~")
            try first.wait("the next chapter") { $0.text[1].contains("The Sea") && word($0) == "river" }
            first.type("\u{1b}[C]")
            try first.wait("the next sentence, faster", until: shows("mark22", "1.1×"))
            // Another engine continues in the middle of the sentence.
            try first.wait("the middle of it") { ["stone", "bridges", "before"].contains(word($0)) }
            first.type("e")
            try first.wait("another engine", until: shows("espeak · 1.1×"))
            try first.wait("the same sentence") { ["bridges", "before", "reaches", "sea"].contains(word($0)) }
            first.type(" ")
            try first.wait("the pause", until: shows("⏸ paused"))
            let paused = first.screen.bold + " " + first.screen.inverse
            first.type("q")
            #expect(try first.finish() == 0)
            #expect(!first.isRaw && !first.screen.isAlternateScreen)
            let place = try kept()
            #expect(place.engine == "espeak" && place.rate == 1.1)

            // The position is also found after the file was moved.
            let moved = shop.path("moved.md")
            try FileManager.default.moveItem(atPath: book, toPath: moved)
            let second = try reader([moved], environment)
            try second.wait("the place", until: shows("espeak · 1.1×", "The Sea", "going on at"))
            try second.wait("words") { ["river", "runs", "past"].contains(word($0)) }
            let sentence = second.screen.bold
            // The place does not count the marks of the two headings, and may be the beginning of its sentence.
            let end = place.offset + "# # The river".utf8.count
            let read = String(decoding: text.utf8.prefix(end), as: UTF8.self)
            let number = read.components(separatedBy: "The river").count - 1
            // It lies in the sentence that was shown at the pause, or beside it.
            #expect((number - 1...number + 1).contains { paused.contains("mark\($0)") }, "\(number): \(paused)")
            // On a busy machine some more sentences may be heard.
            #expect(number >= 22 && (number...number + 8).contains { sentence.contains("mark\($0)") }, "\(sentence)")
            second.signal(SIGTERM)
            #expect(try second.finish() == 128 + SIGTERM)
            #expect(try abs(kept().offset - place.offset) < 900)
            let third = try reader(["--from-start", "--engine", "flite", moved], environment)
            try third.wait("the beginning") { word($0) == "Mill" || word($0) == "river" }
            #expect(third.screen.text[1].contains("The Mill"))
            third.signal(SIGHUP)
            #expect(try third.finish() == 128 + SIGHUP)
            #expect(try kept().offset < 900)
        }

        @Test func killedReaderLosesAtMostOneSentence() throws {
            let environment = try environment("FliteSpeech")
            let book = try shop.file("mill.md", text)
            let first = try reader(["--rate", "2", book], environment)
            // A sentence is written while it is read: it may have been shown a moment before.
            try first.wait("the fourth sentence") { $0.bold.contains("mark3") }
            first.signal(SIGKILL)
            _ = try first.finish()
            #expect(try kept().offset >= 90)
        }

        /// A small terminal, its keys, and a missing engine.
        @Test func smallTerminalShowsTheText() throws {
            let environment = try environment("FliteSpeech")
            let book = try shop.file("mill.md", text)
            let reader = try reader(["--no-remote", book], environment)
            reader.resize(width: 40, height: 8)
            try reader.wait("the text", until: shows("▶", "river"))
            reader.type("e")
            try reader.wait("the refusal", until: shows("there is no other engine"))
            reader.type("?")
            try reader.wait("the help", until: shows("pause and resume"))
            reader.type("?-")
            reader.resize(width: 100, height: 20)
            try reader.wait("the volume", until: shows("vol 95%"))
            reader.type("m")
            try reader.wait("silence", until: shows("muted"))
            reader.type("m")
            try reader.wait("the volume from before", until: shows("vol 95%"))
            reader.type("v")
            try reader.wait("another voice") { $0.text[0].split(separator: "·").count == 3 }
            reader.type("q")
            #expect(try reader.finish() == 0)
        }

        @Test func theVolumeIsThatOfTheLastTime() throws {
            let environment = try environment("FliteSpeech")
            let book = try shop.file("mill.md", text)
            func read(_ arguments: [String], _ volume: String, keys: (TerminalProgram) throws -> Void) throws {
                let reader = try reader(arguments + [book], environment)
                try reader.wait("the reading", until: shows("▶ playing", volume))
                try keys(reader)
                reader.type("q")
                #expect(try reader.finish() == 0)
            }
            try read([], "vol 100%") { reader in
                reader.type("--")
                try reader.wait("the volume", until: shows("vol 90%"))
                reader.type("m")
                try reader.wait("silence", until: shows("muted"))
            }
            try read([], "vol 90%") { _ in }
            try read(["--volume", "30"], "vol 30%") { _ in }
            try read(["--forget"], "vol 100%") { _ in }
            try read([], "vol 30%") { _ in }
        }

        @Test func theThemeIsThatOfTheSettingsFile() throws {
            var environment = try environment("FliteSpeech")
            environment["XDG_CONFIG_HOME"] = shop.path("config")
            try FileManager.default.createDirectory(
                atPath: shop.path("config/descant"), withIntermediateDirectories: true)
            let book = try shop.file("mill.md", text)
            try shop.file("config/descant/config", "theme = terminal\nvolume = 40\n")
            let own = try reader([book], environment)
            try own.wait("the reading", until: shows("▶ playing", "vol 100%"))
            #expect(!own.screen.usedColor)
            own.type("q")
            #expect(try own.finish() == 0)
            // A mistake is named, and the book is read.
            try shop.file("config/descant/config", "theme = blue\n")
            let usual = try reader([book], environment)
            usual.resize(width: 240, height: 24)
            try usual.wait("the reading", until: shows("▶ playing", "config, line 1: theme: use standard"))
            #expect(usual.screen.usedColor)
            usual.type("q")
            #expect(try usual.finish() == 0)
        }

        @Test func theSleepTimerPausesBehindTheChapter() throws {
            let environment = try environment("FliteSpeech")
            let book = try shop.file(
                "mill.md", "# One\n\nA first sentence. Another one follows it. A third one is here.\n\n# Two\n\n" + text
            )
            let reader = try reader(["--sleep", "90", book], environment)
            try reader.wait("the timer") { $0.text.contains { $0.contains(#/sleep (1:30:00|1:29:\d\d)/#) } }
            reader.type("t")
            try reader.wait("the end of the chapter", until: shows("sleep after this chapter"))
            try reader.wait(
                "the pause", until: shows("the sleep timer has paused the reading; space reads on", "⏸ paused"))
            #expect(reader.screen.text[1].contains("Two") && !shows("sleep after")(reader.screen))
            reader.type(" ")
            try reader.wait("the reading", until: shows("▶ playing", "river"))
            reader.type("q")
            #expect(try reader.finish() == 0)
        }

        @Test func withoutTerminalEachSentenceIsALine() async throws {
            let environment = try environment("FliteSpeech")
            let book = try shop.file("short.txt", "One is short. Two is not longer.\n\nThree ends.")
            for (arguments, more) in [([book], [:]), ([book, "--headless"], ["TERM": "dumb", "NO_COLOR": "1"])] {
                let result = try await Program.run(
                    "descant", ["read", "--output", "null", "--rate", "4"] + arguments,
                    environment: environment.merging(more) { $1 })
                #expect(result.status == 0, "\(result.errors)")
                #expect(result.output == "One is short.\nTwo is not longer.\nThree ends.\n")
                #expect(
                    result.errors.contains("read by flite") && result.errors.contains("finished, 100%"),
                    "\(result.errors)")
                #expect(!(result.output + result.errors).contains("\u{1b}"))
            }
            // The book was read to its end, so it starts at the beginning again.
            let file = state.appendingPathComponent("descant/reading")
            #expect(try FileManager.default.contentsOfDirectory(atPath: file.path).count == 1)
        }

        @Test func dumbTerminalGetsLines() throws {
            let environment = try environment("FliteSpeech").merging(["TERM": "dumb"]) { $1 }
            let reader = try reader(
                ["--rate", "4", try shop.file("short.txt", "One is short. Two ends.")], environment)
            #expect(try reader.finish() == 0)
            #expect(reader.screen.text.filter { !$0.isEmpty } == ["One is short.", "Two ends."])
            #expect(!reader.screen.isAlternateScreen && !reader.isRaw)
        }

        @Test func invalidInputIsReported() async throws {
            let environment = try environment("FliteSpeech")
            func read(_ arguments: String...) async throws -> Program {
                try await Program.run("descant", ["read", "--output", "null"] + arguments, environment: environment)
            }
            let missing = try await read(shop.path("missing.epub"))
            #expect(missing.status == 66 && missing.errors.contains("there is no such file"))
            let binary = try await read(try shop.tone("a.wav"))
            #expect(binary.status == 66 && binary.errors.contains("not a text"))
            let book = try shop.file("short.txt", "One.")
            let engine = try await read("--engine", "nobody", book)
            #expect(engine.status == 66 && engine.errors.contains("nobody"))
            #expect(try await read("--rate", "9", book).status == 2)
            #expect(try await read("--volume", "101", book).status == 2)
            #expect(try await read("--sleep", "0", book).status == 2)
            #expect(try await read().status == 2)
            #expect(try await read("").status == 2)
            let mute = try await Program.run(
                "descant", ["read", book],
                environment: environment.merging(["PULSE_SERVER": "unix:/nonexistent/descant-test"]) { $1 })
            #expect(mute.status == 1 && !mute.errors.isEmpty, "\(mute.errors)")
        }

        /// A full disk or a closed terminal ends the command with an error; the position is stored.
        @Test func fullOutputIsReported() async throws {
            let environment = try environment("FliteSpeech")
            let book = try shop.file("mill.md", text)
            let song = try shop.flac("a.flac", seconds: 0.2)
            let render = ["render", "--output", shop.path("out.wav"), song]
            let renderReport = render + ["--json"]
            for arguments in [
                ["read", "--output", "null", book], ["speak", "--output", "null", "--highlight", "One. Two."],
                ["speak", "--output", "null", "--json", "One."], ["speak", "--to", shop.path("one.wav"), "One."],
                ["speak", "--list-voices"], ["info", song], ["info", "--json", song], ["tags", song],
                ["tags", "--json", song], ["tags", "--json", song, song], ["tags", "--recursive", shop.folder.path],
                render, renderReport, ["doctor"], ["doctor", "--json"], ["--help"], ["help", "play"],
                ["--version"],
            ] {
                try await Program.expectFullOutputIsReported(arguments, environment: environment)
            }
            #expect(try kept().engine == "flite")
            // What was asked for is there.
            for name in ["out.wav", "one.wav"] { #expect(try !shop.samples(name).isEmpty) }
        }

        /// When standard error is closed, the text is still written.
        @Test func closedStandardErrorIsIgnored() async throws {
            let process = Program.make(
                "descant",
                ["read", "--output", "null", "--rate", "4", try shop.file("short.txt", "One is short.")],
                environment: try environment("FliteSpeech"))
            let output = Pipe()
            process.standardOutput = output
            process.standardError = FileHandle(forWritingAtPath: "/dev/full")
            try process.run()
            let text = String(decoding: await output.fileHandleForReading.allBytes(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationReason == .exit && process.terminationStatus == 0)
            #expect(text == "One is short.\n")
        }

        @Test func refusedLicenceIsNamedInTheError() async throws {
            let environment = try environment("EspeakSpeech").merging([
                "DESCANT_FORBIDDEN_LICENSES": "GPL-3.0-or-later"
            ]) { $1 }
            let book = try shop.file("short.txt", "One is short.")
            for arguments in [["read", "--output", "null", book], ["speak", "--output", "null", "One."]] {
                for choice in [["--engine", "espeak"], []] {
                    let result = try await Program.run("descant", arguments + choice, environment: environment)
                    #expect(
                        result.status != 0 && result.errors.contains("does not take its licence"), "\(result.errors)")
                }
            }
        }

        /// A damaged file with a position is reported, and the book is read.
        @Test func damagedPositionFileIsReported() async throws {
            let environment = try environment("FliteSpeech")
            let book = try shop.file("short.txt", "One is short.")
            func read() async throws -> Program {
                try await Program.run(
                    "descant", ["read", "--output", "null", "--rate", "4", book], environment: environment)
            }
            #expect(try await read().status == 0)
            let folder = state.appendingPathComponent("descant/reading")
            let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path).first)
            try Data("{".utf8).write(to: folder.appendingPathComponent(name))
            let result = try await read()
            #expect(result.status == 0 && result.errors.contains("is damaged and ignored"))
            #expect(result.output == "One is short.\n")
            #expect(try kept().offset == 13)
        }
    }
}
