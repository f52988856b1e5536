import DescantCore
import DescantPlayback
import DescantTesting
import Testing

/// Recovery: a synthesizer that fails in a sentence, missing sound, obsolete work.
@Suite(.timeLimit(.minutes(2)))
struct SpeechRecoveryTests {
    private static func chunk(_ samples: [Float], _ marks: [SpeechMark] = []) -> SpeechChunk {
        SpeechChunk(samples: samples, sampleRate: 8_000, marks: marks)
    }

    private func session(_ attempts: [ScriptedSynthesizer.Attempt]) -> SpeechSession {
        SpeechSession(synthesizer: GatedSynthesizer(ScriptedSynthesizer(attempts)))
    }

    /// Starts speaking, and lets every attempt begin.
    private func speak(_ text: String, in session: SpeechSession, attempts: Int) async throws {
        try await session.engine.loadContent(.text(text, language: nil))
        let playing = Task { try await session.engine.play() }
        for delay in [0.1, 0.3].prefix(attempts - 1) {
            await session.clock.waitForSleepers()
            session.clock.advance(seconds: delay)
        }
        try await playing.value
    }

    /// Every attempt begins with the first sample; each is heard once, also when the second attempt comes less far than the
    /// first.
    @Test func retriesAfterFailuresRepeatNoSound() async throws {
        let sound = (0..<12_000).map { 0.1 + Float($0) / 40_000 }
        let parts = stride(from: 0, to: 12_000, by: 3_000).map { Self.chunk(Array(sound[$0..<$0 + 3_000])) }
        let session = session([
            .init(chunks: Array(parts[..<3]), error: .ioError("died")),
            .init(chunks: Array(parts[..<1]), error: .ioError("died again")), .init(chunks: parts),
        ])
        try await speak("Alpha.", in: session, attempts: 3)
        try await session.finish()
        #expect(session.samples == sound)
    }

    @Test func marksBeforeTheFirstSoundCountItsDroppedSilence() async throws {
        let mark = SpeechMark(kind: .word, utf8Range: 0..<5, frame: 2_000, isEstimated: false)
        let session = session([
            .init(chunks: [
                Self.chunk(Array(repeating: 0, count: 1_000), [mark]), Self.chunk(Array(repeating: 0, count: 1_000)),
                Self.chunk(Array(repeating: 0.5, count: 4_000)),
            ])
        ])
        try await session.speak("Alpha.")
        try await session.finish()
        try await session.events.wait { $0.kind == .finished }
        let onset = try #require(session.samples.firstIndex { $0 != 0 })
        #expect(session.words(in: "Alpha.").map(\.frame) == [Int64(onset)])
    }

    /// An interrupted sentence continues at the word.
    @Test func speechContinuesAtTheWordAfterAFailure() async throws {
        let text = "Alpha beta gamma delta."
        let words = try await Self.chunks(of: text)
        let session = session([
            .init(chunks: Array(words[..<3]), error: .decodeError("damaged")),
            .init(chunks: try await Self.chunks(of: "gamma delta.")),
        ])
        session.synthesizer.hold()
        session.synthesizer.release(1)
        try await session.speak(text)
        session.synthesizer.release()
        let layer = await session.engine.layer
        _ = try await session.manual.engine.advance(frames: 80_000, untilIdle: layer)
        try await session.states.wait { (states: [EngineState]) in
            if case .failed = states.last { true } else { false }
        }
        let broken = session.samples.count
        #expect(await session.engine.utf8Offset == 11)
        #expect(await session.engine.currentTime > 0.3)
        try await session.engine.play()
        try await session.finish()
        #expect(Array(session.samples[broken...]) == (try await SpeechSession.sound("gamma delta.")))
    }

    /// A sentence that fails while it is awaited is not made again and again.
    @Test func aSentenceThatFailsWhileItIsAwaitedIsAnError() async throws {
        let broken = ScriptedSynthesizer.Attempt(chunks: [], error: .decodeError("no voice left"))
        let session = session(
            [.init(chunks: try await Self.chunks(of: "Alpha beta."))] + Array(repeating: broken, count: 20)
                + [.init(chunks: try await Self.chunks(of: "Gamma."))])
        try await session.speak("Alpha beta. Gamma.")
        let layer = await session.engine.layer
        _ = try await session.manual.engine.advance(frames: 80_000, untilIdle: layer)
        try await session.states.wait { (states: [EngineState]) in
            if case .failed = states.last { true } else { states.last == .finished }
        }
        guard case .failed(let error) = await session.engine.engineState else {
            Issue.record("it was made \(session.synthesizer.requests.count) times")
            return
        }
        #expect(error.message.contains("no voice left"))
        #expect(await session.engine.utf8Offset == 12)
        // Once ahead, and once when it was due.
        #expect(session.synthesizer.requests.count <= 3)
    }

