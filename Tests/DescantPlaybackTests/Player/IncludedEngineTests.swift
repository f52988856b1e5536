import DescantCore
import DescantPlayback
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// Engines of the host that count as parts of a player.
@Suite(.timeLimit(.minutes(2)))
struct IncludedEngineTests {
    private static let text = "Alpha beta gamma delta epsilon zeta eta theta iota kappa lambda."
    /// The frames of the player's and the voice's ramps.
    private static let ramp = 80
    private static let configuration = PlayerConfiguration(crossfadeDuration: 0, stopFadeDuration: 0)

    /// A rising track and a voice on one mixer, and a player in a scripted session.
    private struct Rig {
        let session: PlayerSession
        let desktop = ScriptedAudioSession()
        let log = RecordingLogger()
        let coordinator: AudioSessionCoordinator
        let player: AudioPlayerService
        let voice: SpeechEngine
        let states: EventRecorder<EngineState>

        init(_ policy: AudioSessionPolicy = AudioSessionPolicy()) async {
            session = await PlayerSession()
            let engine = session.manual.engine
            coordinator = AudioSessionCoordinator(port: desktop, policy: policy, clock: session.clock, logger: log)
            player = AudioPlayerService(engine: engine, clock: session.clock, session: coordinator)
            var settings = SpeechSession.settings
            settings.pauseRamp = 0.01
            voice = SpeechEngine(
                identifier: "tones", synthesizer: ToneSynthesizer(), mixer: engine, settings: settings,
                clock: session.clock)
            states = EventRecorder(voice.stateUpdates)
            await player.include(voice)
        }

        /// The samples of the track, of which each has a value of its own.
        static let track = (0..<80_000).map { Float($0 + 1) / 200_000 }

        func playTrack() async throws {
            let url = PlayerSession.url("rising")
            session.manual.decks.register(SampleBuffer(format: PlayerSession.format, samples: Self.track), for: url)
            try await player.loadPlaylist([url], configuration: IncludedEngineTests.configuration)
        }

        func speak() async throws {
            try await voice.loadContent(.text(IncludedEngineTests.text, language: nil))
            try await voice.play()
        }

        func wait(for state: EngineState) async throws {
            try await states.wait { (all: [EngineState]) in all.last == state }
        }

        /// Waits until the mixer has carried out a command on both.
        ///
        /// A call of the player waits for an engine for a second at most, which a busy machine exceeds.
        func waitForMixer(_ activity: LayerStatus.Activity) async {
            let engine = session.manual.engine
            for layer in [engine.mainLayer, await voice.layer] {
                while await engine.status(of: layer).activity != activity, !Task.isCancelled { await Task.yield() }
            }
        }

        /// Waits until the player has noticed what the host has done with the voice.
        func waitForStatus(_ status: NowPlaying.Status) async {
            while await player.nowPlaying().status != status, !Task.isCancelled { await Task.yield() }
        }

        func waitForSession(_ state: AudioSessionState) async {
            for await status in coordinator.updates where status.state == state { return }
        }

        /// Expects that both stood still from one frame on for a second and continued there.
        func expectPause(at frame: Int) async throws {
            let manual = session.manual
            let ramp = IncludedEngineTests.ramp
            #expect(manual.rendered.samples.dropFirst(frame + ramp).prefix(8_000 - ramp).allSatisfy { $0 == 0 })
            let speech = try await SpeechSession.sound(IncludedEngineTests.text)
            for (layer, source) in [(manual.engine.mainLayer, Self.track), (await voice.layer, speech)] {
                let samples = manual.output.rendered(of: layer).samples
                #expect(Array(samples.prefix(frame)) == Array(source.prefix(frame)))
                let (heard, rest) = (samples.dropFirst(frame + 8_000 + ramp), source.dropFirst(frame + ramp))
                let count = min(heard.count, rest.count)
                #expect(count > 4_000 && Array(heard.prefix(count)) == Array(rest.prefix(count)))
            }
        }
    }

    @Test func pauseOfEverythingPausesAVoice() async throws {
        let rig = await Rig()
        try await rig.playTrack()
        try await rig.speak()
        try await rig.session.advance(1)
        await rig.player.pauseAll()
        await rig.waitForMixer(.paused)
        #expect(await rig.voice.engineState == .paused)
        try await rig.session.advance(1)
        await rig.player.resumeAll()
        await rig.waitForMixer(.playing)
        try await rig.session.advance(1)
        try await rig.expectPause(at: 8_000)
        await rig.player.stopAll()
        await rig.waitForMixer(.stopping)
        #expect(await rig.voice.engineState == .idle)
        try await rig.session.advance(1)
        #expect(rig.session.manual.rendered.samples.suffix(7_900).allSatisfy { $0 == 0 })
        await rig.waitForSession(.inactive)
        #expect(rig.desktop.activeConfiguration == nil)
        await rig.voice.shutdown()
    }

