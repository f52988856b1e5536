import DescantCore
import DescantPlayback
import DescantTesting
import Foundation
import Testing

/// Playlists without commands: joins, crossfades, repetition, bad files.
@Suite(.timeLimit(.minutes(2)))
struct PlaybackTests {
    private let gapless = PlayerConfiguration(crossfadeDuration: 0)

    @Test func tracksFollowEachOtherWithoutAGap() async throws {
        let session = await PlayerSession()
        let urls = [
            session.track("a", level: 0.1, seconds: 1), session.track("b", level: 0.2, seconds: 1.5),
            session.track("c", level: 0.3, seconds: 0.5),
        ]
        try await session.player.loadPlaylist(urls, configuration: gapless)
        #expect(await session.player.state == .playing)
        #expect(await session.player.currentTrack?.title == "a")
        try await session.finish()
        try await session.wait(for: .finished)
        let rendered = session.manual.rendered.samples
        #expect(rendered.count == 24_000)
        #expect(rendered[0..<8_000].allSatisfy { $0 == 0.1 })
        #expect(rendered[8_000..<20_000].allSatisfy { $0 == 0.2 })
        #expect(rendered[20_000...].allSatisfy { $0 == 0.3 })
        #expect(session.starts.map(\.url) == urls)
        #expect(session.starts.map(\.frame) == [0, 8_000, 20_000])
        #expect(session.transitions.map(\.kind) == [.gapless, .gapless])
        #expect(session.states.all == [.idle, .preparing, .playing, .finished])
        #expect(session.events.all.contains { $0.kind == .playlistEnded })
        #expect(await session.player.currentTrack == nil)
        #expect(await session.player.playbackPosition == nil)
        #expect(await session.player.getCurrentTrackIndex() == 2)
    }

    @Test func crossfadeOverlapsTheEnds() async throws {
        let session = await PlayerSession()
        let urls = [session.track("a", level: 0.2, seconds: 10), session.track("b", level: 0.4, seconds: 10)]
        try await session.player.loadPlaylist(
            urls, configuration: PlayerConfiguration(crossfadeDuration: 4, fadeCurve: .linear))
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(session.renderedSeconds == 16)
        #expect(abs(session.sample(at: 8) - 0.3) < 1e-4)
        #expect(abs(session.sample(at: 5.99) - 0.2) < 1e-6)
        #expect(abs(session.sample(at: 10.01) - 0.4) < 1e-6)
        let transitions = session.transitions
        #expect(transitions.map(\.start) == [48_000])
        #expect(transitions.map(\.frames) == [32_000])
        #expect(session.events.all.contains { $0.kind == .transitionEnded(to: urls[1]) && $0.frame == 80_000 })
    }

    @Test func crossfadeIsAtMostFortyPercentOfTheShorterTrack() async throws {
        let session = await PlayerSession()
        let urls = [session.track("a", seconds: 10), session.track("b", seconds: 5), session.track("c", seconds: 0.2)]
        try await session.player.loadPlaylist(urls, configuration: PlayerConfiguration(crossfadeDuration: 10))
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(session.transitions.map(\.kind) == [.crossfade, .gapless])
        #expect(session.transitions.map(\.frames) == [16_000, 0])
        #expect(abs(session.renderedSeconds - 13.2) < 1e-9)
    }

    @Test func playlistRepeatsTheRequestedNumberOfTimes() async throws {
        let session = await PlayerSession()
        let urls = [session.track("a", seconds: 0.5), session.track("b", seconds: 0.5)]
        try await session.player.loadPlaylist(
            urls, configuration: PlayerConfiguration(crossfadeDuration: 0, repeatMode: .playlist, repeatCount: 2))
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(session.renderedSeconds == 3)
        #expect(await session.player.getRepeatCount() == 2)
        #expect(session.starts.map(\.url) == urls + urls + urls)
    }

