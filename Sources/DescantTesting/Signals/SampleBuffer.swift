public import DescantCore

/// Samples in memory together with their shape.
public struct SampleBuffer: Sendable, Hashable {
    /// Sample rate in Hz and channels.
    public var format: PCMFormat
    /// Interleaved samples, nominally -1…1; a whole number of frames.
    public var samples: [Float]

    /// Creates a buffer.
    ///
    /// - Parameters:
    ///   - format: Sample rate in Hz and channels.
    ///   - samples: Interleaved samples; an incomplete last frame is dropped.
    public init(format: PCMFormat, samples: [Float] = []) {
        self.format = format
        self.samples = samples
        let excess = samples.count % max(1, format.channels)
        if excess > 0 { self.samples.removeLast(excess) }
    }

    /// Creates a buffer of stereo samples.
    ///
    /// - Parameters:
    ///   - samples: Interleaved samples; an incomplete last frame is dropped.
    ///   - sampleRate: In Hz.
    public init(stereo samples: [Float], sampleRate: Int = 48_000) {
        self.init(format: PCMFormat(sampleRate: sampleRate, channels: 2), samples: samples)
    }

    /// The number of frames.
    public var frameCount: Int { samples.count / max(1, format.channels) }

    /// The length in seconds.
    public var duration: Double { format.seconds(of: Int64(frameCount)) }

    /// The samples of one channel.
    ///
    /// - Parameter channel: 0 for the first channel.
    public func channel(_ channel: Int) -> [Float] {
        let channels = format.channels
        return samples.withUnsafeBufferPointer { samples in
            [Float](unsafeUninitializedCapacity: samples.count / channels) { target, count in
                count = samples.count / channels
                for frame in 0..<count { target[frame] = samples[frame * channels + channel] }
            }
        }
    }

    /// A part of the buffer.
    ///
    /// - Parameter frames: Which frames; clamped to the buffer.
    public func slice(_ frames: Range<Int>) -> SampleBuffer {
        let range = frames.clamped(to: 0..<frameCount)
        let channels = format.channels
        return SampleBuffer(
            format: format, samples: Array(samples[range.lowerBound * channels..<range.upperBound * channels]))
    }

    /// Adds frames at the end.
    ///
    /// - Parameter other: A buffer of the same format.
    public mutating func append(_ other: SampleBuffer) { samples.append(contentsOf: other.samples) }

    /// The buffer with every sample multiplied.
    ///
    /// - Parameter gain: A linear gain.
    public func scaled(by gain: Float) -> SampleBuffer {
        SampleBuffer(format: format, samples: samples.map { $0 * gain })
    }
}
