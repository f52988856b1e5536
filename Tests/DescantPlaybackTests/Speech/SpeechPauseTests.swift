import DescantCore
import DescantPlayback
import DescantTesting
import Testing

/// The silence between sentences, and commands during it.
@Suite(.timeLimit(.minutes(2)))
struct SpeechPauseTests {
    private static var settings: SpeechSettings {
        SpeechSettings(pauses: SpeechPauses(clause: 0.1, sentence: 0.2, paragraph: 0.4), pauseRamp: 0)
    }
    private static let paragraph = [Float](repeating: 0, count: 3_200)

    private func speaking(_ text: String) async throws -> (session: SpeechSession, first: Int) {
        let session = SpeechSession(settings: Self.settings)
        try await session.speak(text)
        let first = try await SpeechSession.sound("Alpha beta.").count
        return (session, first)
    }

    @Test func utterancesHaveTheParagraphPause() async throws {
        let session = SpeechSession(settings: Self.settings)
        try await session.engine.loadContent(.text("Alpha.", language: nil))
        await session.engine.enqueue("Beta.")
        try await session.engine.play()
        try await session.finish()
        let expected = try await SpeechSession.sound("Alpha.") + Self.paragraph + SpeechSession.sound("Beta.")
        #expect(session.samples == expected)
        #expect(abs((await session.engine.duration ?? 0) - Double(expected.count) / 8_000) < 0.001)
    }

    /// Another text is added after the end was read and heard.
    @Test func lateTextFollowsAfterThePause() async throws {
        let (session, first) = try await speaking("Alpha beta.")
        try await session.render(first - 100)
        await session.logger.wait(for: "speech.complete")
        // Usually the deck has read the end by then; otherwise the text follows directly.
        for _ in 0..<1_000 { await Task.yield() }
        await session.engine.enqueue("Gamma.")
        while await session.engine.engineState != .finished { try await session.render(80) }
        let end = try await SpeechSession.sound("Gamma.")
        let gap = session.samples[first...].prefix { $0 == 0 }.count
        #expect(gap >= Self.paragraph.count)
        let behind = session.samples[(first + gap)...].prefix(end.count - SpeechSession.margin)
        #expect(Array(behind) == end.dropLast(SpeechSession.margin))
    }

    @Test func theDurationStaysInAPause() async throws {
        let (session, first) = try await speaking("Alpha beta. Gamma.")
        var durations: Set<Double> = []
        try await session.render(first - 100)
        // The second sentence is made meanwhile, and its length becomes known where an estimate was.
        while await session.engine.engineProgress.isEstimated { await Task.yield() }
        for _ in 0..<20 {
            try await session.render(100)
            durations.insert(((await session.engine.duration ?? 0) * 1_000).rounded())
        }
        #expect(durations.count == 1, "\(durations.sorted()) ms")
    }

    /// What was skipped is known better by then, and moves nothing.
    @Test func thePositionDoesNotJumpWhenTextIsAddedLate() async throws {
        let session = SpeechSession(settings: Self.settings)
        try await session.engine.loadContent(
            .text("Alpha beta gamma delta epsilon zeta eta. Theta iota.", language: nil))
        try await session.engine.nextSentence()
        try await session.engine.play()
        try await session.render(try await SpeechSession.sound("Theta iota.").count - 100)
        await session.logger.wait(for: "speech.complete")
        for _ in 0..<1_000 { await Task.yield() }
        var last = await session.engine.currentTime
        await session.engine.enqueue("Kappa lambda.")
        while await session.engine.engineState != .finished {
            try await session.render(80)
            let now = await session.engine.currentTime
            #expect(now >= last - 0.001 && now <= last + 0.1, "from \(last) to \(now)")
            last = now
        }
    }

    /// The mixer may take a while to resume, as when it opens a device again.
    @Test func aPauseDuringTheResumptionHolds() async throws {
        let manual = ManualMixingEngine.offline(format: SpeechSession.format)
        let mixer = HeldStatusEngine(manual.engine)
        let engine = SpeechEngine(
            identifier: "tones", synthesizer: GatedSynthesizer(), mixer: mixer, settings: Self.settings)
        try await engine.loadContent(.text("Alpha beta gamma.", language: nil))
        try await engine.play()
        _ = try await manual.engine.advance(frames: 800, untilIdle: nil)
        await engine.pause()
        mixer.holdNext(.resumptionBeforeItsEffect)
        let resuming = Task { try await engine.play() }
        await mixer.isHeld.value
        let pausing = Task { await engine.pause() }
        // The pause comes meanwhile. If it does not, the test does not see what it looks for.
        for _ in 0..<1_000 { await Task.yield() }
        mixer.mayGo.resolve(())
        try await resuming.value
        await pausing.value
        #expect(await engine.engineState == .paused)
        #expect(await manual.engine.status(of: engine.layer).activity == .paused)
        await engine.shutdown()
    }

