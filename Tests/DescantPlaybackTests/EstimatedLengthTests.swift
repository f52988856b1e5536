import DescantCore
import DescantTesting
import Foundation
import Testing

@testable import DescantPlayback

/// Seeks in a track that is longer than its announced length. Only the deck knows where the sound ends.
@Suite(.timeLimit(.minutes(2)))
struct EstimatedLengthTests {
    private static let rate = PlayerSession.format.sampleRate
    private let gapless = PlayerConfiguration(crossfadeDuration: 0)

    /// 15 s at 0.1, then 5 s at 0.5. The track announces 10 s, and the deck does not know its length.
    private func underestimated(in session: PlayerSession) -> URL {
        let url = PlayerSession.url("estimated")
        let samples = [Float](repeating: 0.1, count: 15 * Self.rate) + [Float](repeating: 0.5, count: 5 * Self.rate)
        var fault = DeckFault()
        fault.announcesLength = false
        session.manual.decks.register(
            SampleBuffer(format: PlayerSession.format, samples: samples), for: url, track: Self.track, fault: fault)
        return url
    }

    private static var track: TrackInfo {
        TrackInfo(
            title: "estimated", duration: 10,
            format: AudioFormat(sampleRate: Double(rate), channelCount: 1, codec: "MP3"))
    }

    /// A player that has played two seconds of the track.
    private func playing() async throws -> PlayerSession {
        let session = await PlayerSession()
        try await session.player.loadPlaylist([underestimated(in: session)], configuration: gapless)
        try await session.advance(2)
        return session
    }

    private func waitForSeek(to target: Double, in session: PlayerSession) async throws {
        try await session.events.wait { event in
            if case .positionChanged(let position) = event.kind { abs(position - target) < 0.001 } else { false }
        }
    }

    @Test func aSeekBehindTheEstimateIsHeard() async throws {
        let session = try await playing()
        try await session.player.seekWithFade(to: 16, fadeDuration: 0)
        // Until the seek is heard, nobody knows whether there is sound.
        #expect(await session.player.playbackPosition == PlaybackPosition(currentTime: 10, duration: 10))
        try await session.advance(1)
        try await waitForSeek(to: 16, in: session)
        #expect(session.sample(at: 2.5) == 0.5)
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(abs(session.renderedSeconds - 6) < 0.02)
    }

    @Test func aSeekBehindTheRealEndEndsTheTrack() async throws {
        let session = try await playing()
        try await session.player.seekWithFade(to: .infinity, fadeDuration: 0)
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(abs(session.renderedSeconds - 2) < 0.05)
        #expect(session.failures.isEmpty)
    }

    @Test func skipsAddUpBehindTheEstimate() async throws {
        let session = try await playing()
        try await session.player.skipForward(by: 9)
        try await session.player.skipForward(by: 5)
        try await session.advance(2)
        try await waitForSeek(to: 16, in: session)
        #expect(session.sample(at: 3.5) == 0.5)
        // Fades of 0.3 s: since 2.3 s the track sounds from 16 s on, and 17.7 s are reached.
        try await session.player.skipBackward(by: 4)
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(abs(session.renderedSeconds - (4 + 0.3 + 20 - 13.7)) < 0.02)
    }

    /// A desktop's keys move from what is heard, and not from the estimate at which the position stands.
    @Test(arguments: [-4.0, 2]) func keysMoveBehindTheEstimate(seconds: Double) async throws {
        let session = try await playing()
        try await session.player.seekWithFade(to: 16, fadeDuration: 0)
        try await session.advance(1)
        try await waitForSeek(to: 16, in: session)
        #expect(await session.player.playbackPosition == PlaybackPosition(currentTime: 10, duration: 10))
        try await session.player.perform(.seek(by: seconds))
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(abs(session.renderedSeconds - (2 + 1 + 0.05 + 3 - seconds)) < 0.02)
    }

    /// Content of an engine that does not play yet.
    @Test func contentBeginsBehindTheEstimate() async throws {
        let session = await PlayerSession()
        let engine = AudioPlayerEngine(session.player)
        try await engine.loadContent(.url(underestimated(in: session)))
        try await engine.seek(to: .time(16))
        #expect(await engine.currentTime == 10)
        try await engine.play()
        try await session.advance(1)
        #expect(session.manual.rendered.samples.allSatisfy { $0 == 0.5 })
    }

    @Test func contentOfExactLengthBeginsAtItsEndAtTheLatest() async throws {
        let session = await PlayerSession()
        let engine = AudioPlayerEngine(session.player)
        try await engine.loadContent(.url(session.track("a", seconds: 3)))
        try await engine.seek(to: .time(99))
        #expect(await engine.currentTime == 3)
    }

    /// Two seeks, of which the first leads behind the end. Its arrival at the end is not the arrival of the second one.
    @Test func anOvertakenSeekBehindTheEndDoesNotCount() {
        var main = MainTracks()
        let item = PlaylistItem(id: PlaylistItem.ID(rawValue: 1), url: PlayerSession.url("estimated"))
        let stop = PlaylistRoute.Stop(index: 0, isRepeat: false)
        main.begin(OpenTrack(item: item, stop: stop, deck: DeckID(rawValue: 1), info: Self.track))
        main.seek(to: 100)
        #expect(main.seekTarget == 10)
        main.seek(to: 5)
        main.arrive(at: 10)
        #expect(main.seekTarget == 5)
        main.arrive(at: 5)
        #expect(main.seekTarget == nil && main.shownPosition == 5)
    }
}
