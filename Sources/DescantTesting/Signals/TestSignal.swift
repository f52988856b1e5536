public import DescantCore
internal import Foundation

/// The description of a test sound whose samples are all known in advance.
///
/// Two equal descriptions make equal samples, on every machine and in every run.
public struct TestSignal: Sendable, Hashable {
    /// The kind of sound.
    public enum Shape: Sendable, Hashable {
        /// A sine; the phase of its first frame is in radians.
        case sine(frequency: Double, amplitude: Double, phase: Double)
        /// White noise, independent in every channel.
        case noise(seed: UInt64, amplitude: Double)
        /// Every frame contains its own index; see ``RampCode``.
        case ramp(firstIndex: Int64)
        /// Samples of zero.
        case silence
    }

    /// How samples are rounded, so that files of that depth hold them exactly.
    public enum Depth: Sendable, Hashable {
        /// Samples are not rounded.
        case float
        /// To multiples of 2^-15.
        case int16
        /// To multiples of 2^-23.
        case int24
    }

    /// The kind of sound.
    public var shape: Shape
    /// Sample rate in Hz and channels.
    public var format: PCMFormat
    /// The number of frames.
    public var frames: Int
    /// How samples are rounded.
    public var depth: Depth

    /// Creates a description.
    ///
    /// - Parameters:
    ///   - shape: The kind of sound.
    ///   - frames: The number of frames.
    ///   - sampleRate: Frames per second, in Hz.
    ///   - channels: Samples per frame.
    ///   - depth: How samples are rounded.
    public init(
        _ shape: Shape, frames: Int, sampleRate: Int = 48_000, channels: Int = 2, depth: Depth = .int24
    ) {
        self.shape = shape
        self.frames = frames
        self.depth = depth
        format = PCMFormat(sampleRate: sampleRate, channels: channels)
    }

    /// A tone, the same in every channel.
    ///
    /// - Parameters:
    ///   - frequency: In Hz.
    ///   - amplitude: The peak, 0…1.
    ///   - phase: Of the first frame, in radians.
    ///   - seconds: The duration in seconds.
    ///   - sampleRate: Frames per second, in Hz.
    ///   - channels: Samples per frame.
    ///   - depth: How samples are rounded.
    public static func sine(
        _ frequency: Double, amplitude: Double = 0.25, phase: Double = 0, seconds: Double, sampleRate: Int = 48_000,
        channels: Int = 2, depth: Depth = .int24
    ) -> TestSignal {
        TestSignal(
            .sine(frequency: frequency, amplitude: amplitude, phase: phase),
            frames: Int((seconds * Double(sampleRate)).rounded()), sampleRate: sampleRate, channels: channels,
            depth: depth)
    }

    /// White noise, for finding a position again by correlation.
    ///
    /// - Parameters:
    ///   - seed: The seed of the noise; the same seed makes the same noise.
    ///   - amplitude: The peak, 0…1.
    ///   - seconds: The duration in seconds.
    ///   - sampleRate: Frames per second, in Hz.
    ///   - channels: Samples per frame.
    ///   - depth: How samples are rounded.
    public static func noise(
        seed: UInt64 = 1, amplitude: Double = 0.25, seconds: Double, sampleRate: Int = 48_000, channels: Int = 2,
        depth: Depth = .int16
    ) -> TestSignal {
        TestSignal(
            .noise(seed: seed, amplitude: amplitude), frames: Int((seconds * Double(sampleRate)).rounded()),
            sampleRate: sampleRate, channels: channels, depth: depth)
    }

    /// A sound whose frames contain their own index, for lossless formats.
    ///
    /// - Parameters:
    ///   - frames: The number of frames.
    ///   - firstIndex: The index of the first frame.
    ///   - sampleRate: Frames per second, in Hz.
    ///   - channels: Samples per frame; with two or more the index is known up to ``RampCode/period(channels:)``.
    public static func ramp(
        frames: Int, firstIndex: Int64 = 0, sampleRate: Int = 48_000, channels: Int = 2
    ) -> TestSignal {
        TestSignal(
            .ramp(firstIndex: firstIndex), frames: frames, sampleRate: sampleRate, channels: channels, depth: .int16)
    }

    /// Silence.
    ///
    /// - Parameters:
    ///   - seconds: The duration in seconds.
    ///   - sampleRate: Frames per second, in Hz.
    ///   - channels: Samples per frame.
    public static func silence(seconds: Double, sampleRate: Int = 48_000, channels: Int = 2) -> TestSignal {
        TestSignal(
            .silence, frames: Int((seconds * Double(sampleRate)).rounded()), sampleRate: sampleRate,
            channels: channels, depth: .int16)
    }

    /// Makes the samples.
    public func samples() -> SampleBuffer {
        var samples = rawSamples()
        let steps: Float? =
            switch depth {
            case .float: nil
            case .int16: 32_768
            case .int24: 8_388_608
            }
        if let steps {
            samples.withUnsafeMutableBufferPointer { samples in
                for index in samples.indices { samples[index] = (samples[index] * steps).rounded() / steps }
            }
        }
        return SampleBuffer(format: format, samples: samples)
    }

    private func rawSamples() -> [Float] {
        let channels = format.channels
        return [Float](unsafeUninitializedCapacity: frames * channels) { target, count in
            count = frames * channels
            switch shape {
            case .sine(let frequency, let amplitude, let phase):
                let step = 2 * Double.pi * frequency / Double(format.sampleRate)
                for frame in 0..<frames {
                    let value = Float(amplitude * sin(phase + step * Double(frame)))
                    for channel in 0..<channels { target[frame * channels + channel] = value }
                }
            case .noise(let seed, let amplitude):
                var generator = SeededGenerator(seed: seed)
                for index in 0..<count { target[index] = Float(amplitude * generator.nextSample()) }
            case .ramp(let firstIndex):
                for frame in 0..<frames {
                    for channel in 0..<channels {
                        target[frame * channels + channel] = RampCode.sample(
                            of: firstIndex + Int64(frame), channel: channel, channels: channels)
                    }
                }
            case .silence: target.initialize(repeating: 0)
            }
        }
    }
}
