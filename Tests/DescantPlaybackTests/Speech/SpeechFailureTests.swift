import DescantCore
import DescantPlayback
import DescantTesting
import Testing

/// The state after a failure: silence, no deck, and a position to resume at.
@Suite(.timeLimit(.minutes(2)))
struct SpeechFailureTests {
    private static let sentences = ["Alpha beta.", "Gamma delta epsilon.", "Zeta eta."]
    private static let text = sentences.joined(separator: " ")

    private func speaking() async throws -> SpeechSession {
        let session = SpeechSession()
        try await session.speak(Self.text)
        try await session.render(1_000)
        try await session.wait(for: .playing)
        return session
    }

    private func applyUnknownVoice(in session: SpeechSession) async {
        var settings = SpeechSession.settings
        settings.voice = "nobody"
        await #expect(throws: CoreError.notFound("voice nobody")) { try await session.engine.apply(settings) }
    }

    @Test func failureWhilePausedIsRetriedByPlay() async throws {
        let session = try await speaking()
        await session.engine.pause()
        await applyUnknownVoice(in: session)
        try await session.engine.apply(SpeechSession.settings)
        try await session.engine.seek(toSentence: 1)
        let before = session.samples.count
        try await session.engine.play()
        try await session.render(4_000)
        let rest = try await SpeechSession.sound(Array(Self.sentences[1...]))
        #expect(Array(session.samples[before...]) == Array(rest[..<4_000]))
    }

    @Test func failureIsSilentAtOnce() async throws {
        let session = try await speaking()
        await applyUnknownVoice(in: session)
        let before = session.samples.count
        try await session.render(8_000)
        // After the ramp against clicks.
        #expect(session.samples[(before + 200)...].allSatisfy { $0 == 0 })
        #expect(await session.engine.engineState == .failed(.notFound("voice nobody")))
        #expect(session.logger.events.count { $0.name == "speech.didFail" } == 1)
    }

    /// The end of the deck may be reported before the error.
    @Test func missingDeviceKeepsThePosition() async throws {
        let session = SpeechSession(realTime: true)
        try await session.engine.loadContent(.text(Self.text, language: nil))
        try await session.engine.seek(toSentence: 1)
        session.manual.output.setStartError(.ioError("no device"))
        for _ in 0..<30 {
            try? await session.engine.play()
            // The call waits 80 ms at most for its attempt. The recorded states may still end with the attempt before.
            var state = await session.engine.engineState
            while state == .buffering || state == .playing, !Task.isCancelled {
                await Task.yield()
                state = await session.engine.engineState
            }
            #expect(state == .failed(.ioError("no device")))
            #expect(await session.engine.utf8Offset == 12)
        }
        session.manual.output.setStartError(nil)
        try await session.engine.play()
        await session.manual.output.stepUntil { await session.engine.engineState == .finished }
        let rest = try await SpeechSession.sound(Array(Self.sentences[1...]))
        #expect(session.samples.filter { $0 != 0 } == rest.filter { $0 != 0 })
    }

    // MARK: Settings

    @Test func impossibleSettingsAreRefused() async throws {
        let session = try await speaking()
        let tracks = SpeechTracks(identifier: "tones", synthesizer: ToneSynthesizer())
        let changes: [@Sendable (inout SpeechSettings) -> Void] = [
            { $0.rate = 0 }, { $0.rate = .nan }, { $0.rate = 9 }, { $0.pitch = .nan }, { $0.pauseRamp = .infinity },
            { $0.pauses.clause = .infinity }, { $0.pauses.sentence = 61 }, { $0.pauses.paragraph = .nan },
        ]
        for change in changes {
            var settings = SpeechSession.settings
            change(&settings)
            await #expect(throws: CoreError.self) { try await session.engine.apply(settings) }
            #expect(throws: CoreError.self) { try tracks.add("Alpha.", settings: settings) }
        }
        #expect(await session.engine.settings == SpeechSession.settings)
    }

    @Test(arguments: [
        ("Alpha.", "Alpha."), ("Version 1.5\n is in/out – 50 %?", "Version 1.5 is in/out – 50 %?"),
        (
            "In the beginning there was a text of very many words, and it went on.",
            "In the beginning there was a text of very many words, and it…"
        ), (String(repeating: "a", count: 100), String(repeating: "a", count: 60) + "…"),
    ])
    func spokenTrackIsTitledByItsFirstWords(text: String, title: String) throws {
        let tracks = SpeechTracks(identifier: "tones", synthesizer: ToneSynthesizer())
        #expect(Track(url: try tracks.add(text)).title == title)
        #expect(try tracks.add(text) != tracks.add(text))
    }

    @Test(arguments: [0, Double.nan, .infinity])
    func invalidInitialSettingsAreClamped(value: Double) async throws {
        let pauses = SpeechPauses(clause: value, sentence: value, paragraph: value)
        let settings = SpeechSettings(rate: value, pitch: value, pauses: pauses, pauseRamp: value)
        let session = SpeechSession(settings: settings)
        #expect(await session.engine.settings.rate == (value.isNaN ? 1 : value == 0 ? 0.25 : 4))
        try await session.speak("Alpha.")
        try await session.finish()
    }

    /// Nothing can be reckoned with a rate of 0, so the synthesizer speaks at its normal one and its sound is stretched.
    @Test func impossibleRatesOfASynthesizerDoNotMatter() async throws {
        for rates in [0...0, 0...Double.infinity, -1...1] {
            var capabilities = ToneSynthesizer().capabilities
            capabilities.rateRange = rates
            let session = SpeechSession(synthesizer: GatedSynthesizer(capabilities: capabilities))
            try await session.speak("Alpha.")
            try await session.finish()
            #expect(session.samples == (try await SpeechSession.sound("Alpha.")))
            #expect(session.synthesizer.requests.map(\.rate) == [1])
        }
    }
}
