import DescantCore
import DescantPlayback
import DescantTesting
import Foundation
import Testing

/// Further calls: stops, swaps and edits of playlists, peeking at the next track, the audio session.
@Suite(.timeLimit(.minutes(2)))
struct SurfaceTests {
    private let fading = PlayerConfiguration(crossfadeDuration: 2, fadeCurve: .linear, stopFadeDuration: 1)

    private func playing(_ configuration: PlayerConfiguration? = nil) async throws -> (PlayerSession, [URL]) {
        let session = await PlayerSession()
        let urls = [
            session.track("a", level: 0.1, seconds: 20), session.track("b", level: 0.2, seconds: 20),
            session.track("c", level: 0.3, seconds: 20),
        ]
        try await session.player.loadPlaylist(urls, configuration: configuration ?? fading)
        try await session.advance(4)
        return (session, urls)
    }

    // MARK: Ways to stop

    @Test func defaultFadeIsTheConfigurations() async throws {
        let (session, _) = try await playing()
        await session.player.stopWithDefaultFade()
        #expect(await session.player.state == .fadingOut)
        try await session.advance(2)
        try await session.wait(for: .finished)
        #expect(abs(session.sample(at: 4.5) - 0.05) < 1e-4)
        #expect(session.sample(at: 5) == 0)
    }

    @Test func immediateStopTakesTenMilliseconds() async throws {
        let (session, _) = try await playing()
        await session.player.stopImmediatelyWithoutFade()
        #expect(await session.player.state == .finished)
        try await session.advance(1)
        #expect(abs(session.sample(at: 4.005) - 0.05) < 1e-3)
        #expect(session.sample(at: 4.01) == 0)
    }