    @Test func singleTrackRepeatsWithACrossfadeIntoItself() async throws {
        let session = await PlayerSession()
        let urls = [session.track("a", seconds: 10), session.track("b", seconds: 10)]
        try await session.player.loadPlaylist(
            urls, configuration: PlayerConfiguration(crossfadeDuration: 3, repeatMode: .singleTrack, repeatCount: 1))
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(session.renderedSeconds == 17)
        #expect(session.starts.map(\.url) == [urls[0], urls[0]])
        #expect(await session.player.getRepeatCount() == 1)
        #expect(await session.player.getCurrentTrackIndex() == 0)
    }

    @Test func repetitionCanBeEndedWhilePlaying() async throws {
        let session = await PlayerSession()
        let url = session.track("a", seconds: 1)
        try await session.player.loadPlaylist(
            [url], configuration: PlayerConfiguration(crossfadeDuration: 0, repeatMode: .singleTrack))
        try await session.advance(2.5)
        try await session.waitForStart(of: url, count: 3)
        #expect(await session.player.getRepeatMode() == .singleTrack)
        await session.player.setRepeatMode(.off)
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(session.renderedSeconds == 3)
    }

    @Test func sameFileTwiceIsPlayedTwice() async throws {
        let session = await PlayerSession()
        let url = session.track("a", seconds: 1)
        try await session.player.loadPlaylist([url, url], configuration: gapless)
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(session.renderedSeconds == 2)
        #expect(await session.player.getCurrentTrackIndex() == 1)
    }

    // MARK: Bad files

    @Test func badFilesAreSkippedAndReported() async throws {
        let session = await PlayerSession()
        let missing = PlayerSession.url("missing")
        let alsoMissing = PlayerSession.url("also missing")
        let urls = [
            alsoMissing, session.track("a", level: 0.1, seconds: 10), missing,
            session.track("b", level: 0.2, seconds: 10),
        ]
        try await session.player.loadPlaylist(urls, configuration: PlayerConfiguration(crossfadeDuration: 2))
        #expect(await session.player.getCurrentTrackIndex() == 1)
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(session.renderedSeconds == 18)
        #expect(session.failures == [.fileNotFound(alsoMissing), .fileNotFound(missing)])
        #expect(session.transitions.map(\.kind) == [.crossfade])
    }

    @Test func playlistWithoutReadableTracksFails() async throws {
        let session = await PlayerSession()
        let missing = PlayerSession.url("missing")
        try await session.player.loadPlaylist([session.track("a", seconds: 1), missing], configuration: gapless)
        try await session.finish()
        try await session.wait(for: .failed(.fileNotFound(missing)))
        #expect(session.renderedSeconds == 1)
    }