    /// The jump has found speech unfrozen; the pause freezes what sounded before it.
    @Test func speechIsHeardAfterAPauseThatMetAJump() async throws {
        let manual = ManualMixingEngine.offline(format: SpeechSession.format)
        let mixer = HeldStatusEngine(manual.engine)
        let engine = SpeechEngine(
            identifier: "tones", synthesizer: GatedSynthesizer(), mixer: mixer, settings: Self.settings)
        try await engine.loadContent(.text("Alpha beta. Gamma.", language: nil))
        try await engine.play()
        _ = try await manual.engine.advance(frames: 800, untilIdle: nil)
        mixer.holdNext(.status)
        let seeking = Task { try await engine.seek(toSentence: 1) }
        await mixer.isHeld.value
        let pausing = Task { await engine.pause() }
        while await engine.engineState != .paused, !Task.isCancelled { await Task.yield() }
        mixer.mayGo.resolve(())
        try await seeking.value
        await pausing.value
        #expect(await manual.engine.status(of: engine.layer).activity == .paused)
        let before = manual.rendered.samples.count
        try await engine.play()
        _ = try await manual.engine.advance(frames: 800, untilIdle: nil)
        #expect(manual.rendered.samples.dropFirst(before).contains { $0 != 0 })
        #expect(await engine.engineState == .playing)
        await engine.shutdown()
    }

    @Test func seekIntoAPauseKeepsItsRest() async throws {
        let (session, first) = try await speaking("Alpha beta. Gamma.")
        try await session.finish()
        let all = session.samples
        // A quarter of the pause is over.
        try await session.engine.seek(to: .time(Double(first + 400) / 8_000))
        #expect(abs(await session.engine.currentTime - Double(first + 400) / 8_000) < 0.001)
        try await session.engine.play()
        try await session.finish()
        #expect(Array(session.samples[all.count...]) == Array(all[(first + 400)...]))
    }

    @Test func changeOfSpeedInAPauseKeepsItsRest() async throws {
        let (session, first) = try await speaking("Alpha beta. Gamma.")
        try await session.render(first + 400)
        try await session.engine.setRate(2)
        #expect(abs(await session.engine.currentTime - Double(first + 400) / 8_000) < 0.001)
        try await session.finish()
        let gap = session.samples[(first - 1)...].drop { $0 != 0 }.prefix { $0 == 0 }.count
        // The rest of the pause takes half the time.
        #expect(abs(gap - (400 + 600)) <= 2, "\(gap)")
        try await session.engine.previousSentence()
        #expect(await session.engine.currentTime < 1)
    }

    @Test func positionInAPauseIsTheNextSentence() async throws {
        let (session, first) = try await speaking("Alpha beta. Gamma.")
        try await session.render(first - 200)
        try await session.waitForWord(at: 6)
        #expect(await session.engine.engineProgress.characterOffset == 6)
        try await session.render(600)
        while await session.engine.utf8Offset == 6 { await Task.yield() }
        #expect(await session.engine.utf8Offset == 12)
        #expect(await session.engine.engineProgress.currentWord == nil)
        try await session.finish()
        #expect(await session.engine.utf8Offset == 18)
    }

    @Test func changeOfSpeedKeepsTheWord() async throws {
        let (session, _) = try await speaking("Alpha beta. Gamma.")
        try await session.render(2_400)
        try await session.waitForWord(at: 6)
        try await session.engine.setRate(1.5)
        #expect(await session.engine.utf8Offset == 6)
        await session.engine.pause()
        try await session.engine.setRate(2)
        #expect(await session.engine.utf8Offset == 6)
    }

    @Test func endReachedWhilePausedIsReported() async throws {
        let (session, _) = try await speaking("Alpha beta. Gamma.")
        try await session.render(400)
        await session.engine.pause()
        try await session.engine.nextSentence()
        try await session.engine.nextSentence()
        #expect(await session.engine.engineState == .finished)
        #expect(await session.engine.progress == 1)
        try await session.engine.play()
        try await session.finish()
        let all =
            try await SpeechSession.sound("Alpha beta.") + Self.paragraph.prefix(1_600)
            + SpeechSession.sound("Gamma.")
        #expect(Array(session.samples.suffix(all.count)) == all)
    }

    @Test func sentencesWithoutSoundDoNotChangeTheHeardPosition() async throws {
        let signs = Array(repeating: "👍.", count: 200).joined(separator: " ")
        let (session, _) = try await speaking("Alpha beta. \(signs) Gamma.")
        try await session.render(800)
        try await session.waitForWord(at: 0)
        try await session.engine.previousSentence()
        try await session.render(100)
        try await session.waitForWord(at: 0, count: 2)
        try await session.engine.seek(to: .time(0.01))
        let offset = await session.engine.utf8Offset
        #expect(offset == 0)
        try await session.finish()
        try await session.waitForWord(at: "Alpha beta. \(signs) ".utf8.count)
    }

    /// Events of a sentence without sound are sent at its position, also at the end.
    @Test func textWithoutSoundFinishes() async throws {
        let (session, _) = try await speaking("👍. Alpha beta. 👍. Gamma. 👍👍. 🎵.")
        try await session.finish()
        try await session.events.wait { $0.kind == .finished }
        let events = session.events.all
        let warned = events.compactMap {
            if case .warning(let warning) = $0.kind { warning.utf8Range.lowerBound } else { nil }
        }
        #expect(warned == [0, 18, 31, 41])
        let last = events.compactMap { if case .utteranceEnded = $0.kind { $0.frame } else { nil } }
        #expect(last.count == 1)
        let frames = events.compactMap(\.frame)
        #expect(frames == frames.sorted())
        let sentences = events.compactMap { if case .sentence(let range) = $0.kind { range.lowerBound } else { nil } }
        #expect(sentences == [6, 24])
    }
}
