import Descant
import DescantTesting
import Foundation
import Testing

/// Text that real voices cannot speak, and failing voices.
@Suite(.timeLimit(.minutes(10))) struct SpokenProblemTests {
    /// `make test-long` uses a million.
    private static let length = ProcessInfo.processInfo.environment["DESCANT_HOSTILE_LENGTH"].flatMap { Int($0) } ?? 400

    /// Each text stands between words that are spoken in any case.
    @Test(arguments: RealVoice.allCases) func hostileTextIsSpokenToTheEnd(voice: RealVoice) async throws {
        var settings = SpokenSession.settings
        settings.rate = 2
        let session = try SpokenSession(voice, settings: settings)
        let expected = try await session.rehearse("Apple river.")
        let told = session.events.all.count
        let corpus = HostileText.corpus(length: min(Self.length, 2_000))
        let text = corpus.map { "River. \n\n\($0.text)\n\nStone." }.joined(separator: "\n\n")
        try await session.speak(text)
        try await session.finish()
        let words = session.words(in: text, since: told).map(\.word)
        #expect(words.count { $0 == "River" } == corpus.count)
        #expect(words.count { $0 == "Stone" } == corpus.count)
        #expect(!session.warnings.isEmpty)
        let size = text.utf8.count
        #expect(session.warnings.allSatisfy { (0...size).contains($0.utf8Range.upperBound) })
        let after = try await session.rehearse("Apple river.")
        let isSame = voice == .flite ? after.count == expected.count : after == expected
        #expect(isSame, "nothing is left behind")
        await session.end()
    }

    /// For letters without a space the beginning and the end are heard, and every position can be reached.
    @Test(arguments: RealVoice.allCases) func veryLongWordIsSpokenAndSeekable(voice: RealVoice) async throws {
        let length = min(1_000_000, Self.length * 25)
        let letters = String((0..<length).map { Character(Unicode.Scalar(UInt8(97 + $0 * 7 % 26))) })
        let text = "River. " + letters + " stone."
        let session = try SpokenSession(voice)
        try await session.speak(text)
        try await session.render(3)
        try await session.waitForWord(at: 0)
        try await session.engine.seek(to: .fraction(0.5))
        try await session.render(1)
        try await session.engine.seek(toUTF8Offset: 7 + length)
        try await session.engine.play()
        try await session.finish()
        #expect(session.words(in: text).map(\.word).last == "stone")
        await session.end()
    }

    @Test func unknownWordsAreReportedWithTheirRange() async throws {
        let session = try SpokenSession(.sherpa)
        let text = "The xylophone jumps.\n\nQwrty zzz. Dog."
        try await session.speak(text)
        try await session.finish()
        let bytes = Array(text.utf8)
        let unknown = session.warnings.filter { $0.kind == .unknownWord }
        #expect(
            unknown.map { String(decoding: bytes[$0.utf8Range], as: UTF8.self) } == ["xylophone", "Qwrty", "zzz"])
        #expect(session.words(in: text).map(\.word) == ["The", "jumps", "Dog"])
        await session.end()
    }

    @Test(arguments: RealVoice.allCases) func textWithoutWordsIsSkipped(voice: RealVoice) async throws {
        let session = try SpokenSession(voice)
        for text in ["", " \n\t", "... — !", "\u{200F}\u{0}", "***"] {
            try await session.speak(text)
            #expect(await session.engine.engineState == .finished, "\(text.debugDescription)")
        }
        #expect(session.synthesizer.requests.isEmpty && session.samples.count == 0)
        try await session.speak("Apple. ... !!! River.")
        try await session.finish()
        #expect(session.words(in: "Apple. ... !!! River.").map(\.word) == ["Apple", "River"])
        await session.end()
    }

    @Test(arguments: RealVoice.allCases) func missingLanguagesAreErrors(voice: RealVoice) async throws {
        let session = try SpokenSession(voice)
        let error = await #expect(throws: CoreError.self) { try await session.speak("nuqneH", language: "tlh-Zzzz") }
        #expect(error?.code == "unsupported" && error?.message.contains("tlh") == true, "\(error as Any)")
        #expect(session.log.events.contains { $0.name == "speech.didFail" })
        try await session.speak("Apple.")
        try await session.finish()
        await session.end()
    }

    // MARK: A process that dies

    /// The sentence continues at the sample at which its process was killed.
    @Test func killedHelperIsReplacedWithoutAGap() async throws {
        let text = "Apple " + String(repeating: "river stone garden ", count: 40) + "paper. Window."
        let expected = try await SpokenSession(.espeak).rehearse(text)
        let helper = try HelperShelf()
        let session = try SpokenSession(.espeak, registry: helper.registry())
        session.synthesizer.hold()
        session.synthesizer.release(1)
        try await session.speak(text)
        helper.killHelpers()
        session.synthesizer.release()
        try await session.finish()
        let isSame = session.samples == expected
        #expect(isSame)
        #expect(session.log.events.count { $0.name == "speech.retry" } >= 1)
        let words = session.words(in: text)
        #expect(words.count == 123 && zip(words, words.dropFirst()).allSatisfy { $0.frame < $1.frame })
        await session.end()
        #expect(helper.helpers == [])
    }

    /// A helper that cannot be restarted is an error at the present word, and another attempt continues there.
    @Test func lostHelperIsAnErrorAtItsWord() async throws {
        let text = "Apple " + String(repeating: "river stone garden ", count: 40) + "paper."
        let helper = try HelperShelf()
        let session = try SpokenSession(.espeak, registry: helper.registry())
        session.synthesizer.hold()
        session.synthesizer.release(1)
        try await session.speak(text)
        try await helper.waitForHelpers()
        try helper.takeAway()
        session.synthesizer.release()
        await #expect(throws: CoreError.self) { try await session.finish() }
        let offset = await session.engine.utf8Offset
        #expect(SpokenWords.ranges(in: text).contains { $0.lowerBound == offset }, "\(offset)")
        try helper.bringBack()
        let told = session.events.all.count
        // Helpers that could not be started are tried again after a pause.
        while true {
            do {
                try await session.engine.play()
                try await session.finish()
                break
            } catch {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
        let first = session.events.all[told...].compactMap { event -> Int? in
            if case .word(let range, _) = event.kind { range.lowerBound } else { nil }
        }.first
        #expect(first == offset)
        await session.end()
    }
}
