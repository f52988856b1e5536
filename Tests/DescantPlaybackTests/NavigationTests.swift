import DescantCore
import DescantPlayback
import DescantTesting
import Foundation
import Testing

/// Next, previous, jump, replace, and edits of a playlist that is being played.
@Suite(.timeLimit(.minutes(2)))
struct NavigationTests {
    private let fading = PlayerConfiguration(crossfadeDuration: 2, fadeCurve: .linear, stopFadeDuration: 1)

    /// Three tracks of 20 s with levels 0.1, 0.2 and 0.3, the first of which was heard for 4 s.
    private func playing(_ configuration: PlayerConfiguration) async throws -> (PlayerSession, [URL]) {
        let session = await PlayerSession()
        let urls = [
            session.track("a", level: 0.1, seconds: 20), session.track("b", level: 0.2, seconds: 20),
            session.track("c", level: 0.3, seconds: 20),
        ]
        try await session.player.loadPlaylist(urls, configuration: configuration)
        try await session.advance(4)
        return (session, urls)
    }

    @Test func nextCrossfadesFromTheFrameOfTheCall() async throws {
        let (session, urls) = try await playing(fading)
        try await session.player.nextTrack()
        #expect(await session.player.getCurrentTrackIndex() == 1)
        #expect(await session.player.currentTrack?.title == "b")
        try await session.advance(3)
        #expect(abs(session.sample(at: 5) - 0.15) < 1e-4)
        #expect(session.sample(at: 3.99) == 0.1)
        #expect(session.sample(at: 6.01) == 0.2)
        try await session.waitForStart(of: urls[1])
        #expect(session.transitions.map(\.start) == [32_000])
        #expect(session.transitions.map(\.frames) == [16_000])
    }

    @Test func nextDuringACrossfadeIsRefused() async throws {
        let (session, _) = try await playing(fading)
        try await session.player.nextTrack()
        await #expect(throws: AudioPlayerError.crossfadeInProgress) { try await session.player.nextTrack() }
        try await session.advance(1)
        await #expect(throws: AudioPlayerError.crossfadeInProgress) { try await session.player.previousTrack() }
        await #expect(throws: AudioPlayerError.crossfadeInProgress) { try await session.player.jumpToTrack(at: 2) }
        #expect(await session.player.getCurrentTrackIndex() == 1)
        try await session.advance(1.1)
        try await session.player.nextTrack()
        #expect(await session.player.getCurrentTrackIndex() == 2)
    }

    @Test func nextDuringACrossfadeShortensItWithFastForward() async throws {
        var configuration = fading
        configuration.transitionInterruption = .fastForward
        let (session, urls) = try await playing(configuration)
        try await session.player.nextTrack()
        try await session.advance(0.5)
        try await session.player.nextTrack()
        #expect(await session.player.getCurrentTrackIndex() == 1)
        try await session.advance(4)
        try await session.waitForStart(of: urls[2])
        #expect(await session.player.getCurrentTrackIndex() == 2)
        // The first crossfade ends 0.3 s after the call, and the second one begins at that very frame.
        #expect(session.transitions.map(\.start) == [32_000, 38_400])
        #expect(abs(session.sample(at: 5.8) - 0.25) < 1e-4)
        #expect(session.sample(at: 7.5) == 0.3)
    }

