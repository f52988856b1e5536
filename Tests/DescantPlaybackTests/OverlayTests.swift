import DescantCore
import DescantTesting
import Foundation
import Testing

@testable import DescantPlayback

/// One overlay beside the main layer, and calls that concern everything.
@Suite(.timeLimit(.minutes(2)))
struct OverlayTests {
    private let gapless = PlayerConfiguration(crossfadeDuration: 0)
    private let plain = OverlayConfiguration(volume: 0.5)

    private func playing() async throws -> PlayerSession {
        let session = await PlayerSession()
        try await session.player.loadPlaylist([session.track("a", level: 0.1, seconds: 20)], configuration: gapless)
        session.track("rain", level: 0.4, seconds: 2)
        session.track("sea", level: 0.8, seconds: 2)
        return session
    }

    private func changes(_ session: PlayerSession) -> [OverlayState] {
        session.events.all.compactMap { if case .overlayChanged(_, let state) = $0.kind { state } else { nil } }
    }

    private func wait(for state: OverlayState, in session: PlayerSession) async throws {
        try await session.events.wait { (events: [PlayerEvent]) in
            let last = events.last { if case .overlayChanged = $0.kind { true } else { false } }
            return last?.kind == .overlayChanged(.default, state)
        }
    }

    /// Waits for the end of a crossfade: the state before it was `.playing` too.
    private func waitForCrossfade(in session: PlayerSession) async throws {
        try await session.events.wait { (events: [PlayerEvent]) in
            let states = events.compactMap { event -> OverlayState? in
                if case .overlayChanged(.default, let state) = event.kind { state } else { nil }
            }
            return states.suffix(2) == [.crossfading, .playing]
        }
    }

    @Test func playsOnceBesideTheMainLine() async throws {
        let session = try await playing()
        try await session.player.startOverlay(url: PlayerSession.url("rain"), configuration: plain)
        #expect(await session.player.getOverlayState() == .playing)
        try await session.advance(3)
        try await wait(for: .idle, in: session)
        #expect(abs(session.sample(at: 1) - 0.3) < 1e-6)
        #expect(session.sample(at: 2.01) == 0.1)
        #expect(session.sample(at: 0) < 0.11)
    }

    @Test func overlayDoesNotChangeTheMainLine() async throws {
        let quiet = try await playing()
        try await quiet.advance(10)
        let busy = try await playing()
        try await busy.advance(1)
        try await busy.player.startOverlay(
            url: PlayerSession.url("rain"), configuration: OverlayConfiguration(loopMode: .infinite))
        try await busy.advance(2)
        await busy.player.setOverlayVolume(0.3)
        try await busy.player.replaceOverlay(url: PlayerSession.url("sea"))
        try await busy.advance(2)
        await busy.player.pauseOverlay()
        try await busy.advance(2)
        await busy.player.resumeOverlay()
        try await busy.advance(1)
        await busy.player.stopOverlay()
        try await busy.advance(2)
        let main = quiet.manual.engine.mainLayer
        #expect(quiet.manual.output.rendered(of: main) == busy.manual.output.rendered(of: main))
    }

    @Test func loopsWithADelayAndIsStopped() async throws {
        let session = try await playing()
        try await session.player.startOverlay(
            url: PlayerSession.url("rain"),
            configuration: OverlayConfiguration(volume: 0.5, loopMode: .infinite, loopDelay: 1, fadeOutDuration: 1))
        try await session.advance(6)
        #expect(session.sample(at: 2.5) == 0.1)
        #expect(abs(session.sample(at: 4) - 0.3) < 1e-6)
        #expect(session.sample(at: 5.5) == 0.1)
        try await session.advance(1)
        await session.player.stopOverlay()
        #expect(await session.player.getOverlayState() == .stopping)
        try await session.advance(1.5)
        try await wait(for: .idle, in: session)
        #expect(abs(session.sample(at: 7.5) - 0.2) < 1e-3)
        #expect(session.sample(at: 8.1) == 0.1)
    }

