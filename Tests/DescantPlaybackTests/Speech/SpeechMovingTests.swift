import DescantCore
import DescantPlayback
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// Jumps, speed and voice while speaking, positions and estimates.
@Suite(.timeLimit(.minutes(2)))
struct SpeechMovingTests {
    private static let sentences = ["Alpha beta.", "Gamma delta epsilon.", "Zeta eta."]
    private static let text = sentences.joined(separator: " ")

    private func speaking(_ frames: Int = 1_000) async throws -> SpeechSession {
        let session = SpeechSession()
        try await session.speak(Self.text)
        try await session.render(frames)
        try await session.wait(for: .playing)
        return session
    }

    /// The samples behind a jump at a frame, after the ramp over the cut.
    private func behind(_ frame: Int, in session: SpeechSession) -> [Float] { Array(session.samples[(frame + 80)...]) }

    @Test func jumpsBySentence() async throws {
        let session = try await speaking()
        try await session.engine.nextSentence()
        try await session.finish()
        let rest = try await SpeechSession.sound(Array(Self.sentences[1...]))
        #expect(behind(1_000, in: session) == Array(rest[80...]))
    }

    @Test func previousRestartsAndThenGoesBack() async throws {
        let session = try await speaking()
        let first = try await SpeechSession.sound(Self.sentences[0]).count + SpeechSession.pause
        // 1.1 seconds into the second sentence.
        try await session.render(first + 8_800 - 1_000)
        try await session.waitForWord(at: 24)
        try await session.engine.previousSentence()
        try await session.engine.previousSentence()
        try await session.finish()
        let all = try await SpeechSession.sound(Self.sentences)
        #expect(behind(first + 8_800, in: session) == Array(all[80...]))
    }

