import DescantCore
import DescantPlayback
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// Tests of the decisions in docs/player-decisions.md that no other suite covers.
/// docs/player-decisions.md lists all of them.
@Suite(.timeLimit(.minutes(2)))
struct DecisionTests {
    private let fading = PlayerConfiguration(crossfadeDuration: 2, fadeCurve: .linear, stopFadeDuration: 1)
    private let gapless = PlayerConfiguration(crossfadeDuration: 0, stopFadeDuration: 1)

    /// Tracks of 10 s with levels 0.1, 0.2, …, the first of which begins to play.
    private func playing(_ configuration: PlayerConfiguration) async throws -> (PlayerSession, [URL]) {
        let session = await PlayerSession()
        let urls = ["a", "b", "c"].enumerated().map { session.track($1, level: Float($0 + 1) / 10, seconds: 10) }
        try await session.player.loadPlaylist(urls, configuration: configuration)
        return (session, urls)
    }

    // MARK: Configuration

    @Test("clamp or throw") func invalidConfigurationIsRefusedWithoutChanges() async throws {
        let (session, urls) = try await playing(gapless)
        try await session.advance(1)
        for bad in [
            PlayerConfiguration(crossfadeDuration: 0.5), PlayerConfiguration(repeatCount: -1, volume: 10),
            PlayerConfiguration(volume: 101), PlayerConfiguration(stopFadeDuration: 11),
        ] {
            await #expect(throws: ConfigurationError.self) {
                try await session.player.loadPlaylist([urls[2]], configuration: bad)
            }
            await #expect(throws: AudioPlayerError.self) {
                try await session.player.startPlaying(url: urls[2], configuration: bad)
            }
        }
        #expect(await session.player.configuration == gapless)
        #expect(await session.player.getCurrentPlaylist() == urls)
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(session.renderedSeconds == 30)
        #expect(session.manual.rendered.samples[..<80_000].allSatisfy { $0 == 0.1 })
    }

    @Test("next/previous with .singleTrack") func onlyTheNaturalEndRepeatsASingleTrack() async throws {
        var configuration = gapless
        configuration.repeatMode = .singleTrack
        let (session, urls) = try await playing(configuration)
        try await session.advance(12)
        try await session.waitForStart(of: urls[0], count: 2)
        try await session.player.nextTrack()
        try await session.advance(12)
        try await session.waitForStart(of: urls[1], count: 2)
        try await session.player.previousTrack()
        #expect(await session.player.getCurrentTrackIndex() == 0)
        try await session.player.jumpToTrack(at: 2)
        try await session.player.nextTrack()
        #expect(await session.player.state == .fadingOut)
        try await session.advance(2)
        try await session.wait(for: .finished)
        #expect(session.sample(at: 23.9) == 0.2)
    }

    // MARK: Transitions

    @Test("crossfade longer than the rest of the track", arguments: [(1.5, 1.5), (0.12, 0.12), (0.05, 0), (2.5, 2)])
    func crossfadeIsShortenedToTheRestOfTheTrack(left: Double, length: Double) async throws {
        let (session, urls) = try await playing(fading)
        // The playlist's own crossfade would come first.
        try await session.player.removeTrackFromPlaylist(at: 1)
        try await session.player.removeTrackFromPlaylist(at: 1)
        try await session.advance(10 - left)
        await session.player.addTrackToPlaylist(urls[1])
        try await session.player.nextTrack()
        try await session.advance(3)
        try await session.waitForStart(of: urls[1])
        let begin = 80_000 - Int((left * 8_000).rounded())
        let frames = Int((length * 8_000).rounded())
        let expected: [Int64] = frames > 0 ? [Int64(frames)] : []
        #expect(session.transitions.map(\.frames) == expected)
        let samples = session.manual.rendered.samples
        #expect(samples[..<begin].allSatisfy { $0 == 0.1 })
        let settled = begin + max(frames, 80)
        #expect(samples[settled..<settled + 8_000].allSatisfy { $0 == 0.2 })
    }

    @Test("crossfade longer than 40 % of a track") func requestedCrossfadeIsAtMostFortyPercent() async throws {
        let (session, urls) = try await playing(fading)
        let short = session.track("short", level: 0.5, seconds: 2.5)
        try await session.advance(1)
        try await session.player.replaceTrack(url: short, crossfadeDuration: 30)
        try await session.advance(2.5)
        try await session.waitForStart(of: urls[1])
        #expect(session.transitions.map(\.frames) == [8_000, 8_000])
        #expect(session.transitions.map(\.start) == [8_000, 20_000])
        #expect(abs(session.sample(at: 1.5) - 0.3) < 1e-4)
    }

    @Test("removing the current track") func requestedTrackFollowsWhenCurrentOneIsRemoved() async throws {
        var configuration = fading
        configuration.transitionInterruption = .fastForward
        let (session, urls) = try await playing(configuration)
        try await session.advance(1)
        try await session.player.nextTrack()
        try await session.advance(0.5)
        try await session.player.jumpToTrack(at: 0)
        try await session.player.removeTrackFromPlaylist(at: 1)
        try await session.advance(4)
        try await session.waitForStart(of: urls[0], count: 2)
        await session.player.setup()
        #expect(await session.player.currentTrack?.title == "a")
        #expect(await session.player.getCurrentTrackIndex() == 0)
        #expect(session.starts.map(\.url) == [urls[0], urls[1], urls[0]])
        #expect(session.sample(at: 5) == 0.1)
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(session.starts.last?.url == urls[2])
    }

    @Test("seek outside [0, duration]", arguments: [10, 11, Double.infinity])
    func seekPastEndEndsTheTrackNaturally(position: Double) async throws {
        let (session, urls) = try await playing(fading)
        try await session.advance(1)
        try await session.player.seekWithFade(to: position, fadeDuration: 0.5)
        #expect(await session.player.playbackPosition?.currentTime == 10)
        try await session.advance(2)
        try await session.waitForStart(of: urls[1])
        #expect(session.starts.map(\.frame) == [0, 12_000])
        #expect(await session.player.getCurrentTrackIndex() == 1)
        #expect(session.sample(at: 2) == 0.2)
        try await session.player.seekWithFade(to: -5, fadeDuration: .infinity)
        #expect(await session.player.playbackPosition?.currentTime == 0)
    }

    @Test("tracks inside one album, in order") func gaplessAlbumsJoinsTracksOfAnAlbum() async throws {
        let albums: [(String, Int)] = [("Blue", 1), ("Blue", 2), ("Red", 3), ("Red", 5)]
        for isOn in [false, true] {
            let session = await PlayerSession()
            let urls = albums.enumerated().map { place, entry in
                album(entry.0, entry.1, level: Float(place + 1) / 10, in: session)
            }
            var configuration = fading
            configuration.gaplessAlbums = isOn
            try await session.player.loadPlaylist(urls, configuration: configuration)
            try await session.finish()
            try await session.wait(for: .finished)
            // The other tracks are not successors: another album, and a skipped track number.
            #expect(
                session.transitions.map(\.frames) == (isOn ? [0, 16_000, 16_000] : [16_000, 16_000, 16_000]))
            #expect(session.renderedSeconds == (isOn ? 36 : 34))
            guard isOn else { continue }
            let samples = session.manual.rendered.samples
            #expect(samples[..<80_000].allSatisfy { $0 == 0.1 })
            #expect(samples[80_000..<144_000].allSatisfy { $0 == 0.2 })
        }
    }

    private func album(_ name: String, _ number: Int, level: Float, in session: PlayerSession) -> URL {
        let url = PlayerSession.url("\(name) \(number)")
        let content = SampleBuffer(
            format: PlayerSession.format,
            samples: [Float](repeating: level, count: 10 * PlayerSession.format.sampleRate))
        let track = TrackInfo(
            title: "\(number)", duration: 10, format: AudioFormat(sampleRate: 8_000, channelCount: 1),
            tags: TagBundle(album: name, trackNumber: number))
        session.manual.decks.register(content, for: url, track: track)
        return url
    }

    // MARK: Stopping

    @Test("end of a track and stop in the same instant", arguments: [0.0, 2])
    func stopTakesPrecedenceOverTheEndOfATrack(crossfade: Double)
        async throws
    {
        let (session, urls) = try await playing(
            PlayerConfiguration(crossfadeDuration: crossfade, fadeCurve: .linear, stopFadeDuration: 1))
        let end = 10 - crossfade
        try await session.advance(end)
        await session.player.stop()
        try await session.advance(3)
        try await session.wait(for: .finished)
        #expect(session.starts.map(\.url) == [urls[0]])
        let samples = session.manual.rendered.samples
        #expect(samples[Int((end + 1) * 8_000)...].allSatisfy { $0 == 0 })
        #expect(crossfade > 0 || samples[80_000...].allSatisfy { $0 == 0 })
    }

    @Test("stop, last track removed") func noTrackIsShownAfterStopAndRemoval() async throws {
        let session = await PlayerSession()
        let tracks = EventRecorder(session.player.trackUpdates.buffered(.bounded(100)))
        await session.player.addTrackToPlaylist(session.track("a", seconds: 10))
        try await session.events.wait { $0.kind == .playlistChanged(count: 1) }
        try await session.player.jumpToTrack(at: 0)
        await session.player.stop(fadeDuration: 0)
        #expect(await session.player.currentTrack == nil)
        #expect(await session.player.playbackPosition == nil)
        try await session.player.jumpToTrack(at: 0)
        try await session.player.pause()
        try await session.player.removeTrackFromPlaylist(at: 0)
        try await session.events.wait { $0.kind == .playlistChanged(count: 0) }
        #expect(await session.player.state == .finished)
        try await tracks.wait { (tracks: [TrackInfo?]) in tracks.count == 5 }
        #expect(tracks.all.map { $0?.title } == [nil, "a", nil, "a", nil])
    }

    @Test("pauseAll, resumeAll, stopAll") func resumeAllResumesOnlyWhatPauseAllPaused() async throws {
        let (session, urls) = try await playing(gapless)
        let rain = session.track("rain", level: 0.4, seconds: 60)
        for id in ["low", "high"] as [OverlayID] {
            try await session.player.startOverlay(url: rain, configuration: OverlayConfiguration(), id: id)
        }
        try await session.advance(1)
        await session.player.pauseAll()
        try await session.advance(1)
        #expect(session.manual.rendered.samples.suffix(7_900).allSatisfy { $0 == 0 })
        // The user starts another overlay and pauses it.
        try await session.player.loadPlaylist([urls[1]])
        await session.player.resumeOverlay(id: "low")
        try await session.advance(1)
        try await session.player.pause()
        await session.player.pauseOverlay(id: "low")
        await session.player.resumeAll()
        #expect(await session.player.state == .paused)
        #expect(await session.player.getOverlayState(id: "low") == .paused)
        #expect(await session.player.getOverlayState(id: "high") == .playing)
        await session.player.stopAll()
        #expect(await session.player.state == .idle)
        #expect(await session.player.activeOverlays.isEmpty)
        #expect(await session.player.getCurrentPlaylist() == [urls[1]])
    }

    // MARK: Overlays

    @Test("replaceOverlay's crossfade") func replacementLastsAsLongAsTheFadeOut() async throws {
        let session = await PlayerSession()
        let rain = session.track("rain", level: 0.2, seconds: 20)
        let sea = session.track("sea", level: 0.6, seconds: 20)
        try await session.player.startOverlay(url: rain, configuration: OverlayConfiguration(fadeOutDuration: 2))
        try await session.advance(1)
        try await session.player.replaceOverlay(url: sea)
        try await session.advance(3)
        #expect(abs(session.sample(at: 2) - 0.4) < 1e-4)
        #expect(session.sample(at: 2.9) < 0.6)
        #expect(session.sample(at: 3.1) == 0.6)
    }

    @Test("OverlayConfiguration()") func overlayIsPlayingDuringItsDelay() async throws {
        let session = await PlayerSession()
        let bell = session.track("bell", level: 0.5, seconds: 1)
        let configuration = OverlayConfiguration(loopMode: .count(2), loopDelay: 2)
        try await session.player.startOverlay(url: bell, configuration: configuration)
        try await session.advance(2)
        #expect(session.manual.rendered.samples.last == 0)
        #expect(await session.player.getOverlayState() == .playing)
        try await session.player.startOverlay(url: bell, configuration: OverlayConfiguration(), id: "once")
        try await session.advance(3)
        try await session.wait(for: .idle, of: .default)
        try await session.wait(for: .idle, of: "once")
    }

    // MARK: Events and state

    @Test("TrackInfo, AudioFormat") func trackInfoHasTagsAndFormat() async throws {
        let session = await PlayerSession()
        let url = PlayerSession.url("song")
        let format = AudioFormat(sampleRate: 8_000, channelCount: 1, bitDepth: 24, codec: "FLAC")
        let content = SampleBuffer(format: PlayerSession.format, samples: [Float](repeating: 0.1, count: 16_000))
        session.manual.decks.register(
            content, for: url, track: TrackInfo(title: "Song", artist: "Band", duration: 2, format: format))
        try await session.player.loadPlaylist([url])
        let track = try #require(await session.player.currentTrack)
        #expect(track.title == "Song" && track.artist == "Band" && track.duration == 2)
        #expect(track.format == format && track.format.bitDepth == 24 && track.format.codec == "FLAC")
    }

    @Test func replacedSeekDoesNotMoveThePosition() async throws {
        let (session, _) = try await playing(gapless)
        for round in 1...20 {
            try await session.player.seekWithFade(to: 3, fadeDuration: 0.01)
            try await session.advance(0.02)
            // The event may be sent before or after this call.
            try await session.player.seekWithFade(to: 8, fadeDuration: 0.01)
            try await session.events.wait { (events: [PlayerEvent]) in
                events.filter { $0.kind == .positionChanged(to: 3) }.count == round
            }
            #expect(await session.player.playbackPosition?.currentTime == 8)
            try await session.advance(0.02)
            try await session.events.wait { (events: [PlayerEvent]) in
                events.filter { $0.kind == .positionChanged(to: 8) }.count == round
            }
            #expect(await session.player.playbackPosition?.currentTime ?? 0 > 8)
        }
    }

    @Test("position before the first sound") func positionsNeverDecrease() async throws {
        let session = await PlayerSession.realTime()
        session.manual.output.setLatency(frames: 1_600)
        let urls = [session.track("a", level: 0.1, seconds: 4), session.track("b", level: 0.2, seconds: 4)]
        try await session.player.loadPlaylist(urls, configuration: fading)
        #expect(await session.player.playbackPosition?.currentTime == 0)
        try await session.advance(0.1)
        #expect(await session.player.playbackPosition?.currentTime == 0)
        var last: (title: String?, time: TimeInterval) = ("a", 0)
        // Time passes while the player opens the second track, so the step of its beginning is not known.
        for step in 0..<1_000 where last.title != "b" || last.time <= 1 {
            if step == 12 { try await session.player.pause() }
            if step == 18 { try await session.player.resume() }
            try await session.advance(0.1)
            let before = await session.player.currentTrack?.title
            guard let position = await session.player.playbackPosition else { break }
            let title = await session.player.currentTrack?.title
            // The second track may begin meanwhile, and the position is then that of either.
            guard title == before else { continue }
            #expect(title != last.title || position.currentTime >= last.time)
            #expect(position.currentTime <= position.duration)
            last = (title, position.currentTime)
        }
        #expect(last.title == "b" && last.time > 1)
    }
}
