import AudioMeasurement
import DescantTesting
import Foundation
import Testing

extension RenderingSuite {
    /// `descant speak` with the synthesizers of this repository.
    @Suite struct SpeakTests {
        private let shop: Workshop
        private let environment: [String: String]

        init() throws {
            shop = try Workshop()
            environment = try shop.bundles("EspeakSpeech", "FliteSpeech", "SherpaSpeech")
                .merging(Bundles.sherpa()) { $1 }
        }

        private static let text = "Apple, river, stone. Garden, window."

        private func speak(_ arguments: String...) async throws -> Program {
            try await Program.run("descant", ["speak"] + arguments, environment: environment, folder: shop.folder)
        }

        /// Speaks into a file of the folder and reads the report.
        private func report(_ arguments: String..., into name: String = "speech.wav") async throws -> SpokenReport {
            let program = try await Program.run(
                "descant", ["speak", "--json", "--to", name] + arguments, environment: environment,
                folder: shop.folder)
            #expect(program.status == 0 && program.errors.isEmpty, "\(program.errors)")
            return try program.json(SpokenReport.self)
        }

        /// An environment with only the bundles of the test.
        private func files(_ ending: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: shop.folder.path).filter { $0.contains(ending) }
        }

        // MARK: Sound and marks

        @Test(arguments: ["espeak", "flite", "sherpa"])
        func wordsInFileAreAtTheirMarks(engine: String) async throws {
            let report = try await report("--engine", engine, Self.text)
            #expect(report.engine == engine && report.sampleRate == 48_000 && report.warnings.isEmpty)
            #expect(report.words.map(\.text) == ["Apple", "river", "stone", "Garden", "window"])
            let sentences = report.marks.filter { $0.kind == "sentence" }
            #expect(sentences.map(\.text) == ["Apple, river, stone.", "Garden, window."])
            let bytes = Array(Self.text.utf8)
            for mark in report.marks {
                #expect(String(decoding: bytes[mark.start..<mark.end], as: UTF8.self) == mark.text)
                #expect((0..<report.frames).contains(mark.frame))
                #expect(mark.isEstimated == (engine == "sherpa" && mark.kind == "word"))
            }
            let frames = report.words.map(\.frame)
            #expect(zip(frames, frames.dropFirst()).allSatisfy { $0 < $1 }, "\(frames)")

            let file = try shop.wave("speech.wav")
            #expect(file.sampleRate == 48_000 && file.channels == 1 && Int64(file.frameCount) == report.frames)
            let samples = try shop.samples("speech.wav")
            #expect(LevelAnalysis.peak(samples) > 0.05 && LevelAnalysis.peak(samples) <= 1)
            for frame in frames {
                let word = Array(samples[Int(frame)..<min(samples.count, Int(frame) + 9_600)])
                #expect(LevelAnalysis.rms(word) > 0.01, "\(engine): silence at \(frame)")
            }
            #expect(try files("speech.wav") == ["speech.wav"])
        }

