package import DescantCore
internal import Foundation

/// The ten bands of an equaliser in series, as an effect. It works with every setting; a bypass is the chain's.
package struct EqualizerEffect: AudioEffect {
    /// The width of every band: two octaves between the points of half the gain in decibels,
    /// 1/Q = 2 sinh(ln 2 / 2 × 2 octaves).
    package static let quality = 2.0 / 3

    /// The identifier of the preamp's parameter.
    package static let preamp = "preamp"

    /// The identifiers of the bands' parameters, from the lowest band up.
    package static let bands = EqualizerSettings.bandFrequencies.map { "band\(Int($0))" }

    /// Smaller values in a filter's state cannot be heard after any gain. They are set to 0 before they become denormal
    /// numbers, which slow the processor down.
    private static let negligible = 1e-24

    package let parameters: [EffectParameter] =
        [EffectParameter(preamp, name: "Preamp", unit: "dB", range: gains, defaultValue: 0)]
        + zip(bands, EqualizerSettings.bandFrequencies).map {
            EffectParameter($0, name: "\(Int($1)) Hz", unit: "dB", range: gains, defaultValue: 0)
        }

    private static let gains = -EqualizerSettings.maximumGain...EqualizerSettings.maximumGain

    package let latency = 0
    /// The slowest pole of the lowest band falls to ``negligible`` within 0.73 s.
    package var tail: Int { sampleRate }

    private var sampleRate = 48_000
    private var preampGain = 1.0
    private var bandGains = [Double](repeating: 0, count: bands.count)
    /// One filter for every band; `nil` for a band that changes nothing, and for one that is not below the Nyquist frequency.
    private var filters = [Biquad?](repeating: nil, count: bands.count)
    /// The state: two values for every filter and channel.
    private var memory: [Double] = []
    private var channels = 0
    private var scratch: [Double] = []

    package init() {}

    package mutating func prepare(_ format: PCMFormat, maximumFrames: Int) {
        sampleRate = format.sampleRate
        channels = format.channels
        memory = [Double](repeating: 0, count: 2 * filters.count * channels)
        scratch = [Double](repeating: 0, count: maximumFrames)
        for band in filters.indices { makeFilter(band) }
    }

    package mutating func setParameter(_ identifier: String, to value: Double) {
        let gain = min(EqualizerSettings.maximumGain, max(-EqualizerSettings.maximumGain, value))
        if identifier == Self.preamp { preampGain = pow(10, gain / 20) }
        guard let band = Self.bands.firstIndex(of: identifier), gain != bandGains[band] else { return }
        bandGains[band] = gain
        makeFilter(band)
    }

    private mutating func makeFilter(_ band: Int) {
        let (frequency, gain) = (EqualizerSettings.bandFrequencies[band], bandGains[band])
        let works = gain != 0 && frequency < Double(sampleRate) / 2
        if !works || filters[band] == nil {
            for index in 2 * band * channels..<2 * (band + 1) * channels { memory[index] = 0 }
        }
        filters[band] =
            works ? Biquad(peakAt: frequency, gain: gain, quality: Self.quality, sampleRate: sampleRate) : nil
    }

    package mutating func reset() {
        for index in memory.indices { memory[index] = 0 }
    }

    package mutating func process(_ block: EffectBlock) {
        var scratch: [Double] = []
        swap(&scratch, &self.scratch)
        scratch.withUnsafeMutableBufferPointer { scratch in
            guard let samples = scratch.baseAddress else { return }
            for channel in 0..<block.channels {
                let row = block[channel]
                for frame in 0..<block.frames { samples[frame] = preampGain * Double(row[frame]) }
                filter(samples, frames: block.frames, channel: channel)
                for frame in 0..<block.frames { row[frame] = Float(samples[frame]) }
            }
        }
        swap(&scratch, &self.scratch)
    }

    /// Filters one channel, in transposed direct form II.
    private mutating func filter(_ samples: UnsafeMutablePointer<Double>, frames: Int, channel: Int) {
        for index in filters.indices {
            guard let filter = filters[index] else { continue }
            let place = 2 * (index * channels + channel)
            var (first, second) = (memory[place], memory[place + 1])
            for frame in 0..<frames {
                let sample = samples[frame]
                let result = filter.b0 * sample + first
                first = filter.b1 * sample - filter.a1 * result + second
                second = filter.b2 * sample - filter.a2 * result
                samples[frame] = result
            }
            memory[place] = abs(first) < Self.negligible ? 0 : first
            memory[place + 1] = abs(second) < Self.negligible ? 0 : second
        }
    }
}

/// A second-order filter with a0 normalised to 1.
///
/// Formulas: Robert Bristow-Johnson, "Cookbook formulae for audio equalizer biquad filter coefficients" (W3C Audio
/// Working Group note), section "peakingEQ".
package struct Biquad: Sendable, Hashable {
    package let b0, b1, b2, a1, a2: Double

    /// A peaking filter:
    ///
    /// ```
    /// A = 10^(dB/40)   w = 2π f / rate   α = sin(w) / 2Q
    /// b = [1 + αA, -2cos(w), 1 - αA]   a = [1 + α/A, -2cos(w), 1 - α/A]
    /// ```
    ///
    /// - Parameters:
    ///   - frequency: The centre in Hz, below half the sample rate.
    ///   - gain: The gain at the centre in decibels; 0 gives a filter that changes nothing.
    ///   - quality: Q, the centre divided by the width.
    ///   - sampleRate: Frames per second.
    package init(peakAt frequency: Double, gain: Double, quality: Double, sampleRate: Int) {
        let amplitude = pow(10, gain / 40)
        let angle = 2 * Double.pi * frequency / Double(sampleRate)
        let alpha = sin(angle) / (2 * quality)
        let scale = 1 / (1 + alpha / amplitude)
        b0 = (1 + alpha * amplitude) * scale
        b1 = -2 * cos(angle) * scale
        b2 = (1 - alpha * amplitude) * scale
        a1 = b1
        a2 = (1 - alpha / amplitude) * scale
    }
}
