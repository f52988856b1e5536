import DescantCore
import DescantGStreamer
import DescantMixing
import DescantTesting
import Testing

struct SampleConverterTests {
    private func convert(
        _ input: SampleBuffer, to output: PCMFormat, cuts: [Int], drains: Bool = true
    ) throws -> SampleBuffer {
        let converter = try GstSampleConverterFactory().makeConverter(from: input.format, to: output)
        var result: [Float] = []
        var frame = 0
        var turn = 0
        while frame < input.frameCount {
            let count = min(cuts[turn % cuts.count], input.frameCount - frame)
            let part = input.slice(frame..<frame + count).samples
            converter.convert(part, frames: count, appendingTo: &result)
            frame += count
            turn += 1
        }
        if drains { converter.convert(nil, frames: converter.latency, appendingTo: &result) }
        return SampleBuffer(format: output, samples: result)
    }

    @Test(arguments: [(44_100, 48_000), (48_000, 44_100), (22_050, 48_000), (96_000, 48_000)])
    func resultDoesNotDependOnTheCallSize(rates: (Int, Int)) throws {
        let input = TestSignal.noise(seconds: 1.5, sampleRate: rates.0).samples()
        let output = PCMFormat(sampleRate: rates.1, channels: 2)
        let whole = try convert(input, to: output, cuts: [input.frameCount])
        let cut = try convert(input, to: output, cuts: [1, 480, 7, 4_096, 441])
        #expect((whole == cut) == true)
    }

    @Test(arguments: [(44_100, 48_000), (48_000, 44_100), (22_050, 48_000), (96_000, 48_000)])
    func drainReturnsAllFrames(rates: (Int, Int)) throws {
        for frames in [44_100, 44_101, 50_003] {
            let signal = TestSignal(.noise(seed: 1, amplitude: 0.2), frames: frames, sampleRate: rates.0, channels: 2)
            let result = try convert(
                signal.samples(), to: PCMFormat(sampleRate: rates.1, channels: 2), cuts: [480])
            let wanted = (frames * rates.1 + rates.0 - 1) / rates.0
            #expect((wanted...wanted + 1).contains(result.frameCount), "\(frames) frames at \(rates)")
        }
    }

    @Test func toneStaysInPlace() throws {
        let input = TestSignal.sine(1_000, seconds: 1, sampleRate: 44_100, depth: .float).samples()
        let result = try convert(input, to: PCMFormat(sampleRate: 48_000, channels: 2), cuts: [441])
        let ideal = TestSignal.sine(1_000, seconds: 1, sampleRate: 48_000, depth: .float).samples()
        let middle = 4_000..<40_000
        let error = zip(result.slice(middle).samples, ideal.slice(middle).samples).map { abs($0 - $1) }.max() ?? 1
        #expect(error < 0.000_02)
    }

    /// The level of a converted tone, and of all other frequencies, in dB relative to the tone.
    private func response(of frequency: Double, from input: Int, to output: Int) throws -> (level: Double, rest: Double)
    {
        let tone = TestSignal.sine(frequency, amplitude: 0.5, seconds: 1, sampleRate: input, depth: .float)
        let result = try convert(tone.samples(), to: PCMFormat(sampleRate: output, channels: 2), cuts: [1_000])
            .channel(1)
        let middle = output / 4..<output * 3 / 4
        let fit = ToneFit(frequency: frequency, in: result, frames: middle, sampleRate: output)
        let remainder = middle.map { abs(Double(result[$0]) - fit.sample(at: $0, sampleRate: output)) }.max() ?? 1
        return (Decibels.of(fit.amplitude / 0.5), Decibels.of(remainder / 0.5))
    }

    @Test(arguments: [50.0, 1_000, 10_000, 18_000, 19_900], [(44_100, 48_000), (48_000, 44_100), (96_000, 44_100)])
    func bandIsFlatTo20kHzAndHasNoImages(frequency: Double, rates: (Int, Int)) throws {
        let found = try response(of: frequency, from: rates.0, to: rates.1)
        #expect(abs(found.level) < 0.01)
        #expect(found.rest < -100)
    }

