import DescantCore
import DescantPlayback
import DescantTesting
import Foundation
import Testing

/// The samples of spoken texts.
@Suite(.timeLimit(.minutes(2)))
struct SpeechEngineTests {
    private static let sentences = ["Alpha beta.", "Gamma delta epsilon.", "Zeta."]
    private static let text = sentences.joined(separator: " ")

    @Test func sentencesAreSpokenWithTheirPauses() async throws {
        let session = SpeechSession()
        try await session.speak(Self.text)
        try await session.finish()
        let expected = try await SpeechSession.sound(Self.sentences)
        #expect(session.samples == expected)
        #expect(session.states.all == [.idle, .loading, .ready, .buffering, .playing, .finished])
    }

    @Test func marksLieOnTheFramesOfTheirWords() async throws {
        let session = SpeechSession()
        try await session.speak(Self.text)
        try await session.finish()
        try await session.events.wait { $0.kind == .finished }
        let words = session.words(in: Self.text)
        #expect(words.map(\.word) == ["Alpha", "beta", "Gamma", "delta", "epsilon", "Zeta"])
        let onsets = SoundOnsets.frames(in: session.samples, sampleRate: 8_000, after: 0.015)
        #expect(onsets.count == words.count)
        for (word, onset) in zip(words, onsets) { #expect(abs(Int(word.frame) - onset) <= 16, "\(word) at \(onset)") }
        let first = try await SpeechSession.sound("Alpha beta.").count
        #expect(words[2].frame == Int64(first + SpeechSession.pause))
        let others = session.events.all.filter {
            switch $0.kind {
            case .word, .prepared, .phase: false
            default: true
            }
        }
        #expect(
            others.map(\.kind) == [
                .sentence(utf8Range: 0..<11), .sentence(utf8Range: 12..<32), .sentence(utf8Range: 33..<38),
                .utteranceEnded(SpeechUtterance(number: 0, utf8Range: 0..<38, language: nil)), .finished,
            ])
    }

    @Test func marksAreOfRealWords() async throws {
        let text = "Café ê\u{301}t 1984 is 3.5 and 👩‍👧 naïve."
        let session = SpeechSession()
        try await session.speak(text)
        try await session.finish()
        let heard = session.words(in: text)
        #expect(heard.map(\.word) == ["Café", "ê\u{301}t", "1984", "is", "3.5", "and", "naïve"])
        #expect(zip(heard, heard.dropFirst()).allSatisfy { $0.frame < $1.frame })
        let warned = session.events.all.contains {
            if case .warning(let warning) = $0.kind { warning.kind == .unsupportedCharacters } else { false }
        }
        #expect(warned)
    }

    @Test func pauseInsideAWordLosesNothing() async throws {
        let session = SpeechSession()
        try await session.speak(Self.text)
        try await session.render(1_000)
        try await session.wait(for: .playing)
        await session.engine.pause()
        #expect(await session.engine.isPaused)
        try await session.render(40_000)
        try await session.engine.play()
        try await session.finish()
        let expected = try await SpeechSession.sound(Self.sentences)
        #expect(Array(session.samples[..<1_000]) == Array(expected[..<1_000]))
        #expect(session.samples[1_000..<41_000].allSatisfy { $0 == 0 })
        #expect(Array(session.samples[41_000...]) == Array(expected[1_000...]))
        try await session.events.wait { $0.kind == .finished }
        let whilePaused = session.events.all.filter { (1_000..<41_000).contains($0.frame ?? 0) }
        #expect(whilePaused == [])
    }

    @Test func pauseBeforeTheStartKeepsTheFirstFrame() async throws {
        let session = SpeechSession(realTime: true)
        session.synthesizer.hold()
        try await session.speak("Alpha.")
        try await session.wait(for: .buffering)
        await session.engine.pause()
        session.synthesizer.release()
        try await session.wait(for: .paused)
        try await session.engine.play()
        await session.manual.output.stepUntil { await session.engine.engineState == .finished }
        let expected = try await SpeechSession.sound("Alpha.")
        let sounding = session.samples.firstIndex { $0 != 0 } ?? 0
        #expect(Array(session.samples[sounding...].prefix(expected.count)) == expected)
    }