    @Test func pauseFreezesADelayToo() async throws {
        let session = try await playing()
        try await session.player.startOverlay(
            url: PlayerSession.url("rain"),
            configuration: OverlayConfiguration(volume: 0.5, loopMode: .count(2), loopDelay: 1))
        try await session.advance(2.5)
        await session.player.pauseOverlay()
        #expect(await session.player.getOverlayState() == .paused)
        try await session.advance(5)
        await session.player.resumeOverlay()
        #expect(await session.player.getOverlayState() == .playing)
        try await session.advance(2)
        #expect(session.sample(at: 7.9) == 0.1)
        #expect(abs(session.sample(at: 9) - 0.3) < 1e-6)
    }

    @Test func replacementCrossfadesAndKeepsTheState() async throws {
        let session = try await playing()
        let configuration = OverlayConfiguration(volume: 0.5, loopMode: .infinite, crossfadeDuration: 1)
        try await session.player.startOverlay(url: PlayerSession.url("rain"), configuration: configuration)
        try await session.advance(0.5)
        try await session.player.replaceOverlay(url: PlayerSession.url("sea"))
        #expect(await session.player.getOverlayState() == .crossfading)
        try await session.advance(1.2)
        try await waitForCrossfade(in: session)
        #expect(abs(session.sample(at: 1) - 0.4) < 1e-3)
        #expect(abs(session.sample(at: 1.6) - 0.5) < 1e-6)
        await session.player.pauseOverlay()
        try await session.player.replaceOverlay(url: PlayerSession.url("rain"))
        #expect(await session.player.getOverlayState() == .paused)
        try await session.advance(0.5)
        #expect(session.sample(at: 2.1) == 0.1)
        await session.player.resumeOverlay()
        #expect(await session.player.getOverlayState() == .crossfading)
        try await session.advance(1.5)
        try await waitForCrossfade(in: session)
        #expect(abs(session.sample(at: 2.7) - 0.4) < 1e-3)
        #expect(abs(session.sample(at: 3.5) - 0.3) < 1e-6)
    }

    @Test func replacementWithoutOverlapIsNotACrossfade() async throws {
        let session = try await playing()
        let tick = session.track("tick", level: 0.4, seconds: 0.55)
        try await session.player.startOverlay(
            url: tick, configuration: OverlayConfiguration(volume: 0.5, fadesEnds: false))
        try await session.advance(0.5)
        try await session.player.replaceOverlay(url: PlayerSession.url("sea"))
        #expect(await session.player.getOverlayState() == .playing)
        try await session.advance(1)
        #expect(abs(session.sample(at: 1.4) - 0.5) < 1e-6)
    }

    @Test func startingWhileActiveIsAReplacement() async throws {
        let session = try await playing()
        try await session.player.startOverlay(url: PlayerSession.url("rain"), configuration: .ambient)
        try await session.advance(0.5)
        try await session.player.startOverlay(url: PlayerSession.url("sea"), configuration: plain)
        #expect(await session.player.getOverlayState() == .crossfading)
        try await session.advance(1)
        try await waitForCrossfade(in: session)
        #expect(abs(session.sample(at: 1) - 0.5) < 1e-6)
    }