    @Test(arguments: [22_500.0, 23_500, 30_000, 47_000])
    func frequenciesAboveTheOutputsNyquistAreRemoved(frequency: Double) throws {
        let tone = TestSignal.sine(frequency, amplitude: 0.5, seconds: 1, sampleRate: 96_000, depth: .float)
        let result = try convert(tone.samples(), to: PCMFormat(sampleRate: 44_100, channels: 2), cuts: [1_000])
        let loudest = result.slice(10_000..<30_000).samples.map { Double(abs($0)) }.max() ?? 1
        #expect(Decibels.of(loudest / 0.5) < -100)
    }

    /// A ratio that needs more rows than a filter may have.
    @Test func ratesWithoutASmallRatioAreConverted() throws {
        let found = try response(of: 1_000, from: 44_056, to: 48_000)
        #expect(abs(found.level) < 0.01)
        #expect(found.rest < -80)
    }

    @Test func lfeIsNotMixedToStereo() throws {
        // Front pair, centre, bass, rear pair: each alone, at full scale.
        var input = SampleBuffer(format: PCMFormat(sampleRate: 48_000, channels: 6))
        input.samples = (0..<6).flatMap { frame in (0..<6).map { $0 == frame ? Float(1) : 0 } }
        let stereo = try convert(input, to: PCMFormat(sampleRate: 48_000, channels: 2), cuts: [4])
        let (left, right) = (stereo.channel(0), stereo.channel(1))
        #expect(left[0] > 0.4 && left[1] == 0 && right[0] == 0 && right[1] == left[0])
        #expect(left[2] == right[2] && left[2] > 0)
        #expect(left[3] == 0 && right[3] == 0)
        #expect(left[4] > 0 && right[4] == 0 && left[5] == 0 && right[5] == left[4])
    }

    @Test(arguments: 1...8) func everyChannelIsConvertedEqually(channels: Int) throws {
        let mono = TestSignal.noise(seconds: 0.2, sampleRate: 44_100, channels: 1).samples()
        var input = SampleBuffer(format: PCMFormat(sampleRate: 44_100, channels: channels))
        input.samples = mono.samples.flatMap { sample in (1...channels).map { sample / Float(1 << $0) } }
        let single = try convert(mono, to: PCMFormat(sampleRate: 48_000, channels: 1), cuts: [333])
        let several = try convert(input, to: PCMFormat(sampleRate: 48_000, channels: channels), cuts: [480])
        for channel in 0..<channels {
            // Halving is exact.
            #expect((several.channel(channel) == single.samples.map { $0 / Float(1 << (channel + 1)) }) == true)
        }
    }

    @Test func silenceIsConvertedToSilence() throws {
        let converter = try GstSampleConverterFactory().makeConverter(
            from: PCMFormat(sampleRate: 44_100, channels: 1), to: PCMFormat(sampleRate: 48_000, channels: 2))
        var result: [Float] = []
        converter.convert(nil, frames: 44_100, appendingTo: &result)
        #expect(result.count > 90_000)
        #expect(result.allSatisfy { $0 == 0 })
    }

    @Test func resetClearsTheHistory() throws {
        let converter = try GstSampleConverterFactory().makeConverter(
            from: PCMFormat(sampleRate: 44_100, channels: 2), to: PCMFormat(sampleRate: 48_000, channels: 2))
        let noise = TestSignal.noise(seconds: 0.5, sampleRate: 44_100).samples()
        var first: [Float] = []
        converter.convert(noise.samples, frames: noise.frameCount, appendingTo: &first)
        converter.reset()
        var second: [Float] = []
        converter.convert(noise.samples, frames: noise.frameCount, appendingTo: &second)
        // A Bool, because a difference of long arrays takes minutes to print.
        #expect((first == second) == true)
    }

    @Test func monoGoesToBothSidesAtFullLevel() throws {
        let mono = TestSignal.sine(440, seconds: 0.1, sampleRate: 48_000, channels: 1).samples()
        let stereo = try convert(mono, to: PCMFormat(sampleRate: 48_000, channels: 2), cuts: [480])
        #expect(stereo.channel(0) == mono.samples)
        #expect(stereo.channel(1) == mono.samples)
    }
}