    // MARK: Slow synthesizers

    @Test func missingSoundIsReportedAsBuffering() async throws {
        let session = SpeechSession(realTime: true)
        session.synthesizer.hold()
        try await session.speak("Alpha beta gamma delta.")
        #expect(await session.engine.engineState == .buffering)
        session.synthesizer.release(1)
        await session.manual.output.stepUntil {
            session.states.all.suffix(2) == [.playing, .buffering]
        }
        session.synthesizer.release()
        await session.logger.wait(for: "speech.complete")
        await session.manual.output.stepUntil { session.states.all.last == .finished }
        let states = session.states.all
        #expect(states.prefix(7) == [.idle, .loading, .ready, .buffering, .playing, .buffering, .playing])
        // The device is faster than the synthesis here, and may find another gap.
        #expect(states.dropFirst(6).dropLast().allSatisfy { $0 == .buffering || $0 == .playing }, "\(states)")
        let expected = try await SpeechSession.sound("Alpha beta gamma delta.")
        #expect(session.samples.filter { $0 != 0 } == expected.filter { $0 != 0 })
    }

    @Test func synthesisStaysFewSentencesAhead() async throws {
        let session = SpeechSession()
        let text = (0..<40).map { _ in "Alpha beta gamma delta epsilon zeta eta theta iota kappa." }.enumerated()
            .map { "\($0.offset) \($0.element)" }.joined(separator: " ")
        try await session.speak(text)
        await session.synthesizer.waitForRequests(4)
        try await session.render(8_000)
        // A sentence lasts more than the second that was rendered and what the deck reads ahead; three are made behind it.
        #expect(session.synthesizer.requests.count == 4)
    }

    @Test func stoppingDoesNotWaitForTheSynthesizer() async throws {
        let session = SpeechSession(realTime: true)
        session.synthesizer.hold()
        try await session.speak("Alpha beta.")
        await session.synthesizer.waitForRequests(1)
        await session.engine.stop()
        #expect(await session.engine.engineState == .idle)
        // The cancellation reaches the synthesizer later. A request that is released before is carried out to its end.
        while session.synthesizer.cancelledCount < session.synthesizer.requests.count, !Task.isCancelled {
            await Task.yield()
        }
        session.synthesizer.release()
        await session.manual.output.step(frames: 8_000)
        #expect(session.samples.allSatisfy { $0 == 0 })
        #expect(await session.engine.currentTime == 0)
        #expect(session.synthesizer.cancelledCount == session.synthesizer.requests.count)
    }

    // MARK: Cache

    @Test func heardSentencesAreCached() async throws {
        let session = SpeechSession()
        try await session.speak(Self.text)
        try await session.finish()
        try await session.engine.play()
        try await session.finish()
        #expect(session.synthesizer.requests.count == 3)
        let expected = try await SpeechSession.sound(Self.sentences)
        #expect(session.samples == expected + expected)
    }

    /// Both paragraphs are equal strings, but have different numbers of bytes.
    @Test func theWordsOfEqualTextsInOtherBytesHaveTheirOwnRanges() async throws {
        let text = "e\u{301}e\u{301} e\u{301}e\u{301}\n\n\u{e9}\u{e9} \u{e9}\u{e9}"
        let session = SpeechSession()
        try await session.speak(text)
        try await session.finish()
        let heard = session.events.all.compactMap { if case .word(let range, _) = $0.kind { range } else { nil } }
        #expect(heard == SpokenWords.ranges(in: text))
    }

    @Test func cacheIsBounded() async throws {
        let session = SpeechSession(cacheLimit: 20_000)
        try await session.speak(Self.text)
        try await session.finish()
        try await session.engine.play()
        try await session.finish()
        #expect(session.synthesizer.requests.count > 3)
    }

    // MARK: Queue

