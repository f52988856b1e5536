import Descant
import DescantTesting
import Foundation
import Testing

/// espeak-ng, which the helper of its bundle loads.
@Suite(.timeLimit(.minutes(10))) struct EspeakTests {
    private static let long = SpeechRequest(text: String(repeating: "Apple, river, stone, garden. ", count: 2_000))

    @Test(arguments: SpeechSynthesizerContract.Rule.allCases)
    func keepsTheContract(rule: SpeechSynthesizerContract.Rule) async throws {
        let bundle = try SpeechBundle("EspeakSpeech")
        // make test-long uses a million.
        let length = ProcessInfo.processInfo.environment["DESCANT_HOSTILE_LENGTH"].flatMap { Int($0) } ?? 1_000
        let contract = SpeechSynthesizerContract(hostileLength: length, limit: 600) { try bundle.synthesizer("espeak") }
        let findings = await contract.check(rule)
        #expect(findings.isEmpty, "\(findings)")
    }

    @Test func speaksManyLanguages() async throws {
        let synthesizer = try SpeechBundle("EspeakSpeech").synthesizer("espeak")
        let voices = try await synthesizer.voices()
        #expect(Set(voices.flatMap(\.languages).map { $0.prefix(while: { $0 != "-" }) }).count >= 100)
        for (language, text, count) in [
            ("de-AT", "Der Bär isst süße Äpfel.", 5), ("cmn", "你好世界", 4), ("ar", "مرحبا بالعالم", 2), ("ja", "ねこ", 2),
        ] {
            let speech = try await Speech(synthesizer, SpeechRequest(text: text, language: language))
            #expect(speech.peak > 0.05 && speech.warnings.isEmpty, "\(language)")
            #expect(speech.words.count <= count && !speech.words.isEmpty, "\(language): \(speech.words)")
        }
        let wrong = SpeechRequest(text: "word", voice: "gmw/de", language: "fr")
        #expect(try await Speech(synthesizer, wrong).warnings.map(\.kind) == [.unsupportedLanguage])
        await synthesizer.shutdown()
    }

    /// espeak-ng speaks otherwise after a row of signs, whatever is reset.
    @Test func earlierSpeechDoesNotChangeLaterSpeech() async throws {
        let helper = try HelperShelf()
        let synthesizer = try helper.registry().makeSpeechSynthesizer("espeak")
        let sentence = SpeechRequest(text: "Apple, river, stone.", rate: 1.3, pitch: 0.8)
        let first = try await Speech(synthesizer, sentence)
        #expect(first.peak > 0.05 && first.words.count == 3)
        let others = ["one ??? !!! ((( ... ]]] ;;; one", "Zero", "sta\u{300}r 123456789012345678901234567890"]
        for text in others {
            _ = try await Speech(synthesizer, SpeechRequest(text: text, rate: 2))
            let again = try await Speech(synthesizer, sentence)
            let isSame = again.samples == first.samples
            #expect(isSame, "after \(text)")
            #expect(again.words == first.words, "after \(text)")
        }
        #expect(helper.helpers.count <= 2, "the same helper spoke all")
        await synthesizer.shutdown()
    }

    /// The library, which is under the GPL, is in a helper while that one speaks, and in the host never.
    @Test func libraryIsNeverInTheHost() async throws {
        let helper = try HelperShelf()
        let synthesizer = try helper.registry().makeSpeechSynthesizer("espeak")
        _ = try await synthesizer.voices()
        #expect(try helper.helpers.count { try LoadedImages.containEspeak($0) } == 0)
        // Long enough to fill the queue of the helper, which speaks on when the chunks are read.
        var chunks = synthesizer.synthesize(Self.long).makeAsyncIterator()
        _ = try #require(await chunks.next())
        #expect(try helper.helpers.count { try LoadedImages.containEspeak($0) } == 1)
        #expect(try !LoadedImages.containEspeak())
        #expect(try !LoadedImages.contain(libraryOf: helper.bundle))
        await synthesizer.shutdown()
    }

    /// espeak-ng keeps state between requests, which could remove the marks of first words.
    @Test func everyRequestHasAllMarks() async throws {
        let synthesizer = try SpeechBundle("EspeakSpeech").synthesizer("espeak")
        let voices = [
            "gmw/en-US", "gmw/en", "gmw/de", "roa/fr", "roa/it", "roa/es", "gmw/nl", "gmw/sv", "zlw/pl", "roa/pt",
        ]
        let known = try await synthesizer.voices().map(\.identifier).filter(voices.contains)
        #expect(known.count >= 9, "more than a helper remembers")
        for number in 0..<180 {
            // Long with one voice, then with another one each time.
            let voice = number < 90 ? "gmw/en-US" : known[number % known.count]
            let request = SpeechRequest(text: "Apple river and the stone.", voice: voice, rate: 2)
            let words = try await Speech(synthesizer, request).words
            #expect(words.count == 5, "request \(number), \(voice): \(words.map(\.utf8Range))")
        }
        await synthesizer.shutdown()
    }

    @Test func killedHelperFailsOneRequest() async throws {
        let helper = try HelperShelf()
        let synthesizer = try helper.registry().makeSpeechSynthesizer("espeak")
        let plain = SpeechRequest(text: "Apple, river, stone.")
        let expected = try await Speech(synthesizer, plain)
        for _ in 0..<3 {
            var chunks = synthesizer.synthesize(Self.long).makeAsyncIterator()
            _ = try #require(await chunks.next())
            #expect(!helper.helpers.isEmpty)
            helper.killHelpers()
            let error = await #expect(throws: CoreError.self) { while try await chunks.next() != nil {} }
            #expect(error?.code == "ioError")
            let words = "org.descant.espeak crashed (SIGKILL) while speaking \"Apple, river, stone, garden. A…\""
            #expect(error?.message == words)
            #expect(try await Speech(synthesizer, plain).samples == expected.samples)
        }
        // A helper that dies between requests is replaced.
        helper.killHelpers()
        #expect(try await Speech(synthesizer, plain).samples == expected.samples)
        await synthesizer.shutdown()
        #expect(helper.helpers == [])
    }

    @Test func cancelledRequestLeavesItsHelperAsItWas() async throws {
        let helper = try HelperShelf()
        let synthesizer = try helper.registry().makeSpeechSynthesizer("espeak")
        let plain = SpeechRequest(text: "Apple, river, stone.")
        let expected = try await Speech(synthesizer, plain)
        try await helper.waitForHelpers()
        let helpers = Set(helper.helpers)
        for _ in 0..<5 {
            var stream: AsyncThrowingStream<SpeechChunk, any Error>? = synthesizer.synthesize(Self.long)
            var iterator = stream?.makeAsyncIterator()
            #expect(try await iterator?.next() != nil)
            (iterator, stream) = (nil, nil)
            let next = try await Speech(synthesizer, plain)
            #expect(next.samples == expected.samples && next.words == expected.words)
        }
        // The next request may begin before its helper is free again, and takes the other one.
        #expect(helpers.isSubset(of: helper.helpers))
        await synthesizer.shutdown()
    }

    /// espeak-ng takes the name of a voice for a path.
    @Test func unknownVoiceIsNotLookedForInFiles() async throws {
        let synthesizer = try SpeechBundle("EspeakSpeech").synthesizer("espeak")
        let folder = try TemporaryDirectory()
        let foreign = try folder.write(Data("name foreign\nlanguage en\npitch 200 220\n".utf8), to: "foreign")
        let path = String(repeating: "../", count: 12) + foreign.path.dropFirst()
        let error = await #expect(throws: CoreError.self) {
            _ = try await Speech(synthesizer, SpeechRequest(text: "Apple, river.", voice: path))
        }
        #expect(error?.code == "notFound")
        #expect(try await Speech(synthesizer, SpeechRequest(text: "Apfel, Fluss.", voice: "gmw/de")).peak > 0.05)
        await synthesizer.shutdown()
    }

    // MARK: What is missing

    @Test func missingHelperProgramIsAnErrorWithItsRemedy() throws {
        let helper = try HelperShelf()
        let registry = helper.registry()
        try helper.takeAway()
        let error = #expect(throws: CoreError.self) { try registry.makeSpeechSynthesizer("espeak") }
        #expect(error?.code == "unsupported")
        for words in ["org.descant.espeak", "/descant-plugin-host", "PluginIsolation.helper"] {
            #expect(error?.message.contains(words) == true, "\(error as Any)")
        }
        try helper.bringBack()
        #expect(throws: Never.self) { try registry.makeSpeechSynthesizer("espeak") }
    }

    /// A helper that may read nothing finds no library.
    @Test func missingLibraryIsAnErrorWithItsRemedy() async throws {
        let helper = try HelperShelf()
        var isolation = PluginIsolation.asManifest
        isolation.readable = []
        let registry = PluginRegistry(isolation: isolation, searchPath: [helper.shelf.folder])
        registry.scan()
        let synthesizer = try registry.makeSpeechSynthesizer("espeak")
        let error = await #expect(throws: CoreError.self) { try await synthesizer.voices() }
        #expect(error?.message.contains("apt-get install libespeak-ng1") == true, "\(error as Any)")
        await #expect(throws: CoreError.self) { _ = try await Speech(synthesizer, SpeechRequest(text: "one")) }
        await synthesizer.shutdown()
    }
}
