import DescantCore
import DescantPlayback
import DescantTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ReplayGainTests {
    private let rate = PlayerSession.stereo.sampleRate
    private let tags = ReplayGainTags(trackGain: -6, trackPeak: 0.5, albumGain: -3, albumPeak: 0.9)

    private func decibels(_ settings: ReplayGainSettings, _ tags: ReplayGainTags?) -> Double {
        20 * log10(settings.gain(for: tags))
    }

    @Test func modesAndTheirFallbacks() {
        #expect(ReplayGainSettings().gain(for: tags) == 1)
        #expect(abs(decibels(ReplayGainSettings(mode: .track), tags) + 6) < 1e-9)
        #expect(abs(decibels(ReplayGainSettings(mode: .album), tags) + 3) < 1e-9)
        #expect(abs(decibels(ReplayGainSettings(mode: .track), ReplayGainTags(albumGain: -4)) + 4) < 1e-9)
        #expect(abs(decibels(ReplayGainSettings(mode: .album), ReplayGainTags(trackGain: -5)) + 5) < 1e-9)
        #expect(ReplayGainSettings(mode: .track, preamp: 6).gain(for: nil) == 1)
        #expect(abs(decibels(ReplayGainSettings(mode: .track, untaggedGain: -4), nil) + 4) < 1e-9)
        #expect(abs(decibels(ReplayGainSettings(mode: .album, preamp: 2), tags) + 1) < 1e-9)
        #expect(ReplayGainSettings(mode: .track).gain(for: ReplayGainTags(trackGain: 900)) == 1)
    }

    @Test func decodedSettingsAreClamped() throws {
        let text = #"{"mode":"album","preamp":60,"untaggedGain":-60,"guardsPeaks":false}"#
        let settings = try JSONDecoder().decode(ReplayGainSettings.self, from: Data(text.utf8))
        #expect(settings == ReplayGainSettings(mode: .album, preamp: 15, untaggedGain: -15, guardsPeaks: false))
        let written = try JSONEncoder().encode(settings)
        #expect(try JSONDecoder().decode(ReplayGainSettings.self, from: written) == settings)
    }

    @Test func peaksStayWithinFullScale() {
        let loud = ReplayGainTags(trackGain: 9, trackPeak: 0.8, albumGain: 12, albumPeak: 0.5)
        #expect(abs(ReplayGainSettings(mode: .track).gain(for: loud) - 1.25) < 1e-9)
        #expect(abs(ReplayGainSettings(mode: .album).gain(for: loud) - 2) < 1e-9)
        let off = ReplayGainSettings(mode: .track, guardsPeaks: false)
        #expect(abs(decibels(off, loud) - 9) < 1e-9)
        let untagged = ReplayGainSettings(mode: .track, untaggedGain: 12)
        #expect(abs(untagged.gain(for: ReplayGainTags(trackPeak: 0.5)) - 2) < 1e-9)
        #expect(ReplayGainSettings(preamp: 99).preamp == 15)
    }

    @Test func everyTrackSoundsWithItsOwnGainAcrossAJoin() async throws {
        let session = await PlayerSession.inStereo()
        let tracks = [
            session.level("a", 0.5, channel: 0, seconds: 2, replayGain: ReplayGainTags(trackGain: -6)),
            session.level("b", 0.5, channel: 0, seconds: 2, replayGain: ReplayGainTags(trackGain: -12)),
        ]
        await session.player.setReplayGain(ReplayGainSettings(mode: .track))
        try await session.player.loadPlaylist(tracks, configuration: PlayerConfiguration(crossfadeDuration: 0))
        try await session.finish()
        let left = session.manual.rendered.channel(0)
        let levels = [-6.0, -12].map { Float(0.5 * Decibels.linear($0)) }
        #expect(left.count == 4 * rate)
        #expect(left[..<(2 * rate)].allSatisfy { abs($0 - levels[0]) < 1e-6 })
        #expect(left[(2 * rate)...].allSatisfy { abs($0 - levels[1]) < 1e-6 })
    }

    @Test func changesWhilePlayingMoveInARamp() async throws {
        let session = await PlayerSession.inStereo()
        let tracks = [
            session.level("a", 0.5, channel: 0, seconds: 2, replayGain: tags),
            session.level("b", 0.5, channel: 0, seconds: 2, replayGain: tags),
        ]
        try await session.player.loadPlaylist(tracks, configuration: PlayerConfiguration(crossfadeDuration: 0))
        try await session.events.wait { if case .trackStarted = $0.kind { true } else { false } }
        try await session.advance(1)
        await session.player.setReplayGain(ReplayGainSettings(mode: .track))
        try await session.finish()
        let left = session.manual.rendered.channel(0)
        let lowered = Float(0.5 * Decibels.linear(-6))
        let ramp = rate / 10
        #expect(left[..<rate].allSatisfy { $0 == 0.5 })
        #expect(maximumStep(of: left, in: rate - 1..<rate + ramp + 1) < 1.01 * (0.5 - lowered) / Float(ramp))
        #expect(left[(rate + ramp)...].allSatisfy { abs($0 - lowered) < 1e-6 })
    }

    @Test func resetRemovesReplayGain() async throws {
        let session = await PlayerSession.inStereo()
        await session.player.setReplayGain(ReplayGainSettings(mode: .album, preamp: 3))
        await session.player.setEqualizer(EqualizerSettings(isEnabled: true, preamp: -6))
        await session.player.reset()
        #expect(await session.player.replayGain == ReplayGainSettings())
        #expect(await session.player.equalizer == EqualizerSettings())
    }

    // MARK: Equaliser

    @Test func equalizerIsExactlyBypassedWhenOff() async throws {
        let noise = TestSignal.noise(seed: 2, seconds: 2, sampleRate: rate, channels: 2).samples()
        let session = await PlayerSession.inStereo()
        await session.player.setEqualizer(EqualizerSettings(isEnabled: false, preamp: -6, bandGains: [6, 6]))
        try await session.player.loadPlaylist(
            [session.register("noise", noise)], configuration: PlayerConfiguration(crossfadeDuration: 0))
        try await session.finish()
        #expect(session.manual.rendered == noise)
    }

    @Test func equalizerPortReachesTheMix() async throws {
        let session = await PlayerSession.inStereo()
        try await session.player.loadPlaylist(
            [session.level("a", 0.25, channel: 0, seconds: 4)], configuration: PlayerConfiguration(crossfadeDuration: 0)
        )
        let equalizer: any EQPort & Sendable = MixEqualizer(engine: session.manual.engine)
        #expect(EqualizerContract { equalizer }.findings() == [])
        equalizer.isEnabled = true
        equalizer.preamp = -40
        equalizer.bandGains = [Float](repeating: 0, count: 10)
        await (equalizer as? MixEqualizer)?.arrive()
        #expect(await session.player.equalizer == EqualizerSettings(isEnabled: true, preamp: -12))
        try await session.advance(1)
        #expect(abs(session.manual.rendered.channel(0)[rate - 1] - 0.25 * Float(Decibels.linear(-12))) < 1e-6)
    }

    @Test func limiterCanBeTurnedOff() async throws {
        let session = await PlayerSession.inStereo()
        try await session.player.loadPlaylist(
            [session.level("a", 1.5, channel: 0, seconds: 4)], configuration: PlayerConfiguration(crossfadeDuration: 0))
        try await session.advance(1)
        await session.player.setLimiter(enabled: false)
        try await session.advance(2)
        let left = session.manual.rendered.channel(0)
        #expect(left[rate - 1] <= 0.98856)
        #expect(abs(left[3 * rate - 1] - 1.5) < 1e-3)
    }
}
