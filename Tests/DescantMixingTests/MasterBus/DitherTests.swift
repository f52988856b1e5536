import DescantMixing
import Testing

@Suite struct DitherTests {
    private func process(_ samples: [Float], bits: Int = 16, channels: Int = 2, block: Int = 480) -> [Float] {
        var dither = Dither(bits: bits, sampleRate: 48_000, channels: channels)
        var output = samples
        output.withUnsafeMutableBufferPointer { memory in
            guard let base = memory.baseAddress else { return }
            for start in stride(from: 0, to: samples.count, by: block * channels) {
                dither.process(base + start, frames: min(block * channels, samples.count - start) / channels)
            }
        }
        return output
    }

    /// Every value of 16 bits, twice.
    private var steps: [Float] { (0..<131_072).map { Float(($0 % 65_536) - 32_768) / 32_768 } }

    @Test(arguments: [16, 24]) func samplesOfTheTargetDepthAreUnchanged(bits: Int) {
        #expect((process(steps, bits: bits) == steps) == true)
    }

    @Test(arguments: [1, 64, 4_800]) func ditherDoesNotDependOnBlockLength(block: Int) {
        let samples = (0..<48_000).map { Float($0 % 997) / 99_991 }
        #expect((process(samples, block: block) == process(samples)) == true)
    }

    @Test(arguments: [16, 24]) func otherSamplesAreQuantisedWithoutBias(bits: Int) {
        let scale = Float(1 << (bits - 1))
        let samples = [Float](repeating: 0.3 / scale, count: 96_000)
        let output = process(samples, bits: bits)
        let found = output.map { $0 * scale }
        #expect(found.allSatisfy { $0 == $0.rounded() && abs($0) <= 1 })
        let mean = found.reduce(0, +) / Float(found.count)
        #expect(abs(mean - 0.3) < 0.01)
        // The variance of rounding and triangular noise of ±1 step is 1/4 step² for every sample.
        let power = found.map { ($0 - 0.3) * ($0 - 0.3) }.reduce(0, +) / Float(found.count)
        #expect(abs(power - 0.25) < 0.01)
    }

    /// The noise sounds like hiss: no sample tells anything about the next ones.
    @Test func errorsOfNeighboursAreIndependent() {
        let errors = process([Float](repeating: 0.3 / 32_768, count: 200_000)).map { $0 * 32_768 - 0.3 }
        for lag in [1, 2, 3, 7, 8, 9, 16, 512, 1_024] {
            let products = zip(errors, errors.dropFirst(lag)).map { $0 * $1 }
            #expect(abs(products.reduce(0, +) / Float(products.count)) < 0.0025, "\(lag) samples")
        }
    }

    @Test func ditherStops100MillisecondsAfterLastInexactSample() {
        var samples = [Float](repeating: 0, count: 20_000)
        samples[100] = 0.1 / 32_768
        let output = process(samples, channels: 1)
        #expect(output[..<100].allSatisfy { $0 == 0 })
        #expect(output[100..<4_901].contains { $0 != 0 })
        #expect(output[4_901...].allSatisfy { $0 == 0 })
    }

    @Test func fullScaleIsNotExceeded() {
        let output = process([Float](repeating: 0.999_999, count: 9_600) + [Float](repeating: -1.000_01, count: 9_600))
        #expect(output.allSatisfy { $0 <= 32_767.0 / 32_768 && $0 >= -1 })
    }
}
