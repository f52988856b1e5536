import DescantCore
import DescantTesting
import Foundation
import Testing

@testable import DescantPlayback

/// Pause, resume, stop, seek, skip, volume, rate, and changes of the device.
@Suite(.timeLimit(.minutes(2)))
struct TransportTests {
    private let fading = PlayerConfiguration(crossfadeDuration: 2, fadeCurve: .linear, stopFadeDuration: 1)

    private func playing(_ names: [String] = ["a"], _ configuration: PlayerConfiguration? = nil) async throws
        -> PlayerSession
    {
        let session = await PlayerSession()
        let urls = names.enumerated().map { session.track($1, level: Float($0 + 1) / 10, seconds: 20) }
        try await session.player.loadPlaylist(urls, configuration: configuration ?? fading)
        try await session.advance(2)
        return session
    }

    @Test func pauseKeepsThePositionForResume() async throws {
        let session = try await playing()
        try await session.player.pause()
        #expect(await session.player.state == .paused)
        try await session.player.pause()
        let frozen = try #require(await session.player.playbackPosition)
        #expect(abs(frozen.currentTime - 2) < 0.001)
        try await session.advance(5)
        #expect(await session.player.playbackPosition == frozen)
        try await session.player.resume()
        #expect(await session.player.state == .playing)
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(session.sample(at: 4) == 0)
        #expect(abs(session.renderedSeconds - 25) < 0.011)
    }

    @Test func pauseInsideACrossfadeFreezesBothTracks() async throws {
        let session = try await playing(["a", "b"])
        try await session.player.nextTrack()
        try await session.advance(1)
        try await session.player.pause()
        try await session.advance(3)
        try await session.player.resume()
        try await session.advance(2)
        // Half of the curve before the pause, the other half after it.
        #expect(abs(session.sample(at: 2.5) - 0.125) < 1e-3)
        #expect(session.sample(at: 5) == 0)
        #expect(abs(session.sample(at: 6.5) - 0.175) < 0.005)
        #expect(session.sample(at: 7.5) == 0.2)
    }