    private static func chunks(of text: String) async throws -> [SpeechChunk] {
        var chunks: [SpeechChunk] = []
        for try await chunk in ToneSynthesizer().synthesize(SpeechRequest(text: text)) { chunks.append(chunk) }
        return chunks
    }

    // MARK: Missing sound

    @Test func resumeWithoutSoundIsReportedAsBuffering() async throws {
        let session = SpeechSession(realTime: true)
        session.synthesizer.hold()
        try await session.speak("Alpha beta gamma delta.")
        session.synthesizer.release(1)
        await session.manual.output.stepUntil { session.states.all.suffix(2) == [.playing, .buffering] }
        await session.engine.pause()
        #expect(await session.engine.isPaused)
        try await session.engine.play()
        await session.manual.output.step(frames: 800)
        #expect(await session.engine.engineState == .buffering)
        session.synthesizer.release()
        await session.manual.output.stepUntil { await session.engine.engineState == .finished }
    }

    /// The last of two commands is carried out, and the state matches it.
    @Test func concurrentPauseAndPlayEndInOneState() async throws {
        let text = (0..<40).map { "Alpha beta gamma delta \($0)." }.joined(separator: " ")
        let session = SpeechSession()
        try await session.speak(text)
        for _ in 0..<60 {
            try await session.render(160)
            async let pausing: Void = session.engine.pause()
            async let playing: Void = session.engine.play()
            _ = try await (pausing, playing)
            let before = session.samples.count
            try await session.render(4_800)
            let isSilent = session.samples[before...].allSatisfy { $0 == 0 }
            #expect(await session.engine.isPaused == isSilent)
            try await session.engine.play()
        }
    }

    // MARK: Work

    /// Many changes of speed cancel the synthesis of sentences at obsolete speeds.
    @Test func manySpeedChangesCancelObsoleteWork() async throws {
        let session = SpeechSession()
        let text = (0..<8).map { "Number \($0) alpha beta gamma delta." }.joined(separator: " ")
        try await session.speak(text)
        await session.synthesizer.waitForRequests(4)
        try await session.render(500)
        session.synthesizer.hold()
        for step in 1...20 { try await session.engine.setRate(1 + Double(step) / 20) }
        session.synthesizer.release()
        try await session.finish()
        let made = session.synthesizer.requests.count - session.synthesizer.cancelledCount
        // The eight sentences, and those that were synthesised before the first change.
        #expect(made <= 20, "\(made) of \(session.synthesizer.requests.count)")
        #expect(session.synthesizer.requests.last?.rate == 2)
    }

    /// A synthesizer that ends a cancelled sentence later gets the next one meanwhile.
    @Test func aCancelledRequestDelaysNoOther() async throws {
        var capabilities = ToneSynthesizer().capabilities
        capabilities.cancelGranularity = .sentence
        capabilities.concurrency = 1
        let session = SpeechSession(realTime: true, synthesizer: GatedSynthesizer(capabilities: capabilities))
        session.synthesizer.hold()
        try await session.speak("Alpha beta. Gamma. Delta epsilon.")
        await session.synthesizer.waitForRequests(1)
        try await session.engine.seek(toSentence: 2)
        await session.synthesizer.waitForRequests(2)
        #expect(session.synthesizer.requests.map(\.text) == ["Alpha beta.", "Delta epsilon."])
        session.synthesizer.release()
        await session.engine.shutdown()
    }

    @Test func stopAfterTheEndCancelsNothing() async throws {
        let session = SpeechSession()
        try await session.speak("Alpha.")
        try await session.finish()
        await session.engine.stop()
        #expect(await session.engine.engineState == .idle)
        #expect(!session.logger.events.contains { $0.name == "speech.didCancel" })
        try await session.engine.play()
        try await session.render(100)
        await session.engine.stop()
        #expect(session.logger.events.count { $0.name == "speech.didCancel" } == 1)
    }
}