    @Test func callsWithoutAnOverlayAreRefused() async throws {
        let session = try await playing()
        await session.player.stopOverlay()
        await session.player.pauseOverlay()
        await session.player.resumeOverlay()
        await session.player.setOverlayVolume(0.2)
        #expect(await session.player.getOverlayState() == .idle)
        let error = AudioPlayerError.invalidState(current: "overlay idle", attempted: "replaceOverlay")
        await #expect(throws: error) { try await session.player.replaceOverlay(url: PlayerSession.url("rain")) }
        let missing = PlayerSession.url("missing")
        await #expect(throws: AudioPlayerError.fileNotFound(missing)) {
            try await session.player.startOverlay(url: missing, configuration: plain)
        }
        #expect(await session.player.getOverlayState() == .idle)
    }

    @Test func badReplacementKeepsTheOverlay() async throws {
        let session = try await playing()
        let configuration = OverlayConfiguration(volume: 0.5, loopMode: .infinite)
        try await session.player.startOverlay(url: PlayerSession.url("rain"), configuration: configuration)
        let missing = PlayerSession.url("missing")
        await #expect(throws: AudioPlayerError.fileNotFound(missing)) {
            try await session.player.replaceOverlay(url: missing)
        }
        #expect(await session.player.getOverlayState() == .playing)
        try await session.advance(1)
        #expect(abs(session.sample(at: 0.9) - 0.3) < 1e-6)
    }

    // MARK: Everything together

    @Test func allIsPausedAndResumed() async throws {
        let session = try await playing()
        let configuration = OverlayConfiguration(volume: 0.5, loopMode: .infinite)
        try await session.player.startOverlay(url: PlayerSession.url("rain"), configuration: configuration)
        try await session.advance(1)
        await session.player.pauseAll()
        #expect(await session.player.state == .paused)
        #expect(await session.player.getOverlayState() == .paused)
        try await session.advance(1)
        #expect(session.sample(at: 1.5) == 0)
        await session.player.resumeAll()
        #expect(await session.player.state == .playing)
        #expect(await session.player.getOverlayState() == .playing)
    }

    @Test func resumeAllResumesOnlyOverlaysPausedByPauseAll() async throws {
        let session = try await playing()
        let configuration = OverlayConfiguration(volume: 0.5, loopMode: .infinite)
        try await session.player.startOverlay(url: PlayerSession.url("rain"), configuration: configuration)
        await session.player.pauseOverlay()
        await session.player.pauseAll()
        await session.player.resumeAll()
        #expect(await session.player.state == .playing)
        #expect(await session.player.getOverlayState() == .paused)
    }

    /// What a person pauses after ``AudioPlayerService/pauseAll()`` stays paused, as an overlay does.
    @Test func resumeAllLeavesATrackThatWasPausedSince() async throws {
        let session = try await playing()
        await session.player.pauseAll()
        await #expect(throws: Never.self) { try await session.player.pause() }
        await session.player.resumeAll()
        #expect(await session.player.state == .paused)
    }

    /// Begins an overlay whose clip does not open before it is released.
    private func startSlowly(in session: PlayerSession) async -> Task<Void, any Error> {
        let slow = session.slowTrack(level: 0.4)
        let start = Task { try await session.player.startOverlay(url: slow, configuration: plain) }
        await session.waitForOpening(of: slow)
        return start
    }

    @Test func pauseAllPausesAnOpeningOverlay() async throws {
        let session = try await playing()
        let start = await startSlowly(in: session)
        await session.player.pauseAll()
        session.manual.decks.release("/music/slow.wav")
        try await start.value
        #expect(await session.player.getOverlayState() == .paused)
        try await session.advance(1)
        #expect(session.sample(at: 0.9) == 0)
        await session.player.resumeAll()
        #expect(await session.player.getOverlayState() == .playing)
        try await session.advance(1)
        #expect(abs(session.sample(at: 1.9) - 0.3) < 1e-6)
    }

    @Test func resumeAllResumesAnOpeningOverlay() async throws {
        let session = try await playing()
        let start = await startSlowly(in: session)
        await session.player.pauseAll()
        await session.player.resumeAll()
        session.manual.decks.release("/music/slow.wav")
        try await start.value
        #expect(await session.player.getOverlayState() == .playing)
    }

    @Test func openingOverlayWaitsForTheSession() async throws {
        let session = await PlayerSession()
        let start = await startSlowly(in: session)
        let mark = await session.player.pauseForSession(.interruption)
        session.manual.decks.release("/music/slow.wav")
        try await start.value
        #expect(await session.player.getOverlayState() == .paused)
        await session.player.resumeForSession(try #require(mark))
        #expect(await session.player.getOverlayState() == .playing)
    }

    /// The end of a call resumes what was paused for the call, and nothing that was silent before.
    @Test(arguments: ["a person", "a lost device", "an earlier call"])
    func whatWasPausedBeforeACallStaysPaused(pausedBy cause: String) async throws {
        let session = await PlayerSession()
        let player = session.player
        try await player.loadPlaylist([session.track("a", seconds: 20)], configuration: gapless)
        let rain = session.track("rain", level: 0.4, seconds: 20)
        let wind = session.track("wind", level: 0.4, seconds: 20)
        try await player.startOverlay(url: wind, configuration: OverlayConfiguration(), id: "wind")
        let gong = SoundEffect(url: session.track("gong", seconds: 20))
        try await player.playSoundEffect(gong)
        try await session.advance(1)
        switch cause {
        case "a person": await player.pauseAll()
        case "a lost device": #expect(await player.pauseForSession(.oldDeviceUnavailable) != nil)
        default: #expect(await player.pauseForSession(.interruption) != nil)
        }
        #expect(await player.pauseForSession(.interruption) == nil, "what is frozen does not sound")
        try await player.startOverlay(url: rain, configuration: OverlayConfiguration())
        try await player.playSoundEffect(gong)
        let token = try #require(await player.pauseForSession(.interruption))
        #expect(await player.getOverlayState() == .paused)
        await player.resumeForSession(token)
        #expect(await player.getOverlayState() == .playing)
        #expect(await player.getOverlayState(id: "wind") == .paused)
        #expect(await player.state == .paused)
        #expect(await player.effects.voices.map(\.isPaused) == [true, false])
        await player.resumeAll()
        #expect(await player.getOverlayState(id: "wind") == .playing)
        #expect(await player.state == .playing)
        #expect(await player.effects.voices.map(\.isPaused) == [false, false])
    }

    @Test func failedResumeIsRepeatedByTheNextCall() async throws {
        let clock = ManualClock()
        let session = await PlayerSession(.realTime(format: PlayerSession.format, clock: clock))
        try await session.player.loadPlaylist([session.track("a", level: 0.1, seconds: 20)], configuration: gapless)
        let rain = session.track("rain", level: 0.4, seconds: 2)
        let bell = session.track("bell", level: 0.2, seconds: 20)
        try await session.player.startOverlay(url: rain, configuration: OverlayConfiguration(loopMode: .infinite))
        try await session.player.playSoundEffect(SoundEffect(url: bell, volume: 1))
        try await session.advance(1)
        await session.player.pauseAll()
        try await session.advance(0.1)
        while session.manual.output.isStarted {
            clock.advance(seconds: 10)
            await Task.yield()
        }
        session.manual.output.setStartError(.ioError("no device"))
        await session.player.resumeAll()
        #expect(await session.player.state == .paused)
        #expect(await session.player.getOverlayState() == .paused)
        session.manual.output.setStartError(nil)
        await session.player.resumeAll()
        #expect(await session.player.state == .playing)
        #expect(await session.player.getOverlayState() == .playing)
        try await session.advance(1)
        #expect(abs((session.manual.rendered.samples.last ?? 0) - 0.7) < 1e-5)
    }

    @Test func stopAllLeavesEverythingIdle() async throws {
        let session = try await playing()
        let configuration = OverlayConfiguration(volume: 0.5, loopMode: .infinite)
        try await session.player.startOverlay(url: PlayerSession.url("rain"), configuration: configuration)
        try await session.advance(1)
        await session.player.stopAll()
        #expect(await session.player.state == .idle)
        #expect(await session.player.getOverlayState() == .idle)
        #expect(await session.player.getCurrentPlaylist().count == 1)
        try await session.advance(1)
        #expect(session.sample(at: 1.02) == 0)
        try await session.player.jumpToTrack(at: 0)
        try await session.advance(1)
        #expect(session.sample(at: 2.5) == 0.1)
    }

    @Test func mainLineDoesNotStopTheOverlay() async throws {
        let session = try await playing()
        let configuration = OverlayConfiguration(volume: 0.5, loopMode: .infinite)
        try await session.player.startOverlay(url: PlayerSession.url("rain"), configuration: configuration)
        await session.player.stop(fadeDuration: 0)
        try await session.advance(1)
        #expect(abs(session.sample(at: 0.5) - 0.2) < 1e-6)
        #expect(await session.player.getOverlayState() == .playing)
        try await wait(for: .playing, in: session)
        #expect(changes(session) == [.playing])
    }
}
