import DescantCore
import DescantPlayback
import DescantTesting
import Foundation
import Testing

/// The documented properties of the sound, checked on rendered samples.
@Suite(.timeLimit(.minutes(5)))
struct SoundLineTests {
    private let rate = PlayerSession.stereo.sampleRate

    /// Renders a crossfade from the left channel to the right one; the channels are then the two gains.
    private func crossfade(_ curve: FadeCurve, seconds: Double) async throws -> (
        left: [Float], right: [Float], start: Int
    ) {
        let session = await PlayerSession.inStereo()
        let tracks = [
            session.level("a", 1, channel: 0, seconds: 6), session.level("b", 1, channel: 1, seconds: 6),
        ]
        await session.player.setLimiter(enabled: false)
        try await session.player.loadPlaylist(
            tracks, configuration: PlayerConfiguration(crossfadeDuration: seconds, fadeCurve: curve))
        try await session.finish()
        try await session.waitForStart(of: tracks[1])
        let start = try #require(session.transitions.first).start
        return (session.manual.rendered.channel(0), session.manual.rendered.channel(1), Int(start))
    }

    @Test(arguments: FadeCurve.allCases)
    func curvesAreAppliedToEverySampleFromThePlannedFrame(curve: FadeCurve) async throws {
        let (left, right, start) = try await crossfade(curve, seconds: 2)
        #expect(start == 4 * rate)
        #expect(left.count == 10 * rate)
        let overlap = start..<start + 2 * rate
        let progress = { (frame: Int) in Double(frame) / Double(2 * rate) }
        #expect(deviation(of: left, in: overlap) { curve.inverseGain(at: progress($0)) } == nil)
        #expect(deviation(of: right, in: overlap) { curve.gain(at: progress($0)) } == nil)
        // Within 0.02 dB wherever the curve is above -40 dB.
        let errors = overlap.compactMap { frame -> Double? in
            let wanted = curve.gain(at: progress(frame - start))
            return wanted > 0.01 ? abs(20 * log10(Double(right[frame]) / wanted)) : nil
        }
        #expect(errors.max() ?? 1 <= 0.02)
    }

    @Test func equalPowerKeepsThePowerOfUncorrelatedSignals() async throws {
        let (left, right, start) = try await crossfade(.equalPower, seconds: 2)
        let errors = (start..<start + 2 * rate).map { frame in
            abs(10 * log10(Double(left[frame] * left[frame] + right[frame] * right[frame])))
        }
        #expect(errors.max() ?? 1 < 0.1)
    }

    @Test(arguments: [0.0, 1])
    func lastAndFirstSampleOfJoinedTracksAreHeard(crossfade: Double) async throws {
        let session = await PlayerSession.inStereo()
        var first = SampleBuffer(format: PlayerSession.stereo, samples: [Float](repeating: 0, count: 6 * rate * 2))
        var second = first
        first.samples[first.samples.count - 2] = 1
        second.samples[1] = 1
        let tracks = [session.register("a", first), session.register("b", second)]
        let configuration = PlayerConfiguration(crossfadeDuration: crossfade, fadeCurve: .logarithmic)
        try await session.player.loadPlaylist(tracks, configuration: configuration)
        try await session.finish()
        let (left, right) = (session.manual.rendered.channel(0), session.manual.rendered.channel(1))
        #expect(left.firstIndex { $0 > 0 } == 6 * rate - 1)
        #expect(left.count == 12 * rate - Int(crossfade) * rate)
        // The first frame of a crossfade has a gain of exactly 0, so a gapless join is what shows the first sample.
        if crossfade == 0 { #expect(right.firstIndex { $0 > 0 } == 6 * rate) }
    }

    @Test func pausingAndStoppingNeverClick() async throws {
        let tone = TestSignal.sine(200, amplitude: 0.5, seconds: 10, sampleRate: rate, channels: 2)
        let session = await PlayerSession.inStereo()
        try await session.player.loadPlaylist([session.register("tone", tone.samples())])
        try await session.advance(1.0003)
        try await session.player.pause()
        try await session.advance(0.5)
        try await session.player.resume()
        try await session.advance(1.0007)
        await session.player.stop(fadeDuration: 0)
        try await session.advance(0.5)
        try await session.player.jumpToTrack(at: 0)
        try await session.advance(1.0001)
        await session.player.stop(fadeDuration: 0.5)
        try await session.advance(1)
        let samples = session.manual.rendered.channel(0)
        let own = 0.5 * 2 * Double.pi * 200 / Double(rate)
        #expect(Double(maximumStep(of: samples, in: 0..<samples.count)) <= own + 0.001)
    }

    /// Track gain × fade × layer × master, each of them once.
    @Test func gainIsTheProductOfAllGainsAppliedOnce() async throws {
        let session = await PlayerSession.inStereo()
        let tags = ReplayGainTags(trackGain: -6)
        let tracks = [
            session.level("a", 0.8, channel: 0, seconds: 6, replayGain: tags),
            session.level("b", 0.8, channel: 1, seconds: 6),
        ]
        await session.player.setReplayGain(ReplayGainSettings(mode: .track))
        await session.player.setVolume(0.5)
        await session.manual.engine.setGain(0.25, of: session.manual.engine.mainLayer, ramp: 0)
        try await session.player.loadPlaylist(
            tracks, configuration: PlayerConfiguration(crossfadeDuration: 2, fadeCurve: .sCurve, volume: 50))
        try await session.finish()
        let left = session.manual.rendered.channel(0)
        let whole = 0.8 * pow(10, -6.0 / 20) * 0.5 * 0.25
        #expect(abs(Double(left[2 * rate]) - whole) < 1e-6)
        let faded = whole * FadeCurve.sCurve.inverseGain(at: 0.25)
        #expect(abs(Double(left[4 * rate + rate / 2]) - faded) < 1e-6)
    }
}
