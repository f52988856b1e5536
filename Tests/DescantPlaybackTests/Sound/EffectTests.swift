import DescantCore
import DescantPlayback
import DescantTesting
import Foundation
import Testing

/// Sound effects, on the right channel beside a main layer on the left.
@Suite(.timeLimit(.minutes(5)))
struct EffectTests {
    private let rate = PlayerSession.stereo.sampleRate

    private func session() async throws -> PlayerSession {
        let session = await PlayerSession.inStereo()
        session.level("ping", 0.5, channel: 1, seconds: 0.5)
        session.level("gong", 0.25, channel: 1, seconds: 4)
        try await session.player.loadPlaylist(
            [session.level("main", 0.25, channel: 0, seconds: 20)],
            configuration: PlayerConfiguration(crossfadeDuration: 0))
        return session
    }

    private let ping = SoundEffect(url: PlayerSession.url("ping"))
    private let gong = SoundEffect(url: PlayerSession.url("gong"))

    private func right(_ session: PlayerSession) -> [Float] { session.manual.rendered.channel(1) }

    @Test func defaultsAndClamps() {
        #expect(ping.fadeIn == 0 && ping.fadeOut == 0.3 && ping.volume == 0.8)
        var effect = SoundEffect(url: ping.url, fadeIn: -1, fadeOut: 11, volume: 2)
        #expect(effect.fadeIn == 0 && effect.fadeOut == 10 && effect.volume == 1)
        effect.volume = -1
        #expect(effect.volume == 0)
    }

    /// The very next rendered frame is the effect's first one.
    @Test func preloadedEffectSoundsInTheNextFrameAndToItsLastOne() async throws {
        let session = try await session()
        try await session.player.preloadSoundEffects([ping])
        #expect(await session.player.loadedSoundEffects == [ping.url])
        try await session.advance(0.1003)
        let start = session.manual.rendered.frameCount
        try await session.player.playSoundEffect(ping)
        try await session.advance(1)
        try await session.events.wait { $0.kind == .effectEnded(ping.url) }
        let samples = right(session)
        #expect(samples[0..<start].allSatisfy { $0 == 0 })
        #expect(samples[start..<start + rate / 2].allSatisfy { $0 == 0.4 })
        #expect(samples[(start + rate / 2)...].allSatisfy { $0 == 0 })
        let started = session.events.all.first { $0.kind == .effectStarted(ping.url) }
        #expect(started?.frame == Int64(start))
        #expect(await session.player.playingSoundEffects == 0)
    }

    /// In real time: the first block that the device asks for after the call begins with the effect.
    @Test func preloadedEffectSoundsWithinOneBlockInRealTime() async throws {
        let session = await PlayerSession(.realTime(format: PlayerSession.stereo))
        session.level("ping", 0.5, channel: 1, seconds: 0.5)
        try await session.player.loadPlaylist([session.level("main", 0.25, channel: 0, seconds: 20)])
        try await session.player.preloadSoundEffects([ping])
        try await session.advance(0.06)
        let start = session.manual.rendered.frameCount
        try await session.player.playSoundEffect(ping)
        try await session.advance(0.06)
        #expect(right(session)[start] == 0.4)
    }

    @Test func effectsSoundSeveralTimesAtOnce() async throws {
        let session = try await session()
        await session.player.setLimiter(enabled: false)
        try await session.player.preloadSoundEffects([ping, gong])
        try await session.player.playSoundEffect(ping)
        try await session.advance(0.25)
        try await session.player.playSoundEffect(ping)
        try await session.player.playSoundEffect(gong)
        #expect(await session.player.playingSoundEffects == 3)
        try await session.advance(0.5)
        let samples = right(session)
        #expect(samples[rate / 8] == 0.4)
        #expect(abs(samples[rate / 4 + rate / 8] - (0.4 + 0.4 + 0.2)) < 1e-6)
        #expect(abs(samples[rate / 2 + rate / 8] - (0.4 + 0.2)) < 1e-6)
        // The clips were read once each, when they were loaded.
        #expect(session.manual.decks.openedNames.count { $0.hasSuffix("ping.wav") } == 1)
    }