    @Test func aSilentPlayerBeginsWithTheSelectedTrack() async throws {
        let session = await PlayerSession()
        let urls = [0.1, 0.2, 0.3, 0.4].map { session.track("\($0)", level: $0, seconds: 1) }
        await session.player.addTracksToPlaylist(urls)
        await #expect(throws: AudioPlayerError.invalidPlaylistIndex(index: 4, count: 4)) {
            try await session.player.selectTrack(at: 4)
        }
        try await session.player.selectTrack(at: 2)
        #expect(await session.player.state == .idle)
        #expect(await session.player.peekPreviousTrack() == urls[1])
        // It is the same track when others come and go.
        try await session.player.removeTrackFromPlaylist(at: 0)
        try await session.player.perform(.play)
        await #expect(throws: AudioPlayerError.invalidState(current: "playing", attempted: "selectTrack")) {
            try await session.player.selectTrack(at: 0)
        }
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(session.starts.map(\.url) == [urls[2], urls[3]])
        try await session.player.selectTrack(at: 0)
        try await session.player.nextTrack()
        #expect(await session.player.currentTrack?.title == "0.3")
    }

    @Test func nextAtTheEndFadesOutAndFinishes() async throws {
        let (session, _) = try await playing(fading)
        try await session.player.jumpToTrack(at: 2)
        try await session.advance(3)
        try await session.player.nextTrack()
        #expect(await session.player.state == .fadingOut)
        try await session.advance(2)
        try await session.wait(for: .finished)
        #expect(abs(session.sample(at: 7.5) - 0.15) < 1e-3)
        #expect(session.sample(at: 8.1) == 0)
        #expect(await session.player.getCurrentPlaylist().count == 3)
    }

    @Test func nextAtTheEndOfARepeatedPlaylistWraps() async throws {
        var configuration = fading
        configuration.repeatMode = .playlist
        let (session, _) = try await playing(configuration)
        try await session.player.previousTrack()
        #expect(await session.player.getCurrentTrackIndex() == 2)
        try await session.advance(3)
        try await session.player.nextTrack()
        #expect(await session.player.getCurrentTrackIndex() == 0)
    }

    @Test(arguments: ["next", "previous", "jump", "replace"])
    func movesByAPersonCountRepetitionsFromZero(move: String) async throws {
        let session = await PlayerSession()
        let urls = ["a", "b", "c"].map { session.track($0, seconds: 1) }
        try await session.player.loadPlaylist(
            urls, configuration: PlayerConfiguration(crossfadeDuration: 0, repeatMode: .playlist, repeatCount: 1))
        try await session.advance(3.5)
        try await session.waitForStart(of: urls[0], count: 2)
        #expect(await session.player.getRepeatCount() == 1)
        switch move {
        case "next": try await session.player.nextTrack()
        case "previous": try await session.player.previousTrack()
        case "jump": try await session.player.jumpToTrack(at: 1)
        default: try await session.player.replaceTrack(url: session.track("new", seconds: 1))
        }
        #expect(await session.player.getRepeatCount() == 0)
        // One more round is due.
        try await session.finish(limit: 60)
        try await session.wait(for: .finished)
        #expect(await session.player.getRepeatCount() == 1)
        #expect(session.starts.count { $0.url == urls[2] } >= 3)
    }

    @Test func previousAtTheFirstRestartsIt() async throws {
        let (session, urls) = try await playing(fading)
        try await session.player.previousTrack()
        #expect(await session.player.getCurrentTrackIndex() == 0)
        try await session.advance(3)
        try await session.waitForStart(of: urls[0], count: 2)
        let position = try #require(await session.player.playbackPosition)
        #expect(abs(position.currentTime - 3) < 0.01)
    }

    @Test func singleTrackModeAllowsNextAndPrevious() async throws {
        var configuration = fading
        configuration.repeatMode = .singleTrack
        let (session, _) = try await playing(configuration)
        try await session.player.nextTrack()
        #expect(await session.player.getCurrentTrackIndex() == 1)
        #expect(await session.player.getRepeatCount() == 0)
    }

    @Test func nextWhilePausedIsSilent() async throws {
        let (session, _) = try await playing(fading)
        try await session.player.pause()
        try await session.player.nextTrack()
        #expect(await session.player.state == .paused)
        #expect(await session.player.currentTrack?.title == "b")
        try await session.advance(1)
        #expect(session.sample(at: 4.5) == 0)
        try await session.player.resume()
        try await session.advance(1)
        #expect(session.sample(at: 5.5) == 0.2)
        let position = try #require(await session.player.playbackPosition)
        #expect(abs(position.currentTime - 1) < 0.01)
    }

    @Test func badFileIsSkippedByNext() async throws {
        let session = await PlayerSession()
        let missing = PlayerSession.url("missing")
        let urls = [session.track("a", seconds: 20), missing, session.track("b", seconds: 20)]
        try await session.player.loadPlaylist(urls, configuration: fading)
        try await session.advance(1)
        try await session.player.nextTrack()
        #expect(await session.player.getCurrentTrackIndex() == 2)
        try await session.advance(3)
        await #expect(throws: AudioPlayerError.fileNotFound(missing)) { try await session.player.jumpToTrack(at: 1) }
        #expect(await session.player.getCurrentTrackIndex() == 2)
        #expect(await session.player.state == .playing)
    }

    @Test func badIndicesAndEmptyPlaylistsAreRefused() async throws {
        let session = await PlayerSession()
        await #expect(throws: AudioPlayerError.emptyPlaylist) { try await session.player.nextTrack() }
        await #expect(throws: AudioPlayerError.emptyPlaylist) { try await session.player.previousTrack() }
        await session.player.addTrackToPlaylist(session.track("a", seconds: 5))
        await #expect(throws: AudioPlayerError.invalidPlaylistIndex(index: 1, count: 1)) {
            try await session.player.jumpToTrack(at: 1)
        }
        await #expect(throws: AudioPlayerError.invalidPlaylistIndex(index: -1, count: 1)) {
            try await session.player.removeTrackFromPlaylist(at: -1)
        }
        await #expect(throws: AudioPlayerError.invalidPlaylistIndex(index: 3, count: 1)) {
            try await session.player.moveTrackInPlaylist(from: 0, to: 3)
        }
        #expect(await session.player.state == .idle)
    }

    @Test func jumpStartsAnIdlePlayer() async throws {
        let session = await PlayerSession()
        await session.player.addTrackToPlaylist(session.track("a", seconds: 1))
        await session.player.addTrackToPlaylist(session.track("b", level: 0.2, seconds: 1))
        try await session.player.jumpToTrack(at: 1)
        #expect(await session.player.state == .playing)
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(session.sample(at: 0) == 0.2)
    }

    // MARK: Replacing

    @Test func replacementCrossfadesInPlace() async throws {
        let (session, urls) = try await playing(fading)
        let other = session.track("other", level: 0.5, seconds: 20)
        try await session.player.replaceTrack(url: other, crossfadeDuration: 4)
        #expect(await session.player.getCurrentPlaylist() == [other, urls[1], urls[2]])
        #expect(await session.player.getCurrentTrackIndex() == 0)
        try await session.advance(5)
        #expect(abs(session.sample(at: 6) - 0.3) < 1e-4)
        #expect(session.sample(at: 8.5) == 0.5)
    }

    /// The crossfade of the configuration, 2 s, is for moves within the playlist.
    @Test(arguments: [false, true]) func otherFilesCrossfadeForFiveSecondsByDefault(swapsPlaylist: Bool) async throws {
        let (session, _) = try await playing(fading)
        let other = session.track("other", level: 0.5, seconds: 20)
        if swapsPlaylist {
            try await session.player.swapPlaylist(tracks: [other])
        } else {
            try await session.player.replaceTrack(url: other)
        }
        try await session.advance(6)
        try await session.events.wait { if case .transitionStarted = $0.kind { true } else { false } }
        #expect(session.transitions.map(\.frames) == [40_000])
        // Half of the linear fade from 0.1 to 0.5, which begins at 4 s.
        #expect(abs(session.sample(at: 6.5) - 0.3) < 1e-4)
        #expect(session.sample(at: 9.01) == 0.5)
    }

    @Test func replacementLengthIsClamped() async throws {
        let (session, _) = try await playing(fading)
        try await session.player.replaceTrack(url: session.track("other", seconds: 20), crossfadeDuration: 0)
        try await session.advance(2)
        try await session.events.wait { if case .transitionStarted = $0.kind { true } else { false } }
        #expect(session.transitions.map(\.frames) == [8_000])
    }

    @Test func replacementOfNothingIsRefused() async throws {
        let session = await PlayerSession()
        let url = session.track("a", seconds: 1)
        await #expect(throws: AudioPlayerError.noActiveTrack) { try await session.player.replaceTrack(url: url) }
        try await session.player.loadPlaylist([url])
        await session.player.stop(fadeDuration: 0)
        await #expect(throws: AudioPlayerError.noActiveTrack) { try await session.player.replaceTrack(url: url) }
    }

    @Test func badReplacementChangesNothing() async throws {
        let (session, urls) = try await playing(fading)
        let missing = PlayerSession.url("missing")
        await #expect(throws: AudioPlayerError.fileNotFound(missing)) {
            try await session.player.replaceTrack(url: missing)
        }
        #expect(await session.player.getCurrentPlaylist() == urls)
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(session.starts.map(\.url) == urls)
        #expect(session.renderedSeconds == 56)
    }

    // MARK: Edits while playing

    @Test func editsUpdateTheFollowUp() async throws {
        let (session, urls) = try await playing(PlayerConfiguration(crossfadeDuration: 0))
        try await session.player.removeTrackFromPlaylist(at: 1)
        await session.player.addTrackToPlaylist(urls[1])
        let extra = session.track("extra", seconds: 1)
        await session.player.addTrackToPlaylist(extra)
        try await session.player.moveTrackInPlaylist(from: 3, to: 1)
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(session.starts.map(\.url) == [urls[0], extra, urls[2], urls[1]])
        #expect(session.renderedSeconds == 61)
    }

    @Test func trackAddedAtTheEndIsPlayed() async throws {
        let session = await PlayerSession()
        let urls = [session.track("a", seconds: 2), session.track("b", seconds: 2)]
        try await session.player.loadPlaylist([urls[0]], configuration: PlayerConfiguration(crossfadeDuration: 0))
        try await session.advance(1)
        await session.player.addTrackToPlaylist(urls[1])
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(session.starts.map(\.url) == urls)
    }

    @Test func removingThePlayedTrackMovesToTheOneThatTakesItsIndex() async throws {
        let (session, urls) = try await playing(fading)
        try await session.player.removeTrackFromPlaylist(at: 0)
        #expect(await session.player.getCurrentTrackIndex() == 0)
        #expect(await session.player.currentTrack?.title == "b")
        try await session.advance(3)
        #expect(abs(session.sample(at: 5) - 0.15) < 1e-4)
        try await session.player.jumpToTrack(at: 1)
        try await session.advance(3)
        try await session.player.removeTrackFromPlaylist(at: 1)
        #expect(await session.player.currentTrack?.title == "b")
        #expect(await session.player.getCurrentPlaylist() == [urls[1]])
    }

    /// Near the end of a repeated playlist the tracks from the beginning take the place of those that cannot be opened.
    @Test(arguments: [RepeatMode.playlist, .off])
    func removingThePlayedTrackGoesPastUnreadableOnes(_ mode: RepeatMode) async throws {
        let session = await PlayerSession()
        let urls = [session.track("a", seconds: 20), session.track("b", seconds: 20), PlayerSession.url("missing")]
        try await session.player.loadPlaylist(
            urls, configuration: PlayerConfiguration(crossfadeDuration: 0, repeatMode: mode), startingAt: 1)
        try await session.advance(1)
        try await session.player.removeTrackFromPlaylist(at: 1)
        if mode == .playlist {
            #expect(await session.player.state == .playing)
            #expect(await session.player.currentTrack?.title == "a")
        } else {
            #expect(await session.player.state == .failed(.fileNotFound(urls[2])))
        }
    }

    @Test func removingTheOnlyTrackStops() async throws {
        let session = await PlayerSession()
        try await session.player.loadPlaylist([session.track("a", seconds: 20)], configuration: fading)
        try await session.advance(1)
        try await session.player.removeTrackFromPlaylist(at: 0)
        #expect(await session.player.state == .fadingOut)
        try await session.advance(2)
        try await session.wait(for: .finished)
        #expect(await session.player.isPlaylistEmpty())
    }

    @Test func tracksAreRemovedInOneChange() async throws {
        let session = await PlayerSession()
        let urls = [0.1, 0.2, 0.3, 0.4, 0.5].map { session.track("\($0)", level: $0, seconds: 20) }
        try await session.player.loadPlaylist(urls, configuration: fading, startingAt: 3)
        try await session.advance(4)
        let wrong = [[1, 5], [-1, 1]] as [Set<Int>]
        for (indices, index) in zip(wrong, [5, -1]) {
            await #expect(throws: AudioPlayerError.invalidPlaylistIndex(index: index, count: 5)) {
                try await session.player.removeTracksFromPlaylist(at: indices)
            }
        }
        try await session.player.removeTracksFromPlaylist(at: [])
        // The track behind the present one is left: it is played next, and no other one is started.
        try await session.player.removeTracksFromPlaylist(at: [3, 0, 1])
        #expect(await session.player.getCurrentPlaylist() == [urls[2], urls[4]])
        #expect(await session.player.currentTrack?.title == "0.5")
        try await session.advance(4)
        try await session.waitForStart(of: urls[4])
        #expect(session.starts.map(\.url) == [urls[3], urls[4]])
        #expect(session.playlistChanges == [5, 2])
    }

    @Test func tracksAreMovedInOneChange() async throws {
        let session = await PlayerSession()
        let urls = [0.1, 0.2, 0.3, 0.4, 0.5].map { session.track("\($0)", level: $0, seconds: 20) }
        try await session.player.loadPlaylist(urls, configuration: fading, startingAt: 3)
        for (targets, index) in [([1: 5], 5), ([-1: 1], -1), ([0: 2, 1: 2], 2)] as [([Int: Int], Int)] {
            await #expect(throws: AudioPlayerError.invalidPlaylistIndex(index: index, count: 5)) {
                try await session.player.moveTracksInPlaylist(targets)
            }
        }
        try await session.player.moveTracksInPlaylist([:])
        try await session.player.moveTracksInPlaylist([0: 3, 1: 4])
        #expect(await session.player.getCurrentPlaylist() == [2, 3, 4, 0, 1].map { urls[$0] })
        #expect(await session.player.getCurrentTrackIndex() == 1)
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(session.starts.map(\.url) == [3, 4, 0, 1].map { urls[$0] })
        #expect(session.playlistChanges == [5, 5])
    }

    @Test func theRemovalOfAllTracksStartsNoOtherOne() async throws {
        let session = await PlayerSession()
        let urls = (0..<5_000).map { PlayerSession.url("\($0)") }
        for index in 2_999...3_001 { session.track("\(index)", seconds: 5) }
        try await session.player.loadPlaylist(urls, configuration: fading, startingAt: 3_000)
        try await session.advance(1)
        try await session.player.removeTracksFromPlaylist(at: Set(urls.indices))
        #expect(await session.player.state == .fadingOut)
        try await session.advance(2)
        try await session.wait(for: .finished)
        #expect(session.starts.map(\.url) == [urls[3_000]])
        #expect(session.playlistChanges == [5_000, 0])
        #expect(await session.player.isPlaylistEmpty())
    }

    @Test func openedNextTrackIsReplacedAfterAnEdit() async throws {
        let (session, urls) = try await playing(fading)
        // "b" is open and set as the follow-up; the user moves "c" before it, then reverts that.
        try await session.player.jumpToTrack(at: 2)
        try await session.advance(3)
        try await session.player.previousTrack()
        try await session.advance(3)
        #expect(session.sample(at: 9.9) == 0.2)
        #expect(await session.player.getCurrentTrackIndex() == 1)
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(session.starts.map(\.url) == [urls[0], urls[2], urls[1], urls[2]])
    }
}
