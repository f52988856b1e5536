import Descant
import DescantTesting
import Foundation
import Testing

/// sherpa-onnx, the real library, with models made by a script: each letter is a tone. `Scripts/test.sh` names both.
@Suite struct SherpaTests {
    private let bundle: SpeechBundle
    private let library: String

    init() throws {
        library = try #require(
            ProcessInfo.processInfo.environment["DESCANT_SHERPA_LIBRARY"], "run Scripts/test.sh, which sets it")
        bundle = try SpeechBundle("SherpaSpeech")
    }

    /// A voice of each kind of model: VITS in both forms, Kokoro with long and short rows, Matcha with both kinds of vocoder.
    private static let kinds = [
        "tones-en_US", "tones-piper-en_US#1", "tones-kokoro-en_US#2", "tones-kokoro-short-en_US",
        "tones-matcha-en_US#1",
        "tones-matcha-vocos-en_US",
    ]

    @Test(arguments: kinds, SpeechSynthesizerContract.Rule.allCases)
    func everyKindKeepsTheContract(voice: String, rule: SpeechSynthesizerContract.Rule) async throws {
        let contract = SpeechSynthesizerContract { [bundle] in
            ChosenVoice(synthesizer: try bundle.synthesizer("sherpa"), voice: voice)
        }
        let findings = await contract.check(rule)
        #expect(findings.isEmpty, "\(findings)")
    }

    @Test func everySpeakerIsAVoice() async throws {
        let synthesizer = try bundle.synthesizer("sherpa")
        let voices = try await synthesizer.voices()
        let speakers = [
            ("tones-en_US", 1), ("tones-kokoro-en_US", 3), ("tones-kokoro-short-en_US", 1), ("tones-matcha-en_US", 3),
            ("tones-matcha-vocos-en_US", 1), ("tones-piper-en_US", 2), ("voices-en_GB", 3),
        ]
        let names = speakers.flatMap { name, count in count == 1 ? [name] : (0..<count).map { "\(name)#\($0)" } }
        #expect(voices.map(\.identifier) == names)
        #expect(voices.map(\.languages) == names.map { [$0.hasPrefix("voices") ? "en-GB" : "en-US"] })
        #expect(voices.first { $0.identifier == "tones-kokoro-en_US#2" }?.name == "tones-kokoro-en_US, tone2")
        for name in names where !name.contains("vocos") {
            let speech = try await Speech(synthesizer, SpeechRequest(text: "zero one", voice: name))
            let expected = Self.tones("zero", speaker: name.split(separator: "#").last.flatMap { Int($0) } ?? 0)
            let error = zip(speech.samples, expected).reduce(Float(0)) { max($0, abs($1.0 - $1.1)) }
            #expect(
                speech.sampleRate == 16_000 && speech.samples.count > expected.count && error < 0.01,
                "\(name): \(error)")
        }
        let named = try await Speech(synthesizer, SpeechRequest(text: "zero", voice: "tones-kokoro-en_US#tone2"))
        let counted = try await Speech(synthesizer, SpeechRequest(text: "zero", voice: "tones-kokoro-en_US#2"))
        #expect(named.samples == counted.samples)
        await synthesizer.shutdown()
    }

    @Test func voicesAreChosenByLanguageAndName() async throws {
        let synthesizer = try bundle.synthesizer("sherpa")
        let british = try await Speech(synthesizer, SpeechRequest(text: "zero", language: "en-GB"))
        let first = try await Speech(synthesizer, SpeechRequest(text: "zero", voice: "voices-en_GB#0"))
        #expect(british.samples == first.samples)
        for voice in ["voices-en_GB#3", "voices-en_GB#x", "tones-kokoro-en_US#tone3", "#", "nobody"] {
            let error = await #expect(throws: CoreError.self) {
                _ = try await Speech(synthesizer, SpeechRequest(text: "one", voice: voice))
            }
            #expect(error?.code == "notFound")
        }
        await synthesizer.shutdown()
    }

    /// After five minutes; the next request loads the model again.
    @Test func unusedModelsAreReleased() async throws {
        let (clock, log) = (ManualClock(), RecordingLogger())
        let registry = PluginRegistry(
            searchPath: [bundle.folder.deletingLastPathComponent()], logger: log, clock: clock)
        registry.scan()
        let synthesizer = try registry.makeSpeechSynthesizer("sherpa")
        let request = SpeechRequest(text: "zero", voice: "tones-en_US")
        let first = try await Speech(synthesizer, request)
        await clock.waitForSleepers()
        clock.advance(seconds: 200)
        _ = try await Speech(synthesizer, request)
        clock.advance(seconds: 100)
        await clock.waitForSleepers()
        #expect(!log.events.contains { $0.name == "sherpa.release" })
        clock.advance(seconds: 200)
        await log.wait(for: "sherpa.release")
        #expect(try await Speech(synthesizer, request).samples == first.samples)
        await synthesizer.shutdown()
    }

    /// sherpa-onnx transforms the spectra of this vocoder back, at multiples of 15.625 Hz.
    @Test func spectralVocoderIsSupported() async throws {
        let synthesizer = try bundle.synthesizer("sherpa")
        let speech = try await Speech(synthesizer, SpeechRequest(text: "zero", voice: "tones-matcha-vocos-en_US"))
        for (index, letter) in "zero".unicodeScalars.enumerated() {
            let wanted = (Self.hertz(letter) / 15.625).rounded() * 15.625
            let middle = Array(speech.samples[(index * 768 + 256)..<(index * 768 + 512)])
            let loudness = { (hertz: Double) in Self.loudness(of: hertz, in: middle) }
            #expect(loudness(wanted) > 0.05 && loudness(wanted) > 4 * loudness(wanted + 200), "\(letter)")
        }
        await synthesizer.shutdown()
    }

    @Test(arguments: kinds)
    func unknownWordsAreReportedAndTheRestIsSpoken(voice: String) async throws {
        let synthesizer = try bundle.synthesizer("sherpa")
        let text = "The xylophone, quick-brown Fox qwrty jumps. Zzz! Éa."
        let speech = try await Speech(synthesizer, SpeechRequest(text: text, voice: voice))
        func words(_ ranges: [Range<Int>]) -> [String] {
            ranges.map { String(decoding: Array(text.utf8)[$0], as: UTF8.self) }
        }
        #expect(words(speech.warnings.map(\.utf8Range)) == ["xylophone", "qwrty", "Zzz", "Éa"])
        let name = voice.prefix { $0 != "#" }
        #expect(speech.warnings.allSatisfy { $0.kind == .unknownWord && $0.message.contains(name) })
        #expect(words(speech.words.map(\.utf8Range)) == ["The", "quick-brown", "Fox", "jumps"])
        #expect(speech.words.allSatisfy { $0.isEstimated })
        // Every spoken letter has three frames of sound, punctuation has none.
        let sounding = stride(from: 0, to: speech.samples.count - 255, by: 256).count { start in
            speech.samples[start..<start + 256].contains { abs($0) > 0.3 }
        }
        let letters = "thequickbrownfoxjumps".count
        #expect(abs(sounding - 3 * letters) <= (voice.contains("vocos") ? letters : 2), "\(sounding)")
        let nothing = try await Speech(synthesizer, SpeechRequest(text: "Qwrty zzz.", voice: voice))
        #expect(nothing.samples.isEmpty && nothing.warnings.count == 2)
        await synthesizer.shutdown()
    }

    /// The library compares bytes, so it gets every word as the lexicon writes it.
    @Test(arguments: ["Don’t Über.", "DON'T U\u{308}ber.", "don’t, u\u{308}ber."])
    func wordsAreSpokenInEverySpelling(text: String) async throws {
        let synthesizer = try bundle.synthesizer("sherpa")
        let speech = try await Speech(synthesizer, SpeechRequest(text: text, voice: "tones-en_US"))
        #expect(speech.warnings.isEmpty)
        #expect(speech.words.map(\.utf8Range) == SpokenWords.ranges(in: text))
        let signs = text.filter { $0 == "," }
        let plain = try await Speech(
            synthesizer, SpeechRequest(text: "don't\(signs) \u{fc}ber.", voice: "tones-en_US"))
        let error = zip(plain.samples, Self.tones("dont", speaker: 0)).reduce(Float(0)) { max($0, abs($1.0 - $1.1)) }
        #expect(speech.samples == plain.samples && error < 0.01, "\(error)")
        await synthesizer.shutdown()
    }

    /// sherpa-onnx ends the process that gives a Kokoro model more letters than its speakers have rows for.
    @Test func longSentencesAreDividedForKokoro() async throws {
        let synthesizer = try bundle.synthesizer("sherpa")
        let words = Array(repeating: "window theory garden river", count: 5).joined(separator: " ") + "."
        let short = try await Speech(synthesizer, SpeechRequest(text: words, voice: "tones-kokoro-short-en_US"))
        let long = try await Speech(synthesizer, SpeechRequest(text: words, voice: "tones-kokoro-en_US"))
        #expect(short.words.count == 20 && long.words.count == 20 && short.warnings.isEmpty)
        #expect(short.samples.count >= long.samples.count)
        await synthesizer.shutdown()
    }

    /// A second lexicon in another script; the library finds words of several characters.
    @Test func kokoroSpeaksChinese() async throws {
        let synthesizer = try bundle.synthesizer("sherpa")
        let text = "中国，国 hello 人。"
        let speech = try await Speech(synthesizer, SpeechRequest(text: text, voice: "tones-kokoro-en_US"))
        let ranges = SpokenWords.ranges(in: text)
        #expect(speech.words.map(\.utf8Range) == Array(ranges.dropLast()))
        #expect(speech.warnings.map(\.utf8Range) == Array(ranges.suffix(1)))
        let error = zip(speech.samples, Self.tones("zong", speaker: 0)).reduce(Float(0)) { max($0, abs($1.0 - $1.1)) }
        #expect(error < 0.01, "the word of two characters is the lexicon's: \(error)")
        await synthesizer.shutdown()
    }

    @Test(arguments: [
        ("cut-model", "decodeError", "model.onnx is damaged"),
        ("cut-vocoder", "decodeError", "hifigan_tones.onnx is damaged"),
        ("few-speakers", "decodeError", "Corrupted --kokoro-voices"),
        ("few-tokens", "unsupported", "no word in"),
        ("no-kind", "decodeError", "no model_type"),
        ("no-lexicon", "unsupported", "has no lexicon.txt, and sherpa-onnx 2 does not turn letters into sounds"),
        ("no-marks", "decodeError", "makes no sound of"),
        ("no-speakers", "unsupported", "voices.bin; copy that into"),
        ("no-tokens", "unsupported", "has no tokens.txt"),
        ("no-vocoder", "unsupported", "speaks through a vocoder; copy one for 16000 Hz"),
        ("other-kind", "unsupported", "of the kind \"pits\"; VITS, Kokoro and Matcha can be spoken with"),
        ("other-rate", "unsupported", "is for 22050 Hz, the model"),
        ("other-tokens", "unsupported", "take the lexicon that was made for this model"),
        ("tokens-of-another", "decodeError", "it ends the process that loads it (signal 6)"),
        ("unknown-operator", "decodeError", "cannot be used"),
    ])
    func unusableModelsNeverReachTheHost(name: String, code: String, words: String) async throws {
        let synthesizer = try bundle.synthesizer("sherpa")
        for _ in 0..<2 {
            let error = await #expect(throws: CoreError.self) {
                _ = try await Speech(synthesizer, SpeechRequest(text: "one", voice: "unusable-" + name))
            }
            #expect(error?.code == code && error?.message.contains(words) == true, "\(error as Any)")
        }
        let speech = try await Speech(synthesizer, SpeechRequest(text: "one two"))
        #expect(speech.words.count == 2)
        await synthesizer.shutdown()
    }

    /// The number of rows for each speaker limits the length of a clause.
    @Test(arguments: [Int.min, .max]) func impossibleNumberOfRowsEndsNoHost(rows: Int) async throws {
        let models = try #require(ProcessInfo.processInfo.environment["DESCANT_SPEECH_MODELS"])
        let name = "unusable-rows-\(UUID().uuidString)"
        let folder = URL(fileURLWithPath: models).appendingPathComponent(name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let network = Self.network(telling: ["model_type": "kokoro", "style_dim": "\(rows),1,2"])
        let files = [
            "model.onnx": network, "tokens.txt": Data("a 0\n".utf8), "lexicon.txt": Data("a a\n".utf8),
            "voices.bin": Data(count: 8),
        ]
        for (file, content) in files { try content.write(to: folder.appendingPathComponent(file)) }
        let synthesizer = try bundle.synthesizer("sherpa")
        let error = await #expect(throws: CoreError.self) {
            _ = try await Speech(synthesizer, SpeechRequest(text: "a", voice: name))
        }
        #expect(error?.code == "decodeError" && error?.message.contains("cannot be used") == true, "\(error as Any)")
        await synthesizer.shutdown()
    }

    /// Both names of a file are the same string, in other bytes.
    @Test func filesOfEqualNamesEndNoHost() async throws {
        let models = try #require(ProcessInfo.processInfo.environment["DESCANT_SPEECH_MODELS"])
        let name = "unusable-names-\(UUID().uuidString)"
        let folder = URL(fileURLWithPath: models).appendingPathComponent(name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        for file in ["\u{e9}.txt", "e\u{301}.txt", "tokens.txt"] {
            try Data("a 0\n".utf8).write(to: folder.appendingPathComponent(file))
        }
        try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 3)
        let synthesizer = try bundle.synthesizer("sherpa")
        let error = await #expect(throws: CoreError.self) {
            _ = try await Speech(synthesizer, SpeechRequest(text: "a", voice: name))
        }
        #expect(error?.code == "unsupported" && error?.message.contains("has no model") == true, "\(error as Any)")
        await synthesizer.shutdown()
    }

    /// An ONNX file with metadata alone: messages of protocol buffers that are shorter than 128 bytes.
    private static func network(telling metadata: [String: String]) -> Data {
        func field(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
            [number << 3 | 2, UInt8(content.count)] + content
        }
        let pairs = metadata.map { field(1, Array($0.key.utf8)) + field(2, Array($0.value.utf8)) }
        return Data(pairs.flatMap { field(14, $0) })
    }

    /// What the models here make of a word: three frames of a tone for each letter.
    private static func tones(_ word: String, speaker: Int) -> [Float] {
        word.unicodeScalars.enumerated().flatMap { index, letter in
            (index * 768..<(index + 1) * 768).map { sample in
                Float(0.5 * sin(2 * .pi * (hertz(letter) + 7 * Double(speaker)) * Double(sample) / 16_000))
            }
        }
    }

    private static func hertz(_ letter: Unicode.Scalar) -> Double { 200 + 40 * Double(letter.value - 97) }

    /// The amplitude of one frequency at 16 kHz.
    private static func loudness(of hertz: Double, in samples: [Float]) -> Double {
        var (real, imaginary) = (0.0, 0.0)
        for (index, sample) in samples.enumerated() {
            let angle = 2 * .pi * hertz * Double(index) / 16_000
            real += Double(sample) * cos(angle)
            imaginary += Double(sample) * sin(angle)
        }
        return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(samples.count)
    }

    /// The plugin and its probe open the library by the same code.
    @Test func otherLibrariesAreRefused() throws {
        let probe = bundle.folder.appendingPathComponent("descant-sherpa-probe").path
        let model = try #require(ProcessInfo.processInfo.environment["DESCANT_SPEECH_MODELS"]) + "/tones-en_US/"
        for (library, words) in [
            (try BuiltLibrary.fixture("FixtureOldSherpa").path, "this is 1.13.8"),
            (try BuiltLibrary.fixture("FixtureGood").path, "not sherpa-onnx"), ("/nowhere.so", "No such file"),
            (library, "16000\t1"),
        ] {
            let script = "LC_ALL=C \"$@\" 2>&1 || true"
            let arguments = [
                probe, library, "0", model + "model.onnx", model + "tokens.txt", model + "lexicon.txt", "-", "-", "one",
            ]
            let answer = String(decoding: try Tool.run("sh", ["-c", script, "sh"] + arguments), as: UTF8.self)
            #expect(answer.contains(words), "\(answer)")
        }
    }
}