    @Test func utterancesFollowEachOther() async throws {
        let session = SpeechSession()
        try await session.engine.loadContent(.text("Alpha.", language: nil))
        let second = await session.engine.enqueue("Beta gamma.")
        try await session.engine.play()
        try await session.finish()
        #expect(session.samples == (try await SpeechSession.sound(["Alpha.", "Beta gamma."])))
        #expect(await session.engine.text == "Alpha.\n\nBeta gamma.")
        // Events have a separate stream and may be read later than the state.
        try await session.events.wait { (events: [SpeechEvent]) in
            events.count { if case .utteranceEnded = $0.kind { true } else { false } } >= 2
        }
        let ended = session.events.all.compactMap {
            if case .utteranceEnded(let utterance) = $0.kind { utterance } else { nil }
        }
        #expect(ended.map(\.number) == [0, 1])
        #expect(ended.last == second)
        await session.engine.enqueue("Zeta.")
        #expect(await session.engine.engineState == .ready)
        try await session.engine.play()
        try await session.finish()
        let last = try await SpeechSession.sound("Zeta.")
        #expect(Array(session.samples.suffix(last.count)) == last)
    }

    @Test func theNumbersOfUtterancesGoOnWithTheNextText() async throws {
        let session = SpeechSession()
        try await session.engine.loadContent(.text("Alpha.", language: nil))
        try await session.engine.loadContent(.text("Beta.", language: nil))
        #expect(await session.engine.utterances.map(\.number) == [1])
    }

    @Test func whatWasHeardIsASmallerShareWhenTextIsAdded() async throws {
        let session = SpeechSession()
        try await session.speak("Alpha.")
        try await session.finish()
        #expect(await session.engine.progress == 1)
        await session.engine.enqueue("Beta gamma delta epsilon.")
        #expect(await session.engine.progress < 0.5)
        try await session.engine.play()
        try await session.render(400)
        let (position, duration) = (await session.engine.currentTime, try #require(await session.engine.duration))
        #expect(duration > position + 0.5)
    }

    /// A language is one of the settings for a text that has none of its own.
    @Test(arguments: [nil, "en"]) func anotherLanguageIsSpoken(own: String?) async throws {
        var settings = SpeechSession.settings
        settings.language = "en"
        let session = SpeechSession(settings: settings)
        try await session.speak("Alpha beta.", language: own)
        #expect(session.synthesizer.requests.last?.language == own ?? "en")
        settings.language = "en-GB"
        try await session.engine.apply(settings)
        try await session.finish()
        #expect(session.synthesizer.requests.last?.language == own ?? "en-GB")
    }

    @Test(arguments: [false, true]) func aStoppedTextIsSpokenBeforeWhatIsAdded(hasBegun: Bool) async throws {
        let session = SpeechSession()
        try await session.engine.loadContent(.text("Alpha.", language: nil))
        if hasBegun {
            try await session.engine.play()
            try await session.render(100)
        }
        await session.engine.stop()
        // The ramp of the stop.
        try await session.render(100)
        await session.engine.enqueue("Beta.")
        #expect(await session.engine.engineState == .ready)
        try await session.engine.play()
        try await session.finish()
        let expected = try await SpeechSession.sound(["Alpha.", "Beta."])
        #expect(Array(session.samples.suffix(expected.count)) == expected)
        try await session.events.wait { (events: [SpeechEvent]) in events.contains { $0.kind == .finished } }
        #expect(ends(session) == [0, 1])
    }

    @Test func aTextIsReadyAfterContentThatWasRefused() async throws {
        let session = SpeechSession()
        try await session.engine.loadContent(.text("Alpha.", language: nil))
        let song = URL(fileURLWithPath: "/music/song.flac")
        await #expect { try await session.engine.loadContent(.url(song)) } throws: { "\($0)".contains(song.path) }
        #expect(await session.engine.text.isEmpty)
        await session.engine.enqueue("Zeta.")
        #expect(await session.engine.engineState == .ready)
        try await session.engine.play()
        try await session.finish()
        #expect(session.samples == (try await SpeechSession.sound(["Zeta."])))
    }

    private func ends(_ session: SpeechSession) -> [Int] {
        session.events.all.compactMap {
            if case .utteranceEnded(let utterance) = $0.kind { utterance.number } else { nil }
        }
    }

    /// What has no sound, or nothing to speak at all, ends when its turn comes.
    @Test(arguments: [
        ["😀", "Hello."], ["***", "Hello."], ["Hello.", "***"], ["Hello.", "***", "...", "😀", "World."], ["***"],
        ["😀"], ["Hello.", "😀", "***"],
    ])
    func everyUtteranceEndsOnce(_ texts: [String]) async throws {
        let session = SpeechSession()
        for text in texts { await session.engine.enqueue(text) }
        for count in 1...2 {
            try await session.engine.play()
            let layer = await session.engine.layer
            _ = try await session.manual.engine.advance(frames: 600 * 8_000, untilIdle: layer)
            try await session.events.wait { (events: [SpeechEvent]) in events.count { $0.kind == .finished } == count }
        }
        #expect(ends(session) == Array(texts.indices) + Array(texts.indices))
        let added = await session.engine.enqueue("***")
        try await session.engine.play()
        try await session.events.wait { $0.kind == .utteranceEnded(added) }
        try await session.events.wait { (events: [SpeechEvent]) in events.count { $0.kind == .finished } == 3 }
        #expect(ends(session).suffix(2) == [texts.count - 1, texts.count])
    }

    // MARK: What cannot be spoken

    @Test func unknownWordsAndDamageAreReported() async throws {
        let session = SpeechSession()
        session.synthesizer.setUnknownWords(["xyzzy"])
        try await session.speak("Alpha. Say xyzzy \u{FFFD} now.")
        try await session.finish()
        try await session.events.wait { $0.kind == .finished }
        let warnings = session.events.all.compactMap {
            if case .warning(let warning) = $0.kind { warning } else { nil }
        }
        #expect(warnings.map(\.kind) == [.unsupportedCharacters, .unknownWord])
        #expect(warnings.map(\.utf8Range) == [17..<20, 11..<16])
        #expect(session.synthesizer.requests.map(\.text) == ["Alpha.", "Say xyzzy \u{2003} now."])
    }

    @Test func textWithoutWordsFinishesAtOnce() async throws {
        let session = SpeechSession()
        try await session.speak("... — !")
        try await session.wait(for: .finished)
        #expect(session.synthesizer.requests.isEmpty)
        try await session.speak("👍👍 🎵. Alpha.")
        try await session.finish()
        #expect(session.samples == (try await SpeechSession.sound("Alpha.")))
    }

    @Test func missingLanguageIsAnErrorAndRecoverable() async throws {
        let session = SpeechSession()
        await #expect(throws: CoreError.unsupported("no voice speaks tlh")) {
            try await session.speak("nuqneH", language: "tlh")
        }
        #expect(await session.engine.engineState == .failed(.unsupported("no voice speaks tlh")))
        try await session.speak("Alpha.")
        try await session.finish()
    }

