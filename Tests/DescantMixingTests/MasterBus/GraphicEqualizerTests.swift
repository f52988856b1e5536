import DescantCore
import DescantTesting
import Foundation
import Testing

@testable import DescantMixing

@Suite(.timeLimit(.minutes(2))) struct GraphicEqualizerTests {
    /// The magnitude of an analogue-derived peaking filter by its transfer function, written down apart from the filter:
    /// H(z) with z = e^jw, numerator and denominator as sums of cosines and sines.
    private func analyticGain(_ settings: EqualizerSettings, at frequency: Double, sampleRate: Double) -> Double {
        var decibels = settings.preamp
        for (centre, gain) in zip(EqualizerSettings.bandFrequencies, settings.bandGains)
        where centre < sampleRate / 2 && gain != 0 {
            let amplitude = pow(10, gain / 40)
            let w0 = 2 * Double.pi * centre / sampleRate
            let alpha = sin(w0) / (2 * 2 / 3)
            let above = [1 + alpha * amplitude, -2 * cos(w0), 1 - alpha * amplitude]
            let below = [1 + alpha / amplitude, -2 * cos(w0), 1 - alpha / amplitude]
            let w = 2 * Double.pi * frequency / sampleRate
            let power = { (c: [Double]) in
                let real = c[0] + c[1] * cos(w) + c[2] * cos(2 * w)
                let imaginary = c[1] * sin(w) + c[2] * sin(2 * w)
                return real * real + imaginary * imaginary
            }
            decibels += 10 * log10(power(above) / power(below))
        }
        return decibels
    }

    /// The response measured on the impulse: its Fourier sum at one frequency, in decibels.
    private func measuredGain(of response: [Float], at frequency: Double, sampleRate: Double) -> Double {
        var (real, imaginary) = (0.0, 0.0)
        let step = 2 * Double.pi * frequency / sampleRate
        for (frame, sample) in response.enumerated() {
            real += Double(sample) * cos(step * Double(frame))
            imaginary -= Double(sample) * sin(step * Double(frame))
        }
        return 10 * log10(real * real + imaginary * imaginary)
    }

    private func equalize(
        _ samples: inout [Float], with equalizer: inout GraphicEqualizer, frames: Range<Int>? = nil, channels: Int = 1
    ) {
        let frames = frames ?? 0..<samples.count / channels
        samples.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            equalizer.process(base + frames.lowerBound * channels, frames: frames.count)
        }
    }

    private func impulseResponse(_ settings: EqualizerSettings, sampleRate: Int, frames: Int) -> [Float] {
        var equalizer = GraphicEqualizer(sampleRate: sampleRate, channels: 1, settings: settings)
        var samples = [Float](repeating: 0, count: frames)
        samples[0] = 1
        equalize(&samples, with: &equalizer)
        return samples
    }

    @Test(arguments: [8_000, 44_100, 48_000, 96_000, 384_000])
    func responseMatchesTheTransferFunction(sampleRate: Int) {
        let settings = EqualizerSettings(
            isEnabled: true, preamp: -3, bandGains: [12, -12, 6, 0, -4.5, 3, 12, -12, 9, -6])
        let rate = Double(sampleRate)
        let response = impulseResponse(settings, sampleRate: sampleRate, frames: sampleRate / 4)
        var frequency = 20.0
        while frequency < min(20_000, rate / 2 * 0.98) {
            let measured = measuredGain(of: response, at: frequency, sampleRate: rate)
            let ideal = analyticGain(settings, at: frequency, sampleRate: rate)
            #expect(abs(measured - ideal) < 0.01, "\(frequency) Hz: \(measured) dB instead of \(ideal) dB")
            frequency *= sampleRate > 100_000 ? 1.6 : 1.2
        }
    }

    @Test(arguments: Array(EqualizerSettings.bandFrequencies.indices))
    func everyBandHasItsGainAtItsCentre(band: Int) {
        for gain in [-12.0, 5, 12] {
            var gains = [Double](repeating: 0, count: 10)
            gains[band] = gain
            let response = impulseResponse(
                EqualizerSettings(isEnabled: true, bandGains: gains), sampleRate: 48_000, frames: 12_000)
            let centre = EqualizerSettings.bandFrequencies[band]
            #expect(abs(measuredGain(of: response, at: centre, sampleRate: 48_000) - gain) < 0.01)
        }
    }

    /// Two octaves lie between the frequencies where the gain in decibels is half of that at the centre.
    @Test func bandsAreTwoOctavesWide() {
        let settings = EqualizerSettings(isEnabled: true, bandGains: [0, 0, 0, 12])
        let response = impulseResponse(settings, sampleRate: 384_000, frames: 60_000)
        for frequency in [125.0, 500] {
            #expect(abs(measuredGain(of: response, at: frequency, sampleRate: 384_000) - 6) < 0.02)
        }
    }

    @Test(arguments: [8_000, 32_000, 384_000])
    func extremeGainsAreStableAndBandsAboveNyquistAreSkipped(sampleRate: Int) {
        let settings = EqualizerSettings(
            isEnabled: true, preamp: 12, bandGains: [Double](repeating: 12, count: 10))
        var equalizer = GraphicEqualizer(sampleRate: sampleRate, channels: 2, settings: settings)
        var noise = TestSignal.noise(seed: 4, seconds: 2, sampleRate: sampleRate, channels: 2).samples().samples
        if sampleRate > 100_000 { noise = Array(noise.prefix(200_000)) }
        equalize(&noise, with: &equalizer, channels: 2)
        #expect(noise.allSatisfy { $0.isFinite && abs($0) < 10_000 })
        var silence = [Float](repeating: 0, count: 2 * sampleRate)
        equalize(&silence, with: &equalizer, channels: 2)
        #expect(silence.suffix(1_000).allSatisfy { abs($0) < 1e-9 })
        var tail = [Float](repeating: 0, count: 2 * sampleRate)
        equalize(&tail, with: &equalizer, channels: 2)
        #expect(equalizer.isAtRest)
    }

    @Test func offAndFlatAreBitExact() {
        let noise = TestSignal.noise(seed: 7, seconds: 0.5, sampleRate: 48_000, channels: 2).samples().samples
        for settings in [
            EqualizerSettings(preamp: 7, bandGains: [1, 2, 3]), EqualizerSettings(isEnabled: true),
        ] {
            var equalizer = GraphicEqualizer(sampleRate: 48_000, channels: 2)
            equalizer.set(settings)
            var samples = noise
            equalize(&samples, with: &equalizer, channels: 2)
            #expect(samples == noise)
            #expect(equalizer.passesUntouched)
        }
    }

    /// The gain sweeps its range during a tone; no step may be larger than the slope of the loudest tone.
    @Test func changesDoNotClick() {
        let rate = 48_000
        let tone = TestSignal.sine(100, amplitude: 0.25, seconds: 2, sampleRate: rate, channels: 1).samples().samples
        var equalizer = GraphicEqualizer(sampleRate: rate, channels: 1)
        var samples = tone
        for block in 0..<200 {
            let gain = 12 * sin(Double(block) / 7)
            equalizer.set(
                EqualizerSettings(isEnabled: block % 50 < 40, preamp: -gain / 2, bandGains: [0, gain, gain, -gain]))
            equalize(&samples, with: &equalizer, frames: block * 480..<(block + 1) * 480)
        }
        let steps = zip(samples, samples.dropFirst()).map { abs($1 - $0) }
        let loudest = Double(samples.map(abs).max() ?? 0)
        let slope = 2 * Double.pi * 100 / Double(rate) * loudest
        #expect(Double(steps.max() ?? 0) < 1.5 * slope)
        let curvature = zip(steps, steps.dropFirst()).map { abs($1 - $0) }.max() ?? 0
        #expect(curvature < 0.002)
    }

    /// Blocks of any length give the same samples.
    @Test func resultDoesNotDependOnBlockLength() {
        let noise = TestSignal.noise(seed: 3, seconds: 0.3, sampleRate: 48_000, channels: 2).samples().samples
        let settings = EqualizerSettings(isEnabled: true, preamp: -2, bandGains: [3, 0, -8, 4, 1, 12, 0, 0, 2, -3])
        let render = { (block: Int) -> [Float] in
            var equalizer = GraphicEqualizer(sampleRate: 48_000, channels: 2)
            equalizer.set(settings)
            var samples = noise
            for start in stride(from: 0, to: noise.count / 2, by: block) {
                equalize(
                    &samples, with: &equalizer, frames: start..<min(start + block, noise.count / 2), channels: 2)
            }
            return samples
        }
        #expect(render(1) == render(4_096))
        #expect(render(37) == render(480))
    }
}
