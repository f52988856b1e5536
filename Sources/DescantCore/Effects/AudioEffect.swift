/// Changes sound block by block: a reverb, a compressor, a filter.
///
/// An effect is a *value*: a copy has a state of its own and continues exactly as the original does. A sound server's queue is replaced
/// when a command comes, so a mixer keeps copies of its effects for the blocks that were not heard and continues from one of them. A
/// structure of numbers and arrays is such a value. One that holds a reference to a library's object must copy that object before it
/// changes it, when the reference is not unique.
///
/// A mixer calls ``prepare(_:maximumFrames:)`` once and first, then the other methods from one thread at a time. It sets every parameter
/// on a copy and fades from the old effect to the new one over 20 ms, so that an effect needs no ramps of its own.
///
/// ``process(_:)`` runs on the thread that renders, and on that of a command which repeats frames. It must not wait, allocate, log or call
/// back. A mixer cannot interrupt a call: an effect that hangs silences the output. One that gives samples that are not finite is switched
/// off and reported as an ``EffectFailure``.
///
/// `AudioEffectContract` in `DescantTesting` checks these rules.
public protocol AudioEffect: Sendable {
    /// The parameters, in the order in which a person sees them. The same for the whole life of an effect, before its preparation too.
    var parameters: [EffectParameter] { get }

    /// The frames by which the sound leaves later than it enters; valid after the preparation. A mixer takes effects
    /// without latency only.
    var latency: Int { get }

    /// The frames for which an effect sounds after the last sound that entered, with the present parameters; valid after the
    /// preparation. Afterwards a mixer resets the effect and stops calling it until sound enters again. At most 60 s.
    var tail: Int { get }

    /// Prepares the effect for a format; all memory is allocated here.
    ///
    /// - Parameters:
    ///   - format: The sound's format.
    ///   - maximumFrames: The maximum number of frames in a block.
    /// - Throws: `CoreError.unsupported` for a format that the effect cannot process, or what a library reports.
    mutating func prepare(_ format: PCMFormat, maximumFrames: Int) throws

    /// Sets a parameter from the next frame on. The state stays, so that the sound continues.
    ///
    /// - Parameters:
    ///   - identifier: One of ``parameters``; an unknown one changes nothing.
    ///   - value: A finite value. An effect clamps it to the parameter's range.
    mutating func setParameter(_ identifier: String, to value: Double)

    /// Changes a block in place. The result must not depend on how the sound is divided into blocks.
    ///
    /// - Parameter block: The samples; valid during the call only.
    mutating func process(_ block: EffectBlock)

    /// Forgets the sound so far, as if the effect were just prepared. Parameters stay.
    mutating func reset()
}

/// The memory of a block: Float32 samples, one row for each channel.
public struct EffectBlock {
    /// The number of channels.
    public let channels: Int
    /// The number of frames; at least 1.
    public let frames: Int
    private let samples: UnsafeMutablePointer<Float>
    private let stride: Int

    /// Describes memory that the caller owns.
    ///
    /// - Parameters:
    ///   - samples: The rows of all channels, one behind the other.
    ///   - channels: The number of rows.
    ///   - frames: The samples of a row that belong to the block.
    ///   - stride: The distance between the beginnings of two rows, in samples; at least `frames`.
    public init(samples: UnsafeMutablePointer<Float>, channels: Int, frames: Int, stride: Int) {
        self.samples = samples
        self.channels = channels
        self.frames = frames
        self.stride = stride
    }

    /// The samples of a channel, in the order of ``PCMFormat/channels``.
    ///
    /// - Parameter channel: 0 for the first.
    public subscript(channel: Int) -> UnsafeMutableBufferPointer<Float> {
        precondition((0..<channels).contains(channel), "channel \(channel) of \(channels)")
        return UnsafeMutableBufferPointer(start: samples + channel * stride, count: frames)
    }
}
