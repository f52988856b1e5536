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

    @Test(arguments: SpeechSynthesizerContract.Rule.allCases)
    func keepsTheContract(rule: SpeechSynthesizerContract.Rule) async throws {
        let contract = SpeechSynthesizerContract { [bundle] in try bundle.synthesizer("sherpa") }
        let findings = await contract.check(rule)
        #expect(findings.isEmpty, "\(findings)")
    }

    @Test func everySpeakerIsAVoice() async throws {
        let synthesizer = try bundle.synthesizer("sherpa")
        let voices = try await synthesizer.voices()
        let names = ["tones-en_US", "voices-en_GB#0", "voices-en_GB#1", "voices-en_GB#2"]
        #expect(voices.map(\.identifier) == names)
        #expect(voices.map(\.languages) == [["en-US"], ["en-GB"], ["en-GB"], ["en-GB"]])
        var seen: Set<[Float]> = []
        for name in names.dropFirst() {
            seen.insert(try await Speech(synthesizer, SpeechRequest(text: "zebra zero", voice: name)).samples)
        }
        #expect(seen.count == 3 && Set(seen.map(\.count)).count == 1)
        let british = try await Speech(synthesizer, SpeechRequest(text: "zero", language: "en-GB"))
        let first = try await Speech(synthesizer, SpeechRequest(text: "zero", voice: names[1]))
        #expect(british.samples == first.samples)
        for voice in ["voices-en_GB#3", "voices-en_GB#x", "#", "nobody"] {
            let error = await #expect(throws: CoreError.self) {
                _ = try await Speech(synthesizer, SpeechRequest(text: "one", voice: voice))
            }
            #expect(error?.code == "notFound")
        }
        await synthesizer.shutdown()
    }

    @Test func unknownWordsAreToldAndTheRestIsSpoken() async throws {
        let synthesizer = try bundle.synthesizer("sherpa")
        let text = "The xylophone, quick-brown Fox qwrty jumps. Zzz! Éa."
        let speech = try await Speech(synthesizer, SpeechRequest(text: text))
        func words(_ ranges: [Range<Int>]) -> [String] {
            ranges.map { String(decoding: Array(text.utf8)[$0], as: UTF8.self) }
        }
        #expect(words(speech.warnings.map(\.utf8Range)) == ["xylophone", "qwrty", "Zzz", "Éa"])
        #expect(speech.warnings.allSatisfy { $0.kind == .unknownWord && $0.message.contains("tones-en_US") })
        #expect(words(speech.words.map(\.utf8Range)) == ["The", "quick-brown", "Fox", "jumps"])
        #expect(speech.words.allSatisfy { $0.isEstimated })
        let nothing = try await Speech(synthesizer, SpeechRequest(text: "Qwrty zzz."))
        #expect(nothing.samples.isEmpty && nothing.warnings.count == 2)
        await synthesizer.shutdown()
    }

    @Test(arguments: ["damaged-model", "damaged-tokens", "damaged-lexicon"])
    func damagedModelsNeverReachTheHost(name: String) async throws {
        let synthesizer = try bundle.synthesizer("sherpa")
        let voices = try await synthesizer.voices()
        #expect(!voices.contains { $0.identifier.hasPrefix("damaged") })
        for _ in 0..<2 {
            let error = await #expect(throws: CoreError.self) {
                _ = try await Speech(synthesizer, SpeechRequest(text: "one", voice: name))
            }
            #expect(["decodeError", "notFound"].contains(error?.code ?? ""), "\(error as Any)")
        }
        let speech = try await Speech(synthesizer, SpeechRequest(text: "one two"))
        #expect(speech.words.count == 2)
        await synthesizer.shutdown()
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
                probe, library, "0", model + "model.onnx", model + "tokens.txt", model + "lexicon.txt", "-", "-",
            ]
            let answer = String(decoding: try Tool.run("sh", ["-c", script, "sh"] + arguments), as: UTF8.self)
            #expect(answer.contains(words), "\(answer)")
        }
    }
}