    @Test func finishRequiresAPlayingTrack() async throws {
        let (session, _) = try await playing()
        try await session.player.finish(fadeDuration: 2)
        #expect(await session.player.state == .fadingOut)
        await #expect(throws: AudioPlayerError.invalidState(current: "fadingOut", attempted: "finish")) {
            try await session.player.finish()
        }
        try await session.advance(3)
        try await session.wait(for: .finished)
        #expect(abs(session.sample(at: 5) - 0.05) < 1e-4)
        await #expect(throws: AudioPlayerError.invalidState(current: "finished", attempted: "finish")) {
            try await session.player.finish()
        }
        let (paused, _) = try await playing()
        try await paused.player.pause()
        try await paused.player.finish()
        #expect(await paused.player.state == .finished)
    }

    // MARK: Swapping

    @Test func swapCrossfadesIntoTheNewPlaylist() async throws {
        var configuration = fading
        configuration.repeatMode = .playlist
        let (session, _) = try await playing(configuration)
        let new = [session.track("x", level: 0.5, seconds: 20), session.track("y", level: 0.6, seconds: 20)]
        try await session.player.swapPlaylist(tracks: new, crossfadeDuration: 4)
        #expect(await session.player.getCurrentPlaylist() == new)
        #expect(await session.player.getCurrentTrackIndex() == 0)
        #expect(await session.player.getRepeatCount() == 0)
        #expect(await session.player.configuration == configuration)
        try await session.advance(5)
        #expect(abs(session.sample(at: 6) - 0.3) < 1e-4)
        #expect(session.sample(at: 8.5) == 0.5)
        await #expect(throws: AudioPlayerError.emptyPlaylist) { try await session.player.swapPlaylist(tracks: []) }
    }

    @Test func swapWhilePausedIsSilent() async throws {
        let (session, _) = try await playing()
        try await session.player.pause()
        try await session.player.swapPlaylist(tracks: [session.track("x", level: 0.5, seconds: 20)])
        #expect(await session.player.state == .paused)
        try await session.advance(1)
        #expect(session.sample(at: 4.9) == 0)
        try await session.player.resume()
        try await session.advance(1)
        #expect(session.sample(at: 5.9) == 0.5)
    }

    @Test func swapOfAnIdlePlayerOnlyLoadsTheTracks() async throws {
        let session = await PlayerSession()
        let urls = [session.track("x", seconds: 1), PlayerSession.url("missing")]
        try await session.player.swapPlaylist(tracks: urls)
        #expect(await session.player.state == .idle)
        #expect(await session.player.getCurrentPlaylist() == urls)
        #expect(session.manual.decks.openedNames.isEmpty)
    }

    @Test func badSwapChangesNothing() async throws {
        let (session, urls) = try await playing()
        let missing = PlayerSession.url("missing")
        await #expect(throws: AudioPlayerError.fileNotFound(missing)) {
            try await session.player.swapPlaylist(tracks: [missing])
        }
        #expect(await session.player.getCurrentPlaylist() == urls)
        try await session.player.nextTrack()
        await #expect(throws: AudioPlayerError.crossfadeInProgress) {
            try await session.player.swapPlaylist(tracks: [urls[0]])
        }
        #expect(await session.player.getCurrentTrackIndex() == 1)
    }

    @Test func swapDuringACrossfadeShortensItWithFastForward() async throws {
        var configuration = fading
        configuration.transitionInterruption = .fastForward
        let (session, urls) = try await playing(configuration)
        try await session.player.nextTrack()
        try await session.advance(0.5)
        let new = [session.track("x", level: 0.5, seconds: 20), session.track("y", level: 0.6, seconds: 20)]
        try await session.player.swapPlaylist(tracks: new)
        try await session.advance(0.35)
        try await session.events.wait { $0.kind == .transitionEnded(to: urls[1]) }
        try await session.waitForStart(of: new[0])
        #expect(await session.player.getCurrentTrackIndex() == 0)
        try await session.player.pause()
        #expect(await session.player.getCurrentPlaylist() == new)
    }

    // MARK: Editing

    @Test func manyTracksAreAddedAtOnce() async throws {
        let (session, urls) = try await playing()
        let more = (0..<3).map { session.track("more \($0)", seconds: 1) }
        await session.player.addTracksToPlaylist(more)
        #expect(await session.player.getCurrentPlaylist() == urls + more)
        #expect(await session.player.getPlaylistCount() == 6)
        #expect(await session.player.getTracks(in: 2..<4) == [urls[2], more[0]])
        #expect(await session.player.getTracks(in: 5..<50) == [more[2]])
        try await session.events.wait { $0.kind == .playlistChanged(count: 6) }
    }

    @Test func insertedTracksDoNotInterruptPlayback() async throws {
        let (session, urls) = try await playing(PlayerConfiguration(crossfadeDuration: 0))
        let first = session.track("first", seconds: 1)
        let next = session.track("next", seconds: 1)
        try await session.player.insertTracksInPlaylist([first], at: 0)
        #expect(await session.player.getCurrentTrackIndex() == 1)
        try await session.player.insertTracksInPlaylist([next], at: 2)
        for index in [-1, 6] {
            await #expect(throws: AudioPlayerError.invalidPlaylistIndex(index: index, count: 5)) {
                try await session.player.insertTracksInPlaylist([first], at: index)
            }
        }
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(session.starts.map(\.url) == [urls[0], next, urls[1], urls[2]])
    }

    @Test func loadStartsAtTheRequestedIndex() async throws {
        let session = await PlayerSession()
        let urls = (0..<3).map { session.track("\($0)", level: Float($0 + 1) / 10, seconds: 1) }
        for index in [-1, 3] {
            await #expect(throws: AudioPlayerError.invalidPlaylistIndex(index: index, count: 3)) {
                try await session.player.loadPlaylist(urls, startingAt: index)
            }
        }
        #expect(await session.player.isPlaylistEmpty())
        try await session.player.loadPlaylist(urls, startingAt: 1)
        try await session.advance(0.1)
        #expect(session.sample(at: 0) == 0.2)
        #expect(await session.player.getCurrentTrackIndex() == 1)
    }

    @Test func peekingChangesNothing() async throws {
        let (session, urls) = try await playing()
        #expect(await session.player.peekNextTrack() == urls[1])
        #expect(await session.player.peekPreviousTrack() == urls[0])
        try await session.player.jumpToTrack(at: 2)
        #expect(await session.player.peekNextTrack() == nil)
        #expect(await session.player.peekPreviousTrack() == urls[1])
        await session.player.setRepeatMode(.playlist)
        #expect(await session.player.peekNextTrack() == urls[0])
        await session.player.reset()
        #expect(await session.player.peekNextTrack() == nil)
        #expect(await session.player.peekPreviousTrack() == nil)
    }

    @Test func searchEndsAfterHundredBadFiles() async throws {
        let session = await PlayerSession()
        let bad = (0..<500).map { PlayerSession.url("missing \($0)") }
        try await session.player.loadPlaylist(
            [session.track("a", seconds: 20)] + bad + [session.track("b", seconds: 20)], configuration: fading)
        try await session.advance(1)
        await #expect(throws: AudioPlayerError.fileNotFound(bad[99])) { try await session.player.nextTrack() }
        #expect(await session.player.getCurrentTrackIndex() == 0)
        #expect(await session.player.state == .playing)
    }

    // MARK: The session

    private func player(_ session: ScriptedAudioSession, in playing: PlayerSession) -> AudioPlayerService {
        let coordinator = AudioSessionCoordinator(port: session, clock: playing.clock)
        return AudioPlayerService(engine: playing.manual.engine, clock: playing.clock, session: coordinator)
    }

    @Test func sessionIsActiveWhileThereIsATrack() async throws {
        let manual = await PlayerSession()
        let session = ScriptedAudioSession()
        let player = player(session, in: manual)
        let urls = [manual.track("a", seconds: 20), manual.track("b", seconds: 20)]
        try await player.loadPlaylist(urls, configuration: fading)
        try await player.pause()
        try await player.nextTrack()
        #expect(session.activations.map(\.role) == [.music])
        #expect(session.deactivationCount == 0)
        await player.stop(fadeDuration: 0)
        #expect(session.activationCount == 1)
        #expect(session.deactivationCount == 1)
        try await player.jumpToTrack(at: 0)
        try await player.removeTrackFromPlaylist(at: 1)
        try await player.pause()
        try await player.removeTrackFromPlaylist(at: 0)
        #expect(session.activationCount == 2)
        #expect(session.deactivationCount == 2)
    }

    @Test func missingSessionIsAnErrorThatChangesNothing() async throws {
        let manual = await PlayerSession()
        let session = ScriptedAudioSession()
        session.refuse(.ioError("no server"))
        let player = player(session, in: manual)
        await #expect(throws: AudioPlayerError.sessionError("no server")) {
            try await player.loadPlaylist([manual.track("a", seconds: 20)])
        }
        #expect(await player.state == .idle)
        #expect(await player.isPlaylistEmpty())
        try await manual.advance(0.1)
        #expect(manual.sample(at: 0.05) == 0)
    }
}