    @Test func fadesInAndIsStoppedInAFade() async throws {
        let session = try await session()
        try await session.player.playSoundEffect(gong, fadeDuration: 0.5)
        try await session.advance(1)
        await session.player.stopSoundEffect()
        try await session.advance(1)
        try await session.events.wait { $0.kind == .effectEnded(gong.url) }
        let samples = right(session)
        #expect(deviation(of: samples, in: 0..<rate / 2) { 0.2 * Double($0) / Double(rate / 2) } == nil)
        let fade = rate * 3 / 10
        #expect(deviation(of: samples, in: rate..<rate + fade) { 0.2 * (1 - Double($0) / Double(fade)) } == nil)
        #expect(samples[(rate + fade)...].allSatisfy { $0 == 0 })
    }

    @Test func volumeOfAllEffectsIsRamped() async throws {
        let session = try await session()
        try await session.player.playSoundEffect(gong)
        try await session.advance(1)
        await session.player.setSoundEffectVolume(0.5)
        try await session.advance(1)
        try await session.player.playSoundEffect(ping)
        try await session.advance(0.25)
        let samples = right(session)
        #expect(samples[rate - 1] == 0.2)
        #expect(abs(samples[rate + rate / 100] - 0.1) < 1e-6)
        #expect(abs(samples[2 * rate] - 0.3) < 1e-6)
        #expect(maximumStep(of: samples, in: rate - 1..<rate + rate / 100 + 1) < 0.002)
    }

    @Test func clipCacheKeepsTenAndEvictsTheLeastUsed() async throws {
        let session = try await session()
        let effects = (0..<11).map { SoundEffect(url: session.level("e\($0)", 0.1, channel: 1, seconds: 0.1)) }
        try await session.player.preloadSoundEffects(Array(effects[0..<10]))
        try await session.player.playSoundEffect(effects[0])
        try await session.player.preloadSoundEffects([effects[10]])
        let loaded = await session.player.loadedSoundEffects
        #expect(loaded.count == 10)
        #expect(!loaded.contains(effects[1].url))
        #expect(loaded.suffix(2) == [effects[0].url, effects[10].url])
        await session.player.unloadSoundEffects([effects[0]])
        #expect(await session.player.loadedSoundEffects.count == 9)
        await session.player.unloadSoundEffects()
        #expect(await session.player.loadedSoundEffects.isEmpty)
        try await session.advance(0.05)
        // A playing effect continues although its clip was evicted.
        #expect(abs(right(session)[100] - 0.08) < 1e-6)
    }

