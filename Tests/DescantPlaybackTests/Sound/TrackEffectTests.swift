import DescantCore
import DescantPlayback
import DescantTesting
import Foundation
import Testing

/// Effects of single tracks of a player.
@Suite(.timeLimit(.minutes(5)))
struct TrackEffectTests {
    private let rate = PlayerSession.stereo.sampleRate
    private let echo = EchoEffect(delay: 800)

    /// A click at the beginning of each of two tracks of a second.
    private func clicks(in session: PlayerSession) -> [URL] {
        ["a", "b"].map { name in
            var samples = [Float](repeating: 0, count: rate * 2)
            samples[0] = 0.5
            return session.register(name, SampleBuffer(format: PlayerSession.stereo, samples: samples))
        }
    }

    /// The frames of all samples of the first channel that are not silent.
    private func sounds(in session: PlayerSession, above level: Float = 1e-3) -> [Int] {
        session.manual.rendered.channel(0).enumerated().filter { abs($0.element) > level }.map(\.offset)
    }

    @Test func onlyTheTrackItselfPassesItsEffects() async throws {
        let session = await PlayerSession.inStereo()
        let tracks = clicks(in: session)
        let insert = EffectInsert("echo", echo, values: ["feedback": 0.25])
        try await session.player.setEffects([insert], ofTrack: tracks[1])
        #expect(await session.player.effects(ofTrack: tracks[1]).map(\.id) == [insert.id])
        #expect(await session.player.effects(ofTrack: tracks[0]).isEmpty)
        try await session.player.loadPlaylist(tracks, configuration: PlayerConfiguration(crossfadeDuration: 0))
        try await session.finish()
        // 0.5, 0.125, 0.031, 0.008 and 0.002 are above the level.
        #expect(sounds(in: session) == [0] + (0..<5).map { rate + $0 * 800 })
    }

    @Test func trackThatSoundsIsChangedAtOnce() async throws {
        let session = await PlayerSession.inStereo()
        let sound = session.level("level", 0.25, channel: 0, seconds: 2)
        try await session.player.loadPlaylist([sound], configuration: PlayerConfiguration(crossfadeDuration: 0))
        try await session.advance(0.5)
        try await session.player.setEffects([EffectInsert("echo", echo)], ofTrack: sound)
        try await session.advance(0.5)
        let left = session.manual.rendered.channel(0)
        #expect(left[..<(rate / 2)].allSatisfy { $0 == 0.25 })
        // The echo of a level is the level again, behind the delay.
        #expect(left[(rate - 100)...].contains { $0 > 0.37 })
    }

    @Test func aStopBehindTheEndEndsWhatRings() async throws {
        let session = await PlayerSession.inStereo()
        let tracks = clicks(in: session)
        try await session.player.setEffects([EffectInsert("echo", EchoEffect(delay: rate / 2))], ofTrack: tracks[0])
        try await session.player.loadPlaylist([tracks[0]], configuration: PlayerConfiguration(crossfadeDuration: 0))
        try await session.advance(1.25)
        try await session.wait(for: .finished)
        await session.player.stop(fadeDuration: 0)
        try await session.advance(1)
        #expect(sounds(in: session) == [0, rate / 2, rate])
    }

    /// A file that an engine has loaded and not played is no track of a playlist yet.
    @Test func aLoadedFileTakesEffectsThatAreSetBeforeItPlays() async throws {
        let session = await PlayerSession.inStereo()
        let tracks = clicks(in: session)
        let engine = AudioPlayerEngine(session.player)
        try await engine.loadContent(.url(tracks[0]))
        try await session.player.setEffects([EffectInsert("echo", echo)], ofTrack: tracks[0])
        try await engine.play()
        try await session.advance(0.5)
        #expect(sounds(in: session).count > 1)
        try await engine.loadContent(.url(tracks[1]))
        try await session.player.setEffects([EffectInsert("echo", echo)], ofTrack: tracks[1])
        try await session.player.setEffects([], ofTrack: tracks[1])
        let before = session.manual.rendered.channel(0).count
        try await engine.play()
        try await session.advance(0.5)
        #expect(sounds(in: session).filter { $0 >= before }.count == 1)
    }

    @Test func resetForgetsTheEffectsOfTracks() async throws {
        let session = await PlayerSession.inStereo()
        let tracks = clicks(in: session)
        try await session.player.setEffects([EffectInsert("echo", echo)], ofTrack: tracks[0])
        await session.player.reset()
        #expect(await session.player.effects(ofTrack: tracks[0]).isEmpty)
        try await session.player.loadPlaylist(tracks, configuration: PlayerConfiguration(crossfadeDuration: 0))
        try await session.finish()
        #expect(sounds(in: session).count == 2)
    }

    @Test func trackSoundsWithoutAnEffectThatCannotBePrepared() async throws {
        let session = await PlayerSession.inStereo()
        let tracks = clicks(in: session)
        var fault = EchoEffect.Fault()
        fault.preparation = .unsupported("no licence")
        let insert = EffectInsert("lexicon", EchoEffect(fault: fault))
        try await session.player.setEffects([insert], ofTrack: tracks[0])
        try await session.player.loadPlaylist(tracks, configuration: PlayerConfiguration(crossfadeDuration: 0))
        try await session.events.wait { event in
            if case .error(let error) = event.kind { "\(error)".contains("lexicon") } else { false }
        }
        try await session.finish()
        #expect(sounds(in: session).count == 2)
        // While the track is open, the call itself throws.
        try await session.player.loadPlaylist(tracks, configuration: PlayerConfiguration(crossfadeDuration: 0))
        let error = await #expect(throws: CoreError.self) {
            try await session.player.setEffects([insert], ofTrack: tracks[0])
        }
        #expect(error?.message.contains("lexicon") == true)
    }
}