    @Test func lastOfManyJumpsIsCarriedOut() async throws {
        let text = (0..<60).map { "Number \($0) alpha." }.joined(separator: " ")
        let session = SpeechSession()
        try await session.speak(text)
        try await session.render(500)
        // Words that were heard before the jumps are valid events.
        try await session.waitForWord(at: 0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { try? await session.engine.nextSentence() } }
        }
        let offset = await session.engine.utf8Offset
        #expect(text.utf8.dropFirst(offset).starts(with: "Number 50".utf8))
        let before = session.events.all.count
        try await session.finish()
        let rest = try await SpeechSession.sound((50..<60).map { "Number \($0) alpha." })
        #expect(behind(500, in: session) == Array(rest[80...]))
        let stale = session.events.all[before...].contains {
            if case .word(let range, _) = $0.kind { range.lowerBound < offset } else { false }
        }
        #expect(!stale)
    }

    /// The place of a full stop belongs to the next word, as that of a blank does.
    @Test(arguments: [10, 11]) func aSeekBehindTheLastWordGoesToTheNextSentence(_ offset: Int) async throws {
        let session = SpeechSession()
        try await session.engine.loadContent(.text("Alpha beta. Gamma delta.", language: nil))
        try await session.engine.seek(toUTF8Offset: offset)
        try await session.engine.play()
        try await session.finish()
        #expect(session.samples == (try await SpeechSession.sound("Gamma delta.")))
    }

    /// Its first word lies behind the sign.
    @Test(arguments: ["One. “Two three.”", "Uno. ¿Qué hay?"])
    func aSeekToASentenceThatOpensWithASignTellsTheSentence(_ text: String) async throws {
        let session = SpeechSession()
        try await session.engine.loadContent(.text(text, language: nil))
        let sentences = await session.engine.sentences
        try #require(sentences.count == 2)
        try await session.engine.seek(toUTF8Offset: sentences[1].lowerBound)
        #expect(await session.engine.utf8Offset == sentences[1].lowerBound)
        try await session.engine.play()
        try await session.finish()
        let told = session.events.all.compactMap { if case .sentence(let range) = $0.kind { range } else { nil } }
        #expect(told == [sentences[1]])
    }

    @Test func seeksByTextTimeAndSentence() async throws {
        let session = try await speaking()
        let delta = Self.text.utf8.count - "delta epsilon. Zeta eta.".utf8.count
        try await session.engine.seek(toUTF8Offset: delta + 2)
        #expect(await session.engine.utf8Offset == delta)
        try await session.render(200)
        try await session.waitForWord(at: delta)
        try await session.engine.seek(to: .characterOffset(delta))
        try await session.render(200)
        try await session.waitForWord(at: delta, count: 2)
        try await session.engine.seek(toSentence: 2)
        try await session.finish()
        let last = try await SpeechSession.sound("Zeta eta.")
        #expect(behind(1_400, in: session) == Array(last[80...]))
        #expect(await session.engine.sentences.count == 3)
        await #expect(throws: CoreError.self) { try await session.engine.seek(toSentence: 3) }
    }

    @Test func seeksByTimeToTheFrame() async throws {
        let session = SpeechSession()
        try await session.speak(Self.text)
        try await session.finish()
        let all = session.samples
        let duration = await session.engine.duration ?? 0
        #expect(abs(duration - Double(all.count) / 8_000) < 0.001)
        try await session.engine.seek(to: .time(1.2))
        try await session.engine.play()
        #expect(abs(await session.engine.currentTime - 1.2) < 0.001)
        try await session.finish()
        let again = Array(session.samples[all.count...])
        #expect(abs(again.count - (all.count - 9_600)) <= 1)
        #expect(again == Array(all.suffix(again.count)))
    }

    @Test func seekWhilePausedIsSilent() async throws {
        let session = try await speaking()
        await session.engine.pause()
        try await session.engine.seek(toSentence: 1)
        try await session.render(4_000)
        #expect(session.samples[1_000...].allSatisfy { $0 == 0 })
        #expect(await session.engine.isPaused)
        try await session.engine.play()
        try await session.finish()
        let rest = try await SpeechSession.sound(Array(Self.sentences[1...]))
        #expect(Array(session.samples[5_000...]) == rest)
    }

    @Test func skipsByWord() async throws {
        let session = try await speaking(400)
        try await session.waitForWord(at: 0)
        try await session.engine.skipWords(3)
        #expect(await session.engine.utf8Offset == 18)
        try await session.render(400)
        try await session.waitForWord(at: 18)
        try await session.engine.skipWords(-2)
        #expect(await session.engine.utf8Offset == 6)
    }

    // MARK: Speed and voice

    @Test func changeOfSpeedIsHeardAtOnce() async throws {
        let session = try await speaking()
        let before = await session.engine.currentTime
        try await session.engine.setRate(2)
        #expect(abs(await session.engine.currentTime - before) < 0.001)
        try await session.finish()
        let normal = try await SpeechSession.sound(Self.sentences).count
        // The rest takes half the time, including pauses; the synthesizer's rounding may add a little.
        let left = session.samples.count - 1_000
        #expect(abs(left - (normal - 1_000) / 2) < 500, "\(left) of \(normal - 1_000)")
        #expect(session.synthesizer.requests.contains { $0.rate == 2 && $0.text == "Zeta eta." })
        // The pitch is kept: "a" is a tone of 1040 Hz, at half the length too.
        let words = session.words(in: Self.text)
        #expect(words.map(\.word) == ["Alpha", "beta", "Gamma", "delta", "epsilon", "Zeta", "eta"])
        #expect(zip(words, words.dropFirst()).allSatisfy { $0.frame < $1.frame })
    }

    @Test func stretchedSpeechKeepsItsPitch() async throws {
        let plain = GatedSynthesizer(
            capabilities: {
                var capabilities = ToneSynthesizer().capabilities
                capabilities.rateControl = .stretching
                return capabilities
            }())
        var settings = SpeechSession.settings
        settings.rate = 1.5
        let session = SpeechSession(synthesizer: plain, settings: settings)
        try await session.speak("mmmmmmmmmmmmmmmmmmmm.")
        try await session.finish()
        #expect(plain.requests.map(\.rate) == [1])
        let expected = try await SpeechSession.sound("mmmmmmmmmmmmmmmmmmmm.").count
        #expect(abs(session.samples.count - Int(Double(expected) / 1.5)) <= 2)
        // "m" is 109: 109 % 26 = 5, so 400 Hz.
        let tone = Array(session.samples[800..<3_200])
        let crossings = zip(tone, tone.dropFirst()).count { $0 < 0 && $1 >= 0 }
        #expect(abs(crossings - 120) <= 2, "\(crossings) periods in 0.3 s")
    }

    @Test func anotherVoiceContinuesAtTheWord() async throws {
        let session = try await speaking()
        let first = try await SpeechSession.sound(Self.sentences[0]).count + SpeechSession.pause
        try await session.render(first + 2_400 - 1_000)
        try await session.waitForWord(at: 18)
        var settings = SpeechSession.settings
        settings.voice = "high"
        try await session.engine.apply(settings)
        try await session.finish()
        let rest = try await SpeechSession.sound("delta epsilon.", voice: "high")
        #expect(Array(behind(first + 2_400, in: session).prefix(rest.count - 80)) == Array(rest[80...]))
        #expect(session.synthesizer.requests.last?.text == "Zeta eta.")
        await #expect(throws: CoreError.self) { try await session.engine.setRate(9) }
    }

    // MARK: Progress

    @Test func progressNeverGoesBack() async throws {
        let text = (0..<30).map { "Word\(String(repeating: $0 < 15 ? "a" : "bcdef", count: 3)) number \($0)." }
            .joined(separator: " ")
        let session = SpeechSession()
        try await session.speak(text)
        #expect(await session.engine.engineProgress.isEstimated)
        // Until the first word is told, the offset is that of the rendered sentence. Words that are told late precede it.
        try await session.render(400)
        try await session.waitForWord(at: 0)
        var last = (position: 0.0, share: 0.0, characters: 0)
        for _ in 0..<60 {
            try await session.render(4_000)
            let position = await session.engine.currentTime
            let share = await session.engine.progress
            let characters = await session.engine.engineProgress.characterOffset ?? 0
            #expect(position >= last.position)
            #expect(share >= last.share)
            #expect(characters >= last.characters)
            last = (position, share, characters)
        }
        try await session.finish()
        #expect(await session.engine.progress == 1)
        #expect(await session.engine.engineProgress.isEstimated == false)
    }

    @Test func durationIsEstimatedAfterTenSentences() async throws {
        let text = (0..<60).map { "Sentence number \($0) has some words in it." }.joined(separator: " ")
        let session = SpeechSession()
        try await session.speak(text)
        for _ in 0..<25 { try await session.render(8_000) }
        let estimate = await session.engine.duration ?? 0
        try await session.finish()
        let truth = Double(session.samples.count) / 8_000
        #expect(abs(estimate - truth) / truth < 0.03)
    }

    // MARK: Words

    @Test func wordsAreCountedFromThePlaceOfTheLastJump() async throws {
        let session = SpeechSession()
        try await session.engine.loadContent(.text("Alpha beta. Gamma delta.", language: nil))
        try await session.engine.seek(toUTF8Offset: 6)
        try await session.engine.skipWords(1)
        #expect(await session.engine.utf8Offset == 12)
        try await session.engine.skipWords(-2)
        #expect(await session.engine.utf8Offset == 0)
        try await session.engine.play()
        try await session.render(200)
        try await session.waitForWord(at: 0)
        // Nothing is heard between the two.
        try await session.engine.skipWords(1)
        try await session.engine.skipWords(1)
        #expect(await session.engine.utf8Offset == 12)
    }

    // MARK: Voice and speed

    /// The new voice begins with the present word, also while the new speed is being prepared.
    @Test func aVoiceThatIsChangedRightAfterTheSpeedIsHeardAtOnce() async throws {
        let mixer = HeldStatusEngine(ManualMixingEngine.offline(format: SpeechSession.format).engine)
        let synthesizer = GatedSynthesizer()
        let engine = SpeechEngine(
            identifier: "tones", synthesizer: synthesizer, mixer: mixer, settings: SpeechSession.settings)
        let events = EventRecorder(engine.events)
        try await engine.loadContent(.text("Alpha beta gamma delta epsilon.", language: nil))
        try await engine.play()
        _ = try await mixer.advance(frames: 2_500, untilIdle: nil)
        try await events.wait { if case .word(6..<10, _) = $0.kind { true } else { false } }
        mixer.holdNext(.opening)
        let speed = Task { try await engine.setRate(2) }
        await mixer.isHeld.value
        var settings = await engine.settings
        settings.voice = "high"
        let voice = Task { [settings] in try await engine.apply(settings) }
        while await engine.settings.voice == nil { await Task.yield() }
        mixer.mayGo.resolve(())
        try await voice.value
        try await speed.value
        #expect(synthesizer.requests.last?.voice == "high")
        #expect(synthesizer.requests.last?.text == "beta gamma delta epsilon.")
    }
}