        @Test(arguments: ["espeak", "flite"])
        func argumentFileAndStandardInputGiveTheSameSpeech(engine: String) async throws {
            func spoken(_ input: String..., from: String? = nil) async throws -> Data {
                let process = Program.make(
                    "descant", ["speak", "--engine", engine, "--to", "speech.wav"] + input, environment: environment,
                    folder: shop.folder)
                if let from { process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: from)) }
                process.standardOutput = FileHandle.nullDevice
                try process.run()
                process.waitUntilExit()
                #expect(process.terminationStatus == 0)
                return try Data(contentsOf: shop.folder.appendingPathComponent("speech.wav"))
            }
            // Only one sentence, because flite takes its noise from rand(), which concurrent sentences share.
            let words = "Apple, river, stone."
            let text = try shop.file("chapter.txt", words)
            let argument = try await spoken(words)
            #expect(try await spoken(text) == argument)
            #expect(try await spoken("-", from: text) == argument)
            #expect(try await spoken("Apple,", "river,", "stone.") == argument)
            let marked = try shop.file("marked.txt", "\u{FEFF}" + words)
            #expect(try await spoken(marked) == argument)
            let wide = shop.path("wide.txt")
            let units = ("\u{FEFF}" + words).utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
            try Data(units).write(to: URL(fileURLWithPath: wide))
            #expect(try await spoken(wide) == argument)
        }

        @Test(arguments: ["espeak", "flite", "sherpa"])
        func rateScalesLengthAndMarks(engine: String) async throws {
            let normal = try await report("--engine", engine, Self.text)
            let fast = try await report("--engine", engine, "--rate", "2", Self.text)
            let slow = try await report("--engine", engine, "--rate", "0.5", Self.text)
            for (other, ratio) in [(fast, 0.5), (slow, 2)] {
                let found = Double(other.frames) / Double(normal.frames)
                // espeak-ng shortens pauses more than words.
                #expect(abs(found / ratio - 1) < 0.3, "\(engine): \(found) instead of \(ratio)")
                let last = try (#require(other.words.last).frame, #require(normal.words.last).frame)
                #expect(abs(Double(last.0) / Double(last.1) / ratio - 1) < 0.3, "\(last)")
            }
        }

        @Test(arguments: ["espeak", "flite"])
        func pitchChangesTheFundamentalFrequency(engine: String) async throws {
            _ = try await report("--engine", engine, Self.text)
            let normal = try Self.meanPitch(of: shop.samples("speech.wav"))
            _ = try await report("--engine", engine, "--pitch", "1.4", Self.text)
            let high = try Self.meanPitch(of: shop.samples("speech.wav"))
            #expect((1.15...1.6).contains(high / normal), "\(engine): \(normal) Hz, then \(high) Hz")
        }

        /// The median of the fundamental frequencies of voiced pieces, by autocorrelation; in Hz.
        private static func meanPitch(of samples: [Float]) throws -> Double {
            // One frame in six is enough for voices.
            let low = stride(from: 0, to: samples.count - 6, by: 6).map { frame in
                Double(samples[frame..<frame + 6].reduce(0, +)) / 6
            }
            let (rate, length) = (8_000.0, 400)
            func product(_ start: Int, _ lag: Int) -> Double {
                (start..<start + length).reduce(0) { $0 + low[$1] * low[$1 + lag] }
            }
            var pitches: [Double] = []
            for start in stride(from: 0, to: low.count - 2 * length, by: 2 * length) {
                let energy = product(start, 0)
                guard energy / Double(length) > 1e-3 else { continue }
                let scores = (22...130).map { lag in
                    (lag: lag, score: product(start, lag) / (energy * product(start + lag, 0)).squareRoot())
                }
                guard let best = scores.max(by: { $0.score < $1.score }), best.score > 0.6 else { continue }
                // A multiple of the period correlates equally well, so the shortest good period is used.
                let first = scores.first { $0.score > 0.9 * best.score } ?? best
                pitches.append(rate / Double(first.lag))
            }
            return try #require(pitches.sorted().dropFirst(pitches.count / 2).first)
        }

        @Test func languageAndVoiceCanBeChosen() async throws {
            func sound(_ arguments: String...) async throws -> [Float] {
                let program = try await Program.run(
                    "descant", ["speak", "--to", "speech.wav"] + arguments, environment: environment,
                    folder: shop.folder)
                #expect(program.status == 0, "\(program.errors)")
                return try shop.samples("speech.wav")
            }
            let english = try await sound("--engine", "espeak", "Wasser und Wein")
            let german = try await sound("--engine", "espeak", "--language", "de", "Wasser und Wein")
            #expect(german != english)
            #expect(try await sound("--engine", "espeak", "--voice", "gmw/de", "Wasser und Wein") == german)
            let slt = try await sound("--engine", "flite", "--voice", "slt", "Apple, river.")
            let rms = try await sound("--engine", "flite", "--voice", "rms", "Apple, river.")
            #expect(slt != rms)
            #expect(try await sound("--engine", "flite", "Apple, river.") == slt)
            #expect(try await sound("--engine", "flite", "--language", "en-GB", "Apple, river.") != slt)
            let first = try await sound("--engine", "sherpa", "--voice", "voices-en_GB#0", Self.text)
            #expect(try await sound("--engine", "sherpa", "--voice", "voices-en_GB#2", Self.text) != first)
        }

        @Test(arguments: [("espeak", "gmw/de", "de"), ("flite", "awb", "en-GB"), ("sherpa", "tones-en_US", "en-US")])
        func voicesAreListed(engine: String, voice: String, language: String) async throws {
            struct Voice: Decodable {
                let identifier: String
                let languages: [String]
            }
            let text = try await speak("--list-voices", "--engine", engine)
            #expect(text.status == 0 && text.output.contains("\(voice)  ") && text.output.contains(language))
            let voices = try await speak("--list-voices", "--json", "--engine", engine).json([Voice].self)
            #expect(voices.contains { $0.identifier == voice && $0.languages.contains(language) }, "\(voices)")
            #expect(text.output.split(separator: "\n").count == voices.count)
        }

        // MARK: On a terminal

        @Test func wordsAreShownAsTheyAreHeard() throws {
            let text = "«Apple,\n  river» – (ever)! Garden… 7%?"
            let arguments = ["speak", "--engine", "espeak", "--output", "null", "--highlight", text]
            let program = try TerminalProgram(
                "descant", arguments, width: 60, height: 10, environment: environment)
            try program.wait("the first word") { $0.text.contains { $0.contains("Apple,") } }
            try program.wait("both sentences") { screen in
                screen.text.contains("«Apple, river» – (ever)!") && screen.text.contains { $0.contains("Garden") }
            }
            #expect(try program.finish() == 0)
            #expect(program.screen.text.joined(separator: " ").hasPrefix("«Apple, river» – (ever)! Garden… 7%?"))
        }

        @Test(arguments: [SIGINT, SIGTERM])
        func signalEndsSpeech(number: Int32) throws {
            let text = try shop.file("long.txt", String(repeating: Self.text + " ", count: 2_000))
            let program = try TerminalProgram(
                "descant", ["speak", "--engine", "espeak", "--output", "null", "--highlight", text], width: 60,
                height: 10, environment: environment)
            try program.wait("a word") { $0.text.contains { $0.contains("Apple") } }
            program.signal(number)
            #expect(try program.finish() == 128 + number)
        }

        @Test func aClosedPipeLeavesNoUnfinishedFile() throws {
            let process = Program.make(
                "descant",
                ["speak", "--engine", "espeak", "--highlight", "--to", shop.path("speech.wav"), Self.text],
                environment: environment)
            let output = Pipe()
            try output.fileHandleForReading.close()
            process.standardOutput = output.fileHandleForWriting
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGPIPE)
            #expect(try files("speech.wav").isEmpty)
        }

        @Test(arguments: ["flite", "sherpa"])
        func ctrlCKeepsTheOldFile(engine: String) throws {
            let text = try shop.file("long.txt", String(repeating: Self.text + " ", count: 4_000))
            let old = try shop.file("speech.wav", "what was there before")
            let program = try TerminalProgram(
                "descant", ["speak", "--engine", engine, "--to", old, text], width: 60, height: 10,
                environment: environment)
            // The temporary file exists only while sound is written.
            try program.wait("the file") { _ in (try? files("speech.wav").count) == 2 }
            program.signal(SIGINT)
            #expect(try program.finish() == 130)
            #expect(try files("speech.wav") == ["speech.wav"])
            #expect(try String(contentsOfFile: old, encoding: .utf8) == "what was there before")
        }

        @Test func flacHoldsTheWholeSpeech() async throws {
            let report = try await report("--engine", "espeak", Self.text, into: "speech.flac")
            let decoded = try await Program.run("flac", ["-s", "-d", "speech.flac"], folder: shop.folder)
            #expect(decoded.status == 0, "\(decoded.errors)")
            #expect(Int64(try shop.wave("speech.wav").frameCount) == report.frames && report.frames > 0)
        }

        /// A book of eight hours.
        @Test func progressIsShownAndALongWaveFileIsWarnedOf() throws {
            let text = try shop.file("long.txt", String(repeating: Self.text + " ", count: 12_000))
            let path = Program.products.appendingPathComponent("descant").path
            let arguments = ["speak", "--engine", "espeak", "--to", shop.path("speech.wav"), text]
            // The progress is written to standard error.
            let program = try TerminalProgram(
                "bash", ["-c", "exec \"$@\" 2>&1", "bash", path] + arguments, width: 200, height: 10,
                environment: environment)
            try program.wait("the warning and the progress") { screen in
                screen.text.contains { $0.contains("a WAVE file ends at 4 GiB") }
                    && screen.text.contains { $0.hasPrefix("spoken ") && $0.contains("times as fast as it plays") }
            }
            program.signal(SIGINT)
            #expect(try program.finish() == 130)
            #expect(try files("speech.wav").isEmpty)
        }

        // MARK: Bad input

        @Test(
            arguments: [
                ([], 2, "say what to speak"), (["--rate", "5", "word"], 2, "0.25 to 4"),
                (["--rate", "0.2", "word"], 2, "0.25 to 4"), (["--rate", "nan", "word"], 2, "0.25 to 4"),
                (["--rate", "fast", "word"], 2, "fast"), (["--pitch", "0", "word"], 2, "0.1 to 10"),
                (["--to", "speech.mp3", "word"], 2, "ends in .wav or"), (["--output", "moon", "word"], 2, "moon"),
                (["--engine", "phonograph", "word"], 66, "there are: espeak, flite, sherpa"),
                (["--engine", "phonograph", "--list-voices"], 66, "phonograph"),
                (
                    ["--engine", "flite", "--voice", "nobody", "word"], 66,
                    "slt, rms, awb; see: descant speak --list-voices"
                ),
                (["--engine", "espeak", "--voice", "nobody", "word"], 66, "nobody"),
                (["--engine", "sherpa", "--voice", "nobody", "word"], 66, "nobody"),
                (["--engine", "flite", "--language", "de", "Wort"], 66, "flite speaks English"),
                (["--engine", "espeak", "--language", "xx", "word"], 66, "xx"),
                (["missing.txt"], 66, "missing.txt: there is no such file"), (["./chapter"], 66, "no such file"),
                ([""], 66, "nothing to speak"), (["-"], 66, "nothing to speak"),
                (["... \u{7}"], 66, "nothing to speak"),
                (["empty.txt"], 66, "nothing to speak"), (["folder"], 66, "is a folder"),
                (["zero.txt"], 66, "not a text"),
                (["odd.txt"], 66, "nothing to speak"), (["book.epub"], 66, "descant read"),
                (["--engine", "flite", "你好"], 1, "nothing of the text could be spoken"),
            ] as [([String], Int32, String)])
        func badInputIsNamedInTheError(arguments: [String], status: Int32, words: String) async throws {
            try shop.file("empty.txt", "")
            try shop.file("zero.txt", "abc\u{0}def")
            try Data([0xFF, 0xFE, 0x00, 0xDC, 0x41]).write(to: shop.folder.appendingPathComponent("odd.txt"))
            try shop.file("book.epub", "PK\u{3}\u{4}\u{0}")
            try FileManager.default.createDirectory(
                at: shop.folder.appendingPathComponent("folder"), withIntermediateDirectories: true)
            let isLive = arguments.contains("--output") || arguments.contains("--to")
            let target = isLive || arguments.isEmpty ? [] : ["--to", "speech.wav"]
            let program = try await Program.run(
                "descant", ["speak"] + target + arguments, environment: environment, folder: shop.folder)
            #expect(program.status == status, "\(program.errors)")
            #expect(program.errors.contains(words), "\(program.errors)")
            #expect(program.output.isEmpty)
            #expect(try files("speech.").isEmpty, "no file is left behind")
        }

        @Test func unwritableOutputIsNamedInTheError() async throws {
            let nowhere = try await speak("--engine", "flite", "--to", "/nonexistent/speech.wav", "word")
            #expect(nowhere.status == 66 && nowhere.errors.contains("there is no folder /nonexistent"))
            try FileManager.default.createDirectory(
                at: shop.folder.appendingPathComponent("taken.wav"), withIntermediateDirectories: true)
            let folder = try await speak("--engine", "flite", "--to", "taken.wav", "word")
            #expect(folder.status == 66 && folder.errors.contains("is a folder"))
        }

        @Test func damagedTextIsSpokenWithWarnings() async throws {
            try Data("Apple, “river” ".utf8 + [0xFE, 0xFF] + " stone.".utf8)
                .write(to: shop.folder.appendingPathComponent("damaged.txt"))
            let program = try await speak("--engine", "flite", "--json", "--to", "speech.wav", "damaged.txt")
            #expect(program.status == 0)
            let report = try program.json(SpokenReport.self)
            #expect(report.words.map(\.text) == ["Apple", "river", "stone"])
            #expect(report.warnings.first == "damaged.txt: 2 places are not valid UTF-8 and cannot be read")
            #expect(report.warnings.contains { $0.hasPrefix("byte 19, ") }, "\(report.warnings)")

            try Data("Brot f".utf8 + [0xFC] + "r alle".utf8)
                .write(to: shop.folder.appendingPathComponent("latin.txt"))
            let latin = try await speak(
                "--engine", "espeak", "--language", "de", "--json", "--to", "speech.wav", "latin.txt"
            ).json(SpokenReport.self)
            #expect(latin.words.map(\.text) == ["Brot", "für", "alle"])
            #expect(latin.warnings.count == 1 && latin.warnings.first?.contains("Latin-1") == true, "\(latin.warnings)")
        }

        /// A text in another language than the voice's causes a few warnings, not one for each word.
        @Test func warningsOfUnknownWordsAreLimited() async throws {
            let text = "apple " + (0..<50).map { "zq\($0)x" }.joined(separator: " ") + " apple zq1x."
            let program = try await speak(
                "--engine", "sherpa", "--voice", "tones-en_US", "--to", "speech.wav", text)
            #expect(program.status == 0)
            let lines = program.errors.split(separator: "\n")
            #expect(
                lines.count == 11 && lines[0].contains("\"zq0x\"") && lines[10].contains("more of that kind"),
                "\(lines)")
        }

        // MARK: Bundles

        @Test func missingBundlesErrorNamesTheRemedy() async throws {
            let program = try await Program.descant("speak", "word", folder: shop.folder)
            #expect(program.status == 66 && program.errors.contains("see: descant plugins"))
        }

        @Test func forbiddenLicenceExcludesOnlyItsVoices() async throws {
            struct Plugins: Decodable {
                struct Available: Decodable {
                    let identifier: String
                    let license: String
                }
                struct Unavailable: Decodable {
                    let identifier: String?
                    let reason: String
                }
                let available: [Available]
                let unavailable: [Unavailable]
                let forbiddenLicenses: [String]
            }
            let strict = environment.merging(["DESCANT_FORBIDDEN_LICENSES": "GPL*,AGPL*"]) { $1 }
            let espeak = try await Program.descant("speak", "--engine", "espeak", "word", environment: strict)
            #expect(espeak.status == 1)
            for word in ["GPL-3.0-or-later is forbidden", "EspeakSpeech.descantplugin", "DESCANT_FORBIDDEN_LICENSES"] {
                #expect(espeak.errors.contains(word), "\(espeak.errors)")
            }
            let other = try await Program.descant(
                "speak", "--json", "--to", "speech.wav", "Apple.", environment: strict, folder: shop.folder)
            #expect(try other.json(SpokenReport.self).engine == "flite")

            let plugins = try await Program.descant("plugins", "--json", environment: strict).json(Plugins.self)
            #expect(plugins.forbiddenLicenses == ["GPL*", "AGPL*"])
            #expect(plugins.available.map(\.identifier).sorted() == ["org.descant.flite", "org.descant.sherpa"])
            #expect(plugins.available.allSatisfy { $0.license.hasPrefix("Apache-2.0") })
            #expect(plugins.unavailable.map(\.identifier) == ["org.descant.espeak"])
            #expect(plugins.unavailable.first?.reason.contains("Apache-2.0 AND GPL-3.0-or-later") == true)
            let text = try await Program.descant("plugins", environment: strict)
            #expect(text.output.contains("licence Apache-2.0 AND LicenseRef-CMU-Flite"))
            #expect(text.output.contains("forbidden licences: GPL*, AGPL*"))
        }
    }
}
