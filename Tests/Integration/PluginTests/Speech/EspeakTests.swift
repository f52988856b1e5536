import Descant
import DescantTesting
import Foundation
import Testing

/// espeak-ng in helper processes.
@Suite struct EspeakTests {
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
        // Earlier speech does not change later speech: all samples are equal.
        let sentence = SpeechRequest(text: "Apple, river, stone.", rate: 1.3, pitch: 0.8)
        let first = try await Speech(synthesizer, sentence)
        #expect(try await Speech(synthesizer, sentence).samples == first.samples)
        #expect(
            try !LoadedImages.paths().contains { $0.contains("espeak-ng.so") }, "the host stays free of the library")
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
        let shelf = try BundleShelf()
        let helper = try SpeechBundle.copyEspeak(to: shelf)
        let synthesizer = try shelf.registry().makeSpeechSynthesizer("espeak")
        let long = SpeechRequest(text: String(repeating: "Apple, river, stone, garden. ", count: 2_000))
        let plain = SpeechRequest(text: "Apple, river, stone.")
        let expected = try await Speech(synthesizer, plain)
        for _ in 0..<3 {
            var chunks = synthesizer.synthesize(long).makeAsyncIterator()
            _ = try #require(await chunks.next())
            let processes = Processes.running(helper)
            #expect(!processes.isEmpty)
            for process in processes { kill(process, SIGKILL) }
            let error = await #expect(throws: CoreError.self) { while try await chunks.next() != nil {} }
            #expect(error?.code == "ioError")
            #expect(try await Speech(synthesizer, plain).samples == expected.samples)
        }
        // A helper that dies between requests is replaced.
        for process in Processes.running(helper) { kill(process, SIGKILL) }
        #expect(try await Speech(synthesizer, plain).samples == expected.samples)
        await synthesizer.shutdown()
        #expect(Processes.running(helper) == [])
    }

    @Test(arguments: [
        ("exit 127", "apt-get install"), ("echo RRRRRRRRRRRRRRRR >&0; exec cat", "makes no sense"),
        ("kill -9 $$", "it died"),
    ])
    func brokenHelperIsAnError(script: String, words: String) async throws {
        let shelf = try BundleShelf()
        let folder = try TemporaryDirectory()
        let helper = try folder.write(Data("#!/bin/sh\n\(script)\n".utf8), to: "descant-espeak")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: helper.path)
        try shelf.write(BuiltLibrary.plugin("EspeakSpeech"), files: [helper])
        let synthesizer = try shelf.registry().makeSpeechSynthesizer("espeak")
        let error = await #expect(throws: CoreError.self) { try await synthesizer.voices() }
        #expect(error?.message.contains(words) == true, "\(error as Any)")
        await #expect(throws: CoreError.self) { _ = try await Speech(synthesizer, SpeechRequest(text: "one")) }
        await synthesizer.shutdown()
    }
}
