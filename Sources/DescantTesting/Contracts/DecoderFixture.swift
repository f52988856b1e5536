public import Foundation

/// A file of known sound for ``DecoderContract``.
public struct DecoderFixture: Sendable {
    /// The file.
    public var url: URL
    /// What it holds, in its own sample rate and channels.
    public var content: SampleBuffer
    /// The maximum difference of a decoded sample from the content, linear; `nil` for a lossy file, whose content must
    /// then be noise: it is found again by correlation, exact to the frame.
    public var tolerance: Double?
    /// Whether the decoder can reposition the stream.
    public var isSeekable: Bool

    /// Describes a file.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - content: What it holds.
    ///   - tolerance: The maximum difference of a decoded sample, linear; `nil` for a lossy file of noise.
    ///   - isSeekable: Whether the decoder can reposition the stream.
    public init(url: URL, content: SampleBuffer, tolerance: Double? = 0, isSeekable: Bool = true) {
        self.url = url
        self.content = content
        self.tolerance = tolerance
        self.isSeekable = isSeekable
    }
}
