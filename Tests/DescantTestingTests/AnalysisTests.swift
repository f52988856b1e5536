import DescantCore
import DescantTesting
import Foundation
import Testing

@Suite struct AnalysisTests {
    private static let outgoing = TestSignal.sine(440, seconds: 2)
    private static let incoming = TestSignal.sine(1_000, seconds: 2)

    /// An ideal crossfade of two tones, except that the incoming one begins `late` frames too late.
    private func crossfade(_ curve: FadeCurve, overlap: Int, late: Int = 0, gainError: Double = 1) -> SampleBuffer {
        let (a, b) = (Self.outgoing.samples(), Self.incoming.samples())
        let start = a.frameCount - overlap + late
        var mix = SampleBuffer(format: a.format)
        for frame in 0..<start + b.frameCount {
            var value = 0.0
            let progress = Double(frame - start) / Double(overlap)
            if frame < a.frameCount { value += Double(a.samples[2 * frame]) * curve.inverseGain(at: progress) }
            if frame >= start { value += Double(b.samples[2 * (frame - start)]) * curve.gain(at: progress) * gainError }
            mix.samples += [Float(value), Float(value)]
        }
        return mix
    }

    @Test(arguments: FadeCurve.allCases)
    func idealCrossfadeHasNoResidual(curve: FadeCurve) throws {
        let analysis = try CrossfadeAnalysis(
            outgoing: Self.outgoing, incoming: Self.incoming, curve: curve, overlap: 48_000)
        let found = analysis.measure(crossfade(curve, overlap: 48_000))
        #expect(found.residual < -120)
        #expect(found.outgoingEnvelopeError < 0.01)
        #expect(found.incomingEnvelopeError < 0.01)
        #expect(abs(found.startError) < 0.01)
        #expect(found.excessFrames == 0)
    }

    @Test func lateCrossfadeIsMeasured() throws {
        let analysis = try CrossfadeAnalysis(
            outgoing: Self.outgoing, incoming: Self.incoming, curve: .equalPower, overlap: 24_000)
        let found = analysis.measure(crossfade(.equalPower, overlap: 24_000, late: 130))
        #expect(abs(found.startError - 130) < 0.5)
        #expect(found.excessFrames == 130)
        #expect(found.residual > -20)
    }

    @Test func wrongEnvelopeIsMeasured() throws {
        let analysis = try CrossfadeAnalysis(
            outgoing: Self.outgoing, incoming: Self.incoming, curve: .linear, overlap: 24_000)
        let found = analysis.measure(crossfade(.linear, overlap: 24_000, gainError: 0.9))
        #expect(abs(found.incomingEnvelopeError - 0.915) < 0.02)
        #expect(found.outgoingEnvelopeError < 0.01)
    }

    @Test(arguments: [0, 7, -7])
    func joinCountsMissingAndExtraFrames(extra: Int) {
        let tone = TestSignal.sine(441.3, amplitude: 0.5, seconds: 1).samples()
        var rendered = tone.slice(0..<24_000)
        if extra > 0 {
            rendered.append(SampleBuffer(format: tone.format, samples: Array(repeating: 0, count: 2 * extra)))
        }
        rendered.append(tone.slice(24_000 + max(0, -extra)..<48_000))
        let found = JoinAnalysis(frequency: 441.3, split: 24_000, expectedFrames: 48_000).measure(rendered)
        #expect(abs(found.shift - Double(extra)) < 0.01)
        #expect(found.excessFrames == extra)
        #expect(extra == 0 ? found.residual < -120 : found.residual > -40)
        #expect(extra == 0 ? found.slopeRatio < 1.01 : found.slopeRatio > 1.1)
        #expect(abs(found.amplitude - 0.5) < 0.001)
    }

    @Test func rampRunsHaveSourceFramesAndPositions() {
        let ramp = TestSignal.ramp(frames: 20_000).samples()
        var rendered = ramp.slice(100..<5_000)
        rendered.append(TestSignal.silence(seconds: 0.01).samples())
        rendered.append(ramp.slice(4_000..<6_000))
        rendered.append(ramp.slice(6_000..<6_010).scaled(by: 0.3))
        #expect(
            RampAnalysis.runs(in: rendered) == [
                RampRun(.source(100), at: 0, length: 4_900), RampRun(.silence, at: 4_900, length: 480),
                RampRun(.source(4_000), at: 5_380, length: 2_000), RampRun(.other, at: 7_380, length: 10),
            ])
        #expect(RampAnalysis.runs(in: ramp.scaled(by: 0.5), gain: 0.5).count == 1)
    }

    @Test func clickHasSteeperSlopeThanTone() {
        var tone = TestSignal.sine(440, amplitude: 0.5, seconds: 0.5).samples()
        #expect(SlopeAnalysis.ratio(in: tone, frequency: 440, amplitude: 0.5) < 1.001)
        tone.samples[2 * 12_000] += 0.2
        let found = SlopeAnalysis.steepest(in: tone)
        #expect(found.frame == 12_000 || found.frame == 12_001)
        #expect(SlopeAnalysis.ratio(in: tone, frequency: 440, amplitude: 0.5) > 3)
    }

    @Test func longestSilenceIsFound() {
        var noise = TestSignal.noise(seconds: 0.5).samples()
        for index in 2 * 10_000..<2 * 10_037 { noise.samples[index] = 0 }
        #expect(SilenceAnalysis.longest(in: noise) == 10_000..<10_037)
        #expect(SilenceAnalysis.sounding(in: TestSignal.silence(seconds: 0.1).samples()).isEmpty)
    }

    @Test(arguments: [0, 1, 12_345, -20])
    func correlationFindsAnExcerpt(at frame: Int) {
        let noise = TestSignal.noise(seconds: 0.5, channels: 1).samples().samples
        var excerpt = noise[max(0, frame)..<max(0, frame) + 4_096].map { $0 * 0.5 }
        if frame < 0 { excerpt = [Float](repeating: 0, count: -frame) + excerpt }
        let found = Alignment(of: excerpt, in: noise)
        #expect(found.frame == frame)
        #expect(abs(found.correlation - 0.5) < 0.01)
    }

    @Test func peakAndRMSOfToneAreMeasured() {
        let tone = TestSignal.sine(1_000, amplitude: 0.5, seconds: 1).samples()
        #expect(abs(LevelAnalysis.peak(tone.samples) - 0.5) < 1e-4)
        #expect(abs(LevelAnalysis.rms(tone.samples) - 0.5 / 2.0.squareRoot()) < 1e-4)
        #expect(abs(Decibels.of(0.5) + 6.0206) < 1e-3)
        #expect(LevelAnalysis.maximumDifference([0, .nan], [0, 0]) == .infinity)
    }
}