    // MARK: Failures

    @Test func failedStartsAreRetried() async throws {
        let session = SpeechSession()
        session.synthesizer.fail([.ioError("the process died"), .ioError("again")])
        try await session.engine.loadContent(.text("Alpha.", language: nil))
        let playing = Task { try await session.engine.play() }
        for delay in [0.1, 0.3] {
            await session.clock.waitForSleepers()
            session.clock.advance(seconds: delay)
        }
        try await playing.value
        try await session.finish()
        // The last sample may be heard before its log record is written.
        await session.logger.wait(for: "speech.complete")
        #expect(session.samples == (try await SpeechSession.sound("Alpha.")))
        let names = SpokenLog.ordered(session.logger).events.map(\.name).filter { $0 != "speech.prepare" }
        #expect(
            names == [
                "speech.play", "speech.retry", "speech.retry", "speech.didStart", "speech.didFinish", "speech.generate",
                "speech.generate", "speech.generate", "speech.complete",
            ])
        let attempts = Set(session.logger.events.compactMap { $0.fields[.attemptId] })
        #expect(attempts.count == 1)
    }

    @Test func brokenSynthesizerIsAnErrorAfterRetries() async throws {
        let session = SpeechSession()
        session.synthesizer.fail(Array(repeating: .ioError("the process died"), count: 3))
        try await session.engine.loadContent(.text("Alpha.", language: nil))
        let playing = Task { try await session.engine.play() }
        for delay in [0.1, 0.3] {
            await session.clock.waitForSleepers()
            session.clock.advance(seconds: delay)
        }
        await #expect(throws: CoreError.self) { try await playing.value }
        // The next one succeeds.
        try await session.engine.play()
        try await session.finish()
    }
}
