import Descant
import DescantTesting
import Foundation
import Testing

/// The examples of the guide "Use the player" and the patterns of the interface that the player keeps, run on sounds in memory.
@Suite(.timeLimit(.minutes(2)))
struct GuideTests {
    private let manual = ManualMixingEngine.offline(format: PCMFormat(sampleRate: 8_000, channels: 1))
    private let player: AudioPlayerService

    init() { player = AudioPlayerService(engine: manual.engine, clock: ManualClock()) }

    private func track(_ name: String, seconds: Int = 200) -> URL {
        let url = URL(fileURLWithPath: "/music/\(name).wav")
        let samples = [Float](repeating: 0.2, count: 8_000 * seconds)
        manual.decks.register(
            SampleBuffer(format: PCMFormat(sampleRate: 8_000, channels: 1), samples: samples), for: url)
        return url
    }

    private func advance(_ seconds: Double) async throws {
        _ = try await manual.engine.advance(frames: Int64(seconds * 8_000), untilIdle: nil)
    }

    // MARK: The guide

    @Test func playlists() async throws {
        let album = [track("1"), track("2"), track("3")]
        let extra = track("extra")
        try await changeTheMusicAfterAWhile(album, extra)
        #expect(await player.getCurrentPlaylist() == [extra] + album)
    }

    private func changeTheMusicAfterAWhile(_ album: [URL], _ extra: URL) async throws {
        // The crossfade that nextTrack() begins is still running when the playlist is swapped.
        await #expect(throws: AudioPlayerError.crossfadeInProgress) {
            try await changeTheMusic(player, album: album, extra: extra)
        }
        #expect(await player.getCurrentPlaylist() == album + [extra])
        #expect(await player.getCurrentTrackIndex() == 2)
        try await advance(5)
        try await player.swapPlaylist(tracks: [extra] + album, crossfadeDuration: 2)
    }

    @Test func shuffling() async throws {
        try await player.loadPlaylist([track("1"), track("2"), track("3")])
        let seed = await shuffle(player)
        #expect(seed != nil)
        #expect(await player.getShuffleSeed() == seed)
    }

    @Test func sleeping() async throws {
        try await player.loadPlaylist([track("1")])
        try await fallAsleep(player, atEndOfTrack: true)
        #expect(await player.sleepTimerRemaining == 200)
        try await fallAsleep(player, atEndOfTrack: false)
        #expect(await player.sleepTimerRemaining == 1_800)
    }

    @Test func transitions() async throws {
        try await playLikeARadio(player, [track("1"), track("2"), track("3")])
        try await advance(10)
        var tracks = player.trackUpdates.makeAsyncIterator()
        while let track = await tracks.next(), track?.title != "3" {}
        #expect(await player.getCurrentTrackIndex() == 2)
    }

    @Test func stopping() async throws {
        for patiently in [true, false] {
            try await player.loadPlaylist([track("1")])
            try await silence(player, patiently: patiently)
            #expect(await player.state == .idle)
        }
    }

    @Test @MainActor func observing() async throws {
        let shown = WhatPlays()
        let task = Task { await shown.follow(player) }
        try await player.loadPlaylist([track("Song")])
        while !shown.isPlaying || shown.title != "Song" { await Task.yield() }
        task.cancel()
    }

    // MARK: Patterns

    @Test func patternsOfAnEarlierPlayerRun() async throws {
        let tracks = ["a", "b", "c", "d", "e"].map { track($0) }
        await #expect(throws: AudioPlayerError.crossfadeInProgress) {
            // Going back meets the crossfade of going on.
            try await SeedPatterns.playlistPlayback(player, trackURLs: tracks)
        }
        #expect(await player.configuration.volume == 80)
        let (count, index) = try await SeedPatterns.dynamicPlaylist(player, newTrackURL: track("new"))
        #expect(count == 5 && index == 0)
        await #expect(throws: AudioPlayerError.crossfadeInProgress) {
            // The replacement meets the crossfade of the jump.
            try await SeedPatterns.navigation(player, url: tracks[4])
        }
        await SeedPatterns.globalControl(player)
        #expect(await player.state == .idle)
        #expect(await SeedPatterns.errors(player, url: track("f")) == "crossfade of 0.5 s")
    }

    @Test func overlayPatternsRun() async throws {
        try await SeedPatterns.overlay(player, rainURL: track("rain", seconds: 5), oceanURL: track("ocean", seconds: 5))
        try await SeedPatterns.overlayConfiguration(player, ambientURL: track("air", seconds: 5))
        #expect(await player.getOverlayState() != .idle)
    }

    @Test @MainActor func observerAndViewModelAreTold() async throws {
        let observer = MyObserver()
        await player.addObserver(observer)
        let model = ViewModel()
        let task = Task { await model.follow(player) }
        try await player.loadPlaylist([track("Song")])
        while !model.isPlaying || model.trackName != "Song" { await Task.yield() }
        while await !observer.states.contains(.playing) { await Task.yield() }
        task.cancel()
        SeedPatterns.threadSafety(player)
    }
}
