import DescantMixing
import DescantTesting
import Foundation
import Testing

@Suite("Limiter")
struct PeakLimiterTests {
    private func run(_ samples: [Float], block: Int, channels: Int = 2, limiter: inout PeakLimiter) -> [Float] {
        var output = samples
        output.withUnsafeMutableBufferPointer { memory in
            guard let base = memory.baseAddress else { return }
            for start in stride(from: 0, to: samples.count, by: block * channels) {
                limiter.process(base + start, frames: min(block * channels, samples.count - start) / channels)
            }
        }
        return output
    }

    private func sine(_ frames: Int, amplitude: Double, period: Double = 97) -> [Float] {
        (0..<frames).flatMap { frame -> [Float] in
            let sample = Float(amplitude * sin(2 * .pi * Double(frame) / period))
            return [sample, -sample]
        }
    }

    @Test("Samples below -0.1 dBFS are bit-exact")
    func transparent() {
        var limiter = PeakLimiter(sampleRate: 48_000, channels: 2)
        let samples = sine(96_000, amplitude: 0.9885)
        #expect(run(samples, block: 480, limiter: &limiter) == samples)
        #expect(limiter.gain == 1)
    }

    /// Quiet, loud and far too loud, with single peaks at odd places.
    private var programme: [Float] {
        var samples = sine(48_000, amplitude: 0.5) + sine(24_000, amplitude: 3) + sine(4_800, amplitude: 100)
        samples += sine(19_200, amplitude: 0.9) + [Float](repeating: 0, count: 9_600)
        for place in [20_001, 20_003, 95_999, 160_007, 160_200] { samples[place] = 1.7 }
        return samples
    }

    @Test("No sample exceeds the threshold")
    func limits() {
        var limiter = PeakLimiter(sampleRate: 48_000, channels: 2)
        let output = run(programme, block: 480, limiter: &limiter)
        #expect(LevelAnalysis.peak(output) <= Double(PeakLimiter.threshold))
    }

    @Test("The result does not depend on the block length", arguments: [1, 64, 4_800, 7])
    func blocks(block: Int) {
        var (one, other) = (
            PeakLimiter(sampleRate: 48_000, channels: 2), PeakLimiter(sampleRate: 48_000, channels: 2)
        )
        let output = run(programme, block: 480, limiter: &one)
        #expect((run(programme, block: block, limiter: &other) == output) == true)
        #expect(one.gain == other.gain)
    }

    @Test("Both channels have the same gain")
    func linked() {
        var limiter = PeakLimiter(sampleRate: 48_000, channels: 2)
        let samples: [Float] = (0..<4_800).flatMap { frame -> [Float] in [Float(1.5 * sin(Double(frame) / 9)), 0.3] }
        let output = run(samples, block: 480, limiter: &limiter)
        for frame in 0..<4_800 where abs(samples[frame * 2]) > 0.01 {
            let gain = output[frame * 2] / samples[frame * 2]
            #expect(abs(output[frame * 2 + 1] / 0.3 - gain) < 1e-4)
        }
    }

    @Test("A single peak is lowered alone; its surroundings change by at most 1/96 and recover with 100 ms")
    func shape() {
        var limiter = PeakLimiter(sampleRate: 48_000, channels: 1)
        var samples = [Float](repeating: 0.5, count: 96_000)
        samples[300] = 2
        let output = run(samples, block: 480, channels: 1, limiter: &limiter)
        let gains = zip(output, samples).map { $0 / $1 }
        #expect(gains[..<300].allSatisfy { $0 == 1 })
        #expect(abs(output[300] - PeakLimiter.threshold) < 1e-6)
        let depth = 1 - gains[301]
        #expect(depth > 0 && depth <= 1 / 96)
        let after100ms = 1 - gains[301 + 4_800]
        #expect(abs(after100ms / depth - Float(exp(-1.0))) < 0.01)
        // Two seconds later the mix passes untouched again.
        #expect(output[95_000...] == samples[95_000...])
        #expect(limiter.gain == 1)
    }

    @Test("A loud passage lowers the gain linearly within 2 ms")
    func attack() {
        var limiter = PeakLimiter(sampleRate: 48_000, channels: 2)
        // The second channel is never limited itself, so it shows the gain.
        let samples = (0..<480).flatMap { frame -> [Float] in [frame < 100 ? 0.5 : 1.5, 0.1] }
        let output = run(samples, block: 480, limiter: &limiter)
        #expect(LevelAnalysis.peak(output) <= Double(PeakLimiter.threshold))
        #expect(abs(limiter.gain - Double(PeakLimiter.threshold) / 1.5) < 1e-3)
    }

    @Test("After it is turned off, the gain returns smoothly to 1")
    func disabled() {
        var limiter = PeakLimiter(sampleRate: 48_000, channels: 2)
        limiter.isEnabled = false
        let loud = sine(4_800, amplitude: 4)
        #expect(run(loud, block: 480, limiter: &limiter) == loud)
        limiter.isEnabled = true
        _ = run(loud, block: 480, limiter: &limiter)
        let reached = limiter.gain
        limiter.isEnabled = false
        _ = run(sine(48, amplitude: 4), block: 480, limiter: &limiter)
        #expect(reached < 1 && limiter.gain > reached && limiter.gain < 1)
    }

    @Test("The gain recovers during silence")
    func silence() {
        var played = PeakLimiter(sampleRate: 48_000, channels: 2)
        _ = run(sine(4_800, amplitude: 4), block: 480, limiter: &played)
        var skipped = played
        _ = run([Float](repeating: 0, count: 9_600), block: 480, limiter: &played)
        skipped.skip(frames: 4_800)
        #expect(played.gain == skipped.gain)
    }

    @Test("The peak of a run is found at every place and length", arguments: 0...40)
    func peaks(count: Int) {
        for place in 0..<count {
            var samples = [Float](repeating: 0.25, count: count)
            samples[place] = -0.75
            #expect(
                samples.withUnsafeBufferPointer { memory in
                    memory.baseAddress.map { SamplePeak.of($0, count: count) }
                } == 0.75)
        }
    }
}
