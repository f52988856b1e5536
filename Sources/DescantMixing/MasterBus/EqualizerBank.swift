package import DescantCore
internal import Foundation

/// The filters of one equaliser setting in series, with their state.
package struct EqualizerBank: Sendable {
    /// The width of every band: two octaves between the points of half the gain in decibels,
    /// 1/Q = 2 sinh(ln 2 / 2 × 2 octaves).
    package static let quality = 2.0 / 3

    /// Smaller values in a filter's state cannot be heard after any gain. They are set to 0 before they become denormal
    /// numbers, which slow the processor down.
    private static let negligible = 1e-24

    /// One filter for every band below the Nyquist frequency; `nil` for a band that changes nothing.
    private let filters: [Biquad?]
    private let preamp: Double
    private let channels: Int
    /// The state: two values for every filter and channel.
    private var memory: [Double]

    /// Creates the filters.
    ///
    /// - Returns: `nil` for settings that change nothing.
    package init?(_ settings: EqualizerSettings, sampleRate: Int, channels: Int) {
        guard settings.isEnabled, !settings.isFlat else { return nil }
        let bands = zip(EqualizerSettings.bandFrequencies, settings.bandGains)
        filters = bands.filter { $0.0 < Double(sampleRate) / 2 }.map { frequency, gain in
            gain == 0
                ? nil : Biquad(peakAt: frequency, gain: gain, quality: Self.quality, sampleRate: sampleRate)
        }
        preamp = pow(10, settings.preamp / 20)
        self.channels = channels
        memory = [Double](repeating: 0, count: 2 * filters.count * channels)
    }

    /// Whether the state is 0, so that silence stays silence.
    package var isAtRest: Bool { memory.allSatisfy { $0 == 0 } }

    /// Takes over the state of another setting of the same equaliser.
    package mutating func inheritMemory(of other: EqualizerBank) {
        guard other.memory.count == memory.count else { return }
        for index in filters.indices where filters[index] != nil && other.filters[index] != nil {
            for channel in 0..<channels {
                let place = 2 * (index * channels + channel)
                memory[place] = other.memory[place]
                memory[place + 1] = other.memory[place + 1]
            }
        }
    }

    /// Filters interleaved frames; input and output may be the same memory.
    package mutating func process(
        _ input: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>, frames: Int,
        scratch: inout [Double]
    ) {
        if scratch.count < frames { scratch = [Double](repeating: 0, count: frames) }
        scratch.withUnsafeMutableBufferPointer { scratch in
            guard let samples = scratch.baseAddress else { return }
            for channel in 0..<channels {
                for frame in 0..<frames { samples[frame] = preamp * Double(input[frame * channels + channel]) }
                filter(samples, frames: frames, channel: channel)
                for frame in 0..<frames { output[frame * channels + channel] = Float(samples[frame]) }
            }
        }
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