    @Test func invalidCallsAreRefused() async throws {
        let session = await PlayerSession()
        let player = session.player
        await #expect(throws: AudioPlayerError.invalidState(current: "idle", attempted: "pause")) {
            try await player.pause()
        }
        await #expect(throws: AudioPlayerError.invalidState(current: "idle", attempted: "resume")) {
            try await player.resume()
        }
        await #expect(throws: AudioPlayerError.invalidState(current: "idle", attempted: "seekWithFade")) {
            try await player.seekWithFade(to: 1)
        }
        await #expect(throws: AudioPlayerError.invalidState(current: "idle", attempted: "skip")) {
            try await player.skipForward()
        }
        try await player.loadPlaylist([session.track("a", seconds: 5)])
        await #expect(throws: AudioPlayerError.invalidState(current: "playing", attempted: "resume")) {
            try await player.resume()
        }
        await player.stop()
        await #expect(throws: AudioPlayerError.invalidState(current: "fadingOut", attempted: "pause")) {
            try await player.pause()
        }
        await #expect(throws: AudioPlayerError.invalidState(current: "fadingOut", attempted: "nextTrack")) {
            try await player.nextTrack()
        }
    }

    // MARK: Stopping

    @Test func stopFadesOutAndFinishes() async throws {
        let session = try await playing(["a", "b"])
        await session.player.stop()
        #expect(await session.player.state == .fadingOut)
        try await session.advance(2)
        try await session.wait(for: .finished)
        #expect(abs(session.sample(at: 2.5) - 0.05) < 1e-3)
        #expect(session.sample(at: 3.01) == 0)
        #expect(await session.player.currentTrack == nil)
        #expect(await session.player.getCurrentPlaylist().count == 2)
    }

    @Test func stopInsideACrossfadeFadesBothTracks() async throws {
        let session = try await playing(["a", "b"])
        try await session.player.nextTrack()
        try await session.advance(1)
        await session.player.stop(fadeDuration: 0.5)
        try await session.advance(1)
        try await session.wait(for: .finished)
        #expect(abs(session.sample(at: 2.99) - 0.15) < 1e-3)
        #expect(session.sample(at: 3.25) < 0.1)
        #expect(session.sample(at: 3.51) == 0)
    }

    @Test func stopTakesPrecedenceOverANaturalEnd() async throws {
        let session = try await playing(["a", "b"], PlayerConfiguration(crossfadeDuration: 0, stopFadeDuration: 3))
        try await session.advance(17)
        await session.player.stop()
        try await session.advance(5)
        try await session.wait(for: .finished)
        #expect(session.sample(at: 21) == 0)
        #expect(session.starts.count == 1)
    }

    @Test func stopIsImmediateWithoutAFadeOrWhenPaused() async throws {
        let session = try await playing()
        await session.player.stop(fadeDuration: 0)
        #expect(await session.player.state == .finished)
        let second = try await playing()
        try await second.player.pause()
        await second.player.stop()
        #expect(await second.player.state == .finished)
        #expect(await second.player.playbackPosition == nil)
    }

    @Test func stopEndsInFinishedFromEveryState() async throws {
        let session = await PlayerSession()
        await session.player.stop()
        #expect(await session.player.state == .finished)
        await session.player.reset()
        #expect(await session.player.state == .idle)
    }

    @Test func playerCanBeStartedAgainDuringTheFade() async throws {
        let session = try await playing()
        await session.player.stop()
        try await session.advance(0.5)
        try await session.player.loadPlaylist([session.track("new", level: 0.5, seconds: 3)])
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(session.sample(at: 3) == 0.5)
        #expect(abs(session.renderedSeconds - 5.5) < 0.011)
    }

    private struct OneSource: TrackSourceProvider {
        func audioSource(for url: URL) async throws -> AudioSource? {
            url.scheme == "made" ? .url(PlayerSession.url("a")) : nil
        }
    }

    @Test func resetForgetsTrackSources() async throws {
        let session = try await playing()
        let made = try #require(URL(string: "made:a"))
        await session.player.setTrackSources(OneSource())
        try await session.player.loadPlaylist([made])
        await session.player.reset()
        await #expect(throws: AudioPlayerError.self) { try await session.player.loadPlaylist([made]) }
    }

    @Test func resetEndsDucking() async throws {
        let session = try await playing(["a"])
        let voice = await session.manual.engine.addLayer(.speech)
        await session.player.setDucking(Ducking(amount: 12, attack: 0.01, release: 0.01), under: [.layer(voice)])
        await session.player.reset()
        let other = session.track("other", level: 0, seconds: 60)
        let deck = try await session.manual.engine.openDeck(.url(other), gain: 1, isClip: false).id
        try await session.manual.engine.play(deck, on: voice, entry: .cut, loop: nil)
        try await session.manual.engine.setFollowUp(.nothing, on: voice)
        try await session.player.loadPlaylist([session.track("c", level: 0.5, seconds: 60)])
        let start = session.renderedSeconds
        try await session.advance(1)
        #expect(session.sample(at: start + 0.9) == 0.5)
    }

    @Test func resetClearsTheState() async throws {
        let session = try await playing(["a", "b"])
        try await session.player.setRate(2)
        try await session.player.startOverlay(url: session.track("rain", seconds: 5), configuration: .ambient)
        await session.player.reset()
        #expect(await session.player.state == .idle)
        #expect(await session.player.isPlaylistEmpty())
        #expect(await session.player.configuration == PlayerConfiguration())
        #expect(await session.player.getOverlayState() == .idle)
        try await session.advance(1)
        #expect(session.sample(at: 2.5) == 0)
        try await session.player.loadPlaylist([session.track("c", level: 0.5, seconds: 1)])
        try await session.finish()
        #expect(abs(session.renderedSeconds - 4) < 0.011)
    }

    @Test func stopCancelsAPendingOpen() async throws {
        let session = await PlayerSession()
        let slow = session.slowTrack(seconds: 1)
        let loading = Task { try await session.player.loadPlaylist([slow]) }
        try await session.wait(for: .preparing)
        await session.player.stop()
        await #expect(throws: CancellationError.self) { try await loading.value }
        #expect(await session.player.state == .finished)
        session.manual.decks.release("/music/slow.wav")
    }

    @Test func cancelledCallerChangesNothing() async throws {
        let session = try await playing(["a", "b"])
        let slow = session.slowTrack(seconds: 1)
        let urls = await session.player.getCurrentPlaylist()
        let replacing = Task { try await session.player.replaceTrack(url: slow) }
        replacing.cancel()
        await #expect(throws: CancellationError.self) { try await replacing.value }
        #expect(await session.player.state == .playing)
        #expect(await session.player.getCurrentPlaylist() == urls)
        session.manual.decks.release("/music/slow.wav")
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(session.renderedSeconds == 38)
    }

    // MARK: Positions

    @Test func seekMoves() async throws {
        let session = try await playing(["a", "b"])
        try await session.player.seekWithFade(to: 15, fadeDuration: 0.1)
        #expect(await session.player.playbackPosition?.currentTime == 15)
        try await session.advance(1.1)
        try await session.events.wait { if case .positionChanged = $0.kind { true } else { false } }
        let position = try #require(await session.player.playbackPosition)
        #expect(abs(position.currentTime - 16) < 0.02)
        #expect(position.duration == 20)
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(abs(session.renderedSeconds - (2 + 0.1 + 5 + 20 - 2)) < 0.02)
    }

    @Test func skipsAddUpAndAreClamped() async throws {
        let session = try await playing()
        try await session.player.skipForward(by: 5)
        try await session.player.skipForward(by: 5)
        #expect(await session.player.playbackPosition?.currentTime == 12)
        try await session.player.skipBackward(by: 100)
        #expect(await session.player.playbackPosition?.currentTime == 0)
        try await session.player.skipForward(by: 100)
        #expect(await session.player.playbackPosition?.currentTime == 20)
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(session.renderedSeconds < 3)
    }

    @Test func skipsMoveByFifteenSecondsByDefault() async throws {
        let session = try await playing()
        try await session.player.skipForward()
        #expect(await session.player.playbackPosition?.currentTime == 17)
        try await session.player.skipBackward()
        #expect(await session.player.playbackPosition?.currentTime == 2)
    }

    @Test func seekWhilePausedIsSilent() async throws {
        let session = try await playing()
        try await session.player.pause()
        try await session.player.seekWithFade(to: 10)
        #expect(await session.player.state == .paused)
        #expect(await session.player.playbackPosition?.currentTime == 10)
        try await session.player.resume()
        try await session.finish()
        #expect(abs(session.renderedSeconds - 12) < 0.02)
    }

    @Test func seekInsideACrossfadeIsRefusedOrShortensIt() async throws {
        let session = try await playing(["a", "b"])
        try await session.player.nextTrack()
        let error = AudioPlayerError.invalidState(current: "crossfading", attempted: "seekWithFade")
        await #expect(throws: error) { try await session.player.seekWithFade(to: 10) }
        await #expect(throws: AudioPlayerError.self) { try await session.player.skipBackward() }
        var configuration = fading
        configuration.transitionInterruption = .fastForward
        let other = try await playing(["a", "b"], configuration)
        try await other.player.nextTrack()
        try await other.advance(0.5)
        try await other.player.seekWithFade(to: 10)
        try await other.advance(1)
        #expect(await other.player.currentTrack?.title == "b")
        #expect(other.sample(at: 3.3) == 0.2)
    }

    @Test func nanPositionIsRefused() async throws {
        let session = try await playing()
        await #expect(throws: AudioPlayerError.self) { try await session.player.seekWithFade(to: .nan) }
        try await session.player.seekWithFade(to: .infinity)
        try await session.finish()
        try await session.wait(for: .finished)
    }

    // MARK: Volume and rate

    @Test func volumeIsClamped() async throws {
        let session = try await playing()
        await session.player.setVolume(0.5)
        try await session.advance(1)
        #expect(abs(session.sample(at: 2.9) - 0.05) < 1e-6)
        #expect(await session.player.configuration.volume == 50)
        await session.player.setVolume(7)
        try await session.advance(1)
        #expect(session.sample(at: 3.9) == 0.1)
    }

    @Test func configurationsVolumeIsApplied() async throws {
        let session = await PlayerSession()
        try await session.player.startPlaying(
            url: session.track("a", level: 0.5, seconds: 1), configuration: PlayerConfiguration(volume: 40))
        try await session.advance(0.5)
        #expect(abs(session.sample(at: 0.4) - 0.2) < 1e-6)
    }

    @Test func rateOutsideTheRangeIsRefused() async throws {
        let session = try await playing()
        for rate in [0.4, 3.1, .nan] {
            await #expect(throws: AudioPlayerError.self) { try await session.player.setRate(rate) }
        }
        try await session.player.setRate(2)
        try await session.finish()
        #expect(abs(session.renderedSeconds - 11) < 0.1)
    }

    // MARK: Events of the mix

    @Test func underrunsAreCarriedUnchanged() async throws {
        let session = await PlayerSession.realTime()
        var fault = DeckFault()
        fault.starvesAtFrame = 8_000
        let url = session.track("a", seconds: 20, fault: fault)
        try await session.player.loadPlaylist([url])
        try await session.advance(1.5)
        session.manual.decks.release(url.path)
        try await session.advance(1)
        session.manual.output.lose(reason: "the next event")
        try await session.events.wait { $0.kind == .mix(.outputLost(reason: "the next event")) }
        #expect(
            session.events.all.contains { $0.kind == .mix(.underrun(frames: 4_000)) && $0.frame == 12_000 })
    }

    // MARK: Device

    @Test func lostDevicePausesAfterHalfAMinute() async throws {
        let session = await PlayerSession.realTime()
        try await session.player.loadPlaylist([session.track("a", seconds: 20)])
        try await session.advance(1)
        session.manual.output.lose(reason: "the server is gone")
        try await session.events.wait { $0.kind == .mix(.outputLost(reason: "the server is gone")) }
        await session.clock.waitForSleepers()
        session.clock.advance(seconds: 29)
        #expect(await session.player.state == .playing)
        session.clock.advance(seconds: 1.5)
        try await session.wait(for: .paused)
        try await session.events.wait { $0.kind == .error(.sessionError("the server is gone")) }
    }

    /// The engine does not look for the device of what is paused, so nobody knows whether it is back.
    @Test func pauseWhileTheDeviceIsLostIsNotFollowedByAnError() async throws {
        let session = await PlayerSession.realTime()
        let slow = session.slowTrack()
        try await session.player.loadPlaylist([session.track("a", seconds: 20)])
        session.manual.output.lose(reason: "gone")
        await session.clock.waitForSleepers()
        try await session.player.pause()
        let loading = Task { try await session.player.loadPlaylist([slow]) }
        await session.waitForOpening(of: slow)
        session.clock.advance(seconds: 30)
        await session.player.tasks.outputLoss?.value
        session.manual.decks.release(slow.path)
        try await loading.value
        // The load is newer than the pause.
        try #require(await session.player.state == .playing)
        try await session.wait(for: .playing)
        #expect(!session.events.all.contains { if case .error = $0.kind { true } else { false } })
    }

    @Test func returningDeviceDoesNotPause() async throws {
        let session = await PlayerSession.realTime()
        try await session.player.loadPlaylist([session.track("a", seconds: 20)])
        session.manual.output.lose(reason: "gone")
        await session.clock.waitForSleepers()
        session.manual.output.restore()
        try await session.events.wait { $0.kind == .mix(.outputRestored) }
        session.clock.advance(seconds: 60)
        await session.player.setup()
        #expect(await session.player.state == .playing)
        #expect(session.clock.sleeperCount == 0)
    }

    @Test func deviceLostWithinAFadeOutEndsIt() async throws {
        let session = await PlayerSession.realTime()
        try await session.player.loadPlaylist([session.track("a", seconds: 20)])
        let rain = session.track("rain", seconds: 20)
        try await session.player.startOverlay(url: rain, configuration: OverlayConfiguration(fadeOutDuration: 5))
        try await session.advance(1)
        let stopping = Task { await session.player.stop(fadeDuration: 5) }
        try await session.wait(for: .fadingOut)
        await session.player.stopOverlay()
        session.manual.output.lose(reason: "gone")
        await session.clock.waitForSleepers()
        session.clock.advance(seconds: 30)
        try await session.wait(for: .finished)
        await stopping.value
        try await session.events.wait { $0.kind == .overlayChanged(.default, .idle) }
        #expect(await session.player.currentTrack == nil)
    }

    @Test func deviceThatStaysLostPausesAlthoughACallOpensAFile() async throws {
        let session = await PlayerSession.realTime()
        let slow = session.slowTrack()
        try await session.player.loadPlaylist([session.track("a", seconds: 20)])
        session.manual.output.lose(reason: "gone")
        await session.clock.waitForSleepers()
        let loading = Task { try await session.player.loadPlaylist([slow]) }
        await session.waitForOpening(of: slow)
        session.clock.advance(seconds: 30)
        try await session.wait(for: .paused)
        session.manual.output.restore()
        try await session.events.wait { $0.kind == .mix(.outputRestored) }
        session.manual.decks.release("/music/slow.wav")
        try await loading.value
        // The pause is newer than the load.
        #expect(await session.player.state == .paused)
        #expect(await session.player.currentTrack?.title == "slow")
    }
}