    @Test func playlistOfBadFilesChangesNothing() async throws {
        let session = await PlayerSession()
        let missing = PlayerSession.url("missing")
        await #expect(throws: AudioPlayerError.fileNotFound(missing)) {
            try await session.player.loadPlaylist([missing])
        }
        #expect(await session.player.state == .idle)
        #expect(await session.player.isPlaylistEmpty())
        let url = session.track("a", seconds: 5)
        try await session.player.loadPlaylist([url], configuration: gapless)
        try await session.advance(1)
        await #expect(throws: AudioPlayerError.fileNotFound(missing)) {
            try await session.player.loadPlaylist([missing], configuration: PlayerConfiguration(volume: 10))
        }
        #expect(await session.player.state == .playing)
        #expect(await session.player.getCurrentPlaylist() == [url])
        #expect(await session.player.configuration == gapless)
        try await session.finish()
        #expect(session.renderedSeconds == 5)
    }

    @Test func damagedFileIsFollowedByTheNextTrack() async throws {
        let session = await PlayerSession()
        var fault = DeckFault()
        fault.failure = (4_000, .decodeError("bad frame"))
        let damaged = session.track("damaged", level: 0.1, seconds: 1, fault: fault)
        let good = session.track("good", level: 0.2, seconds: 1)
        try await session.player.loadPlaylist([damaged, good], configuration: gapless)
        try await session.finish()
        try await session.wait(for: .finished)
        let failures = session.failures
        #expect(failures.count == 1)
        #expect(failures.first?.description.contains("damaged") == true)
        #expect(failures.first?.description.contains("0.5 s") == true)
        #expect(session.starts.map(\.url) == [damaged, good])
    }

    /// Errors of decks begin with the name of the file.
    @Test func errorsNameTheFileOnce() async throws {
        let session = await PlayerSession()
        var (unreadable, damaged) = (DeckFault(), DeckFault())
        let urls = ["unreadable", "damaged"].map { session.track($0, seconds: 1) }
        unreadable.openError = .unsupported("\(urls[0].path) is not an audio file")
        damaged.failure = (4_000, .decodeError("\(urls[1].path) at 0.500 s: damaged"))
        session.manual.decks.setFault(unreadable, for: urls[0].path)
        session.manual.decks.setFault(damaged, for: urls[1].path)
        try await session.player.loadPlaylist(urls, configuration: gapless)
        try await session.finish()
        try await session.events.wait { $0.count { if case .trackFailed = $0.kind { true } else { false } } == 2 }
        #expect(
            session.failures.map(\.description) == [
                "cannot play \(urls[0].path): it is not an audio file",
                "cannot play \(urls[1].path): reading ended at 0.500 s: damaged",
            ])
    }

    @Test func repeatedPlaylistThatCannotBeReadEnds() async throws {
        let session = await PlayerSession()
        var fault = DeckFault()
        fault.failure = (0, .decodeError("bad frame"))
        let urls = [
            session.track("a", seconds: 1, fault: fault), session.track("b", seconds: 1, fault: fault),
        ]
        try await session.player.loadPlaylist(
            urls, configuration: PlayerConfiguration(crossfadeDuration: 0, repeatMode: .playlist))
        try await session.finish()
        try await session.states.wait { states in
            if case .failed = states.last { true } else { false }
        }
    }

    @Test func emptyPlaylistAndBadConfigurationsAreRefused() async throws {
        let session = await PlayerSession()
        let url = session.track("a", seconds: 1)
        let bad = PlayerConfiguration(crossfadeDuration: 0.5)
        await #expect(throws: AudioPlayerError.emptyPlaylist) { try await session.player.loadPlaylist([]) }
        await #expect(throws: ConfigurationError.invalidCrossfadeDuration(0.5)) {
            try await session.player.loadPlaylist([url], configuration: bad)
        }
        await #expect(throws: AudioPlayerError.invalidConfiguration(.invalidCrossfadeDuration(0.5))) {
            try await session.player.startPlaying(url: url, configuration: bad)
        }
        #expect(await session.player.state == .idle)
    }

    @Test func startPlayingReplacesThePlaylist() async throws {
        let session = await PlayerSession()
        let urls = [session.track("a", level: 0.1, seconds: 5), session.track("b", level: 0.2, seconds: 5)]
        try await session.player.loadPlaylist(urls, configuration: gapless)
        try await session.advance(1)
        try await session.player.startPlaying(url: urls[1], configuration: gapless)
        #expect(await session.player.getCurrentPlaylist() == [urls[1]])
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(session.renderedSeconds == 6)
        #expect(session.sample(at: 1.1) == 0.2)
    }

    @Test func fadeInAtStartIsOptional() async throws {
        let session = await PlayerSession()
        let url = session.track("a", level: 0.5, seconds: 10)
        try await session.player.startPlaying(
            url: url, configuration: PlayerConfiguration(crossfadeDuration: 10, fadeCurve: .linear, fadeInAtStart: true)
        )
        try await session.advance(4)
        #expect(session.sample(at: 0) < 0.001)
        #expect(abs(session.sample(at: 1.5) - 0.25) < 1e-3)
        #expect(session.sample(at: 3.01) == 0.5)
    }

    @Test func missingDeviceIsASessionError() async throws {
        let session = await PlayerSession.realTime()
        let url = session.track("a", seconds: 1)
        session.manual.output.setStartError(.ioError("no device"))
        await #expect(throws: AudioPlayerError.sessionError("no device")) {
            try await session.player.loadPlaylist([url])
        }
        #expect(await session.player.state == .idle)
        #expect(await session.player.isPlaylistEmpty())
    }
}