    @Test func callPausesAVoice() async throws {
        let rig = await Rig()
        try await rig.playTrack()
        try await rig.speak()
        try await rig.session.advance(1)
        let call = rig.desktop.beginStream(.phone)
        await rig.waitForMixer(.paused)
        try await rig.session.advance(1)
        rig.desktop.endStream(call)
        await rig.waitForMixer(.playing)
        try await rig.session.advance(1)
        try await rig.expectPause(at: 8_000)
        await rig.voice.shutdown()
    }

    @Test func voiceAloneTakesPartInTheSession() async throws {
        let rig = await Rig()
        #expect(rig.desktop.activeConfiguration == nil)
        try await rig.speak()
        await rig.waitForSession(.active)
        #expect(await rig.player.nowPlaying().status == .playing)
        let call = rig.desktop.beginStream(.phone)
        try await rig.wait(for: .paused)
        rig.desktop.endStream(call)
        try await rig.wait(for: .playing)
        // A pause of the host is kept, and a remote control pauses and resumes a voice as it does music.
        await rig.voice.pause()
        let second = rig.desktop.beginStream(.phone)
        rig.desktop.endStream(second)
        await rig.log.wait(for: "session.interruptionEnded", count: 2)
        #expect(await rig.voice.engineState == .paused)
        await rig.player.resumeAll()
        #expect(await rig.voice.engineState == .paused)
        try await rig.voice.play()
        await rig.waitForStatus(.playing)
        try await rig.player.perform(.togglePlayPause)
        await rig.waitForStatus(.paused)
        #expect(await rig.voice.engineState == .paused)
        try await rig.player.perform(.togglePlayPause)
        for await state in rig.voice.stateUpdates where state == .playing { break }
        try await rig.session.advance(5)
        try await rig.wait(for: .finished)
        await rig.waitForSession(.inactive)
        await rig.voice.shutdown()
    }

    @Test func voiceThatTheHostHasResumedIsNotResumedAgain() async throws {
        let rig = await Rig()
        try await rig.speak()
        await rig.player.pauseAll()
        await rig.waitForStatus(.paused)
        try await rig.voice.play()
        await rig.waitForStatus(.playing)
        await rig.voice.pause()
        await rig.player.resumeAll()
        #expect(await rig.voice.engineState == .paused)
        await rig.voice.shutdown()
    }

    @Test func refusedSessionPausesAVoice() async throws {
        let rig = await Rig()
        let events = EventRecorder(rig.player.events)
        rig.desktop.refuse(.ioError("no server"))
        try await rig.speak()
        try await events.wait { $0.kind == .error(.sessionError("no server")) }
        try await rig.wait(for: .paused)
        #expect(rig.desktop.activeConfiguration == nil)
        await rig.voice.shutdown()
    }

    @Test func outputThatStaysLostPausesAVoice() async throws {
        let session = await PlayerSession.realTime()
        let voice = SpeechEngine(
            identifier: "tones", synthesizer: ToneSynthesizer(), mixer: session.manual.engine,
            settings: SpeechSession.settings, clock: session.clock)
        await session.player.include(voice)
        try await voice.loadContent(.text(Self.text, language: nil))
        try await voice.play()
        while await session.player.nowPlaying().status != .playing, !Task.isCancelled { await Task.yield() }
        session.manual.output.lose(reason: "unplugged")
        await session.clock.waitForSleepers()
        session.clock.advance(seconds: 30)
        try await session.events.wait { $0.kind == .error(.sessionError("unplugged")) }
        for await state in voice.stateUpdates where state == .paused { break }
        await voice.shutdown()
    }

    @Test func engineThatWasExcludedOrReleasedCountsNoMore() async throws {
        let rig = await Rig()
        try await rig.speak()
        await rig.waitForSession(.active)
        await rig.player.exclude(rig.voice)
        #expect(rig.desktop.activeConfiguration == nil)
        await rig.player.pauseAll()
        #expect(await rig.voice.engineState == .playing)
        await rig.voice.shutdown()

        var engine: ScriptedEngine? = ScriptedEngine("other")
        weak let released = engine
        try await engine?.loadContent(.text("text", language: nil))
        try await engine?.play()
        if let engine { await rig.player.include(engine) }
        await rig.waitForSession(.active)
        engine = nil
        await rig.waitForSession(.inactive)
        #expect(released == nil)
    }

    @Test func engineThatHangsHoldsUpNoCommand() async throws {
        let rig = await Rig()
        let engine = StuckEngine()
        engine.hang(.suspended, [.pause])
        try await engine.base.loadContent(.text("text", language: nil))
        try await engine.play()
        await rig.player.include(engine)
        try await rig.playTrack()
        // Returns although the engine does not answer.
        await rig.player.pauseAll()
        #expect(await rig.player.state == .paused)
        // Its pause is carried out late, and is that of everything all the same.
        engine.release()
        for await state in engine.stateUpdates where state == .paused { break }
        await rig.player.resumeAll()
        #expect(await rig.player.state == .playing)
        for await state in engine.stateUpdates where state == .playing { break }
        #expect(engine.base.calls.suffix(2) == ["pause", "play"])
        await rig.voice.shutdown()
    }
}