    @Test func badEffectsAreReportedWithoutChanges() async throws {
        let session = try await session()
        let missing = SoundEffect(url: PlayerSession.url("missing"))
        await #expect(throws: AudioPlayerError.fileNotFound(missing.url)) {
            try await session.player.preloadSoundEffects([ping, missing])
        }
        #expect(await session.player.loadedSoundEffects.isEmpty)
        await #expect(throws: AudioPlayerError.fileNotFound(missing.url)) {
            try await session.player.playSoundEffect(missing)
        }
        let broken = SoundEffect(url: session.track("broken", seconds: 1, fault: Self.unreadable))
        await #expect(throws: AudioPlayerError.self) { try await session.player.playSoundEffect(broken) }
        #expect(await session.player.playingSoundEffects == 0)
    }

    private static var unreadable: DeckFault {
        var fault = DeckFault()
        fault.failure = (100, .decodeError("damaged"))
        return fault
    }

    @Test func allIsPausedResumedAndStoppedWithEffects() async throws {
        let session = try await session()
        try await session.player.playSoundEffect(gong)
        try await session.player.startOverlay(
            url: PlayerSession.url("gong"), configuration: OverlayConfiguration(volume: 0.5, fadeInDuration: 0.1),
            id: "x")
        try await session.advance(1)
        await session.player.pauseAll()
        try await session.advance(1)
        await session.player.resumeAll()
        try await session.advance(1)
        await session.player.stopAll()
        try await session.advance(1)
        let (left, samples) = (session.manual.rendered.channel(0), right(session))
        #expect(abs(samples[rate - 1] - 0.325) < 1e-6)
        #expect(samples[rate + rate / 100..<2 * rate].allSatisfy { $0 == 0 })
        #expect(left[rate + rate / 100..<2 * rate].allSatisfy { $0 == 0 })
        #expect(abs(samples[3 * rate - 1] - 0.325) < 1e-6)
        #expect(samples[(3 * rate + rate / 100)...].allSatisfy { $0 == 0 })
        #expect(left[(3 * rate + rate / 100)...].allSatisfy { $0 == 0 })
        #expect(await session.player.activeOverlays.isEmpty)
        try await session.events.wait { $0.kind == .effectEnded(gong.url) }
        #expect(await session.player.playingSoundEffects == 0)
    }

    // MARK: Loading

    @Test func anEffectThatTwoCallsLoadAtOnceSoundsTwice() async throws {
        let session = try await session()
        await session.player.setLimiter(enabled: false)
        let slow = SoundEffect(url: session.slowTrack(level: 0.5))
        let calls = (0..<2).map { _ in Task { try await session.player.playSoundEffect(slow) } }
        await session.waitForOpening(of: slow.url, count: 2)
        session.manual.decks.release(slow.url.path)
        for call in calls { try await call.value }
        #expect(await session.player.playingSoundEffects == 2)
        #expect(await session.player.loadedSoundEffects == [slow.url])
        try await session.advance(1)
        #expect(right(session)[rate / 2] == 0.8)
    }

    @Test(arguments: ["slow", "ping"])
    func aNamedStopEndsOnlyItsEffectThatIsBeingLoaded(name: String) async throws {
        let session = try await session()
        let slow = SoundEffect(url: session.slowTrack(level: 0.5))
        let call = Task { try await session.player.playSoundEffect(slow) }
        await session.waitForOpening(of: slow.url)
        await session.player.stopSoundEffect(PlayerSession.url(name))
        session.manual.decks.release(slow.url.path)
        if name == "slow" {
            await #expect(throws: CancellationError.self) { try await call.value }
        } else {
            try await call.value
        }
        #expect(await session.player.playingSoundEffects == (name == "slow" ? 0 : 1))
    }

    @Test func anEffectThatIsLoadedDuringTheNextPauseBeginsPaused() async throws {
        let session = try await session()
        let slow = SoundEffect(url: session.slowTrack(level: 0.5))
        await session.player.pauseAll()
        let call = Task { try await session.player.playSoundEffect(slow) }
        await session.waitForOpening(of: slow.url)
        await session.player.resumeAll()
        await session.player.pauseAll()
        session.manual.decks.release(slow.url.path)
        try await call.value
        try await session.advance(1)
        #expect(right(session).suffix(rate / 2).allSatisfy { $0 == 0 })
        await session.player.resumeAll()
        try await session.advance(1)
        #expect(right(session).last == 0.4)
    }

    @Test func anEffectThatIsLoadedLatePausesNoOther() async throws {
        let session = try await session()
        let slow = SoundEffect(url: session.slowTrack(level: 0.5))
        let call = Task { try await session.player.playSoundEffect(slow) }
        await session.waitForOpening(of: slow.url)
        await session.player.pauseAll()
        let ping = SoundEffect(url: PlayerSession.url("ping"), volume: 1)
        try await session.player.playSoundEffect(ping)
        try await session.advance(0.1)
        let level = try #require(right(session).last)
        #expect(level > 0)
        session.manual.decks.release(slow.url.path)
        try await call.value
        try await session.advance(0.1)
        #expect(right(session).last == level)
        await session.player.resumeAll()
        try await session.advance(0.1)
        #expect(try #require(right(session).last) > level)
    }

    /// The session has ended with the pause where the policy says so.
    @Test func resumedEffectsActivateTheSession() async throws {
        let session = await PlayerSession.inStereo()
        let desktop = ScriptedAudioSession()
        let coordinator = AudioSessionCoordinator(
            port: desktop, policy: AudioSessionPolicy(deactivatesOnPause: true), clock: session.clock)
        let player = AudioPlayerService(engine: session.manual.engine, clock: session.clock, session: coordinator)
        try await player.playSoundEffect(
            SoundEffect(url: session.level("gong", 0.25, channel: 1, seconds: 4)))
        try await session.advance(1)
        await player.pauseAll()
        #expect(desktop.activeConfiguration == nil)
        await player.resumeAll()
        #expect(desktop.activeConfiguration != nil)
        try await session.advance(1)
        #expect(right(session).last == 0.2)
    }
}
