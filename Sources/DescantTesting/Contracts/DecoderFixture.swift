public import Foundation

/// A file of known sound for ``DecoderContract``.
public struct DecoderFixture: Sendable {
    /// The file.
    public var url: URL
    /// The sound of the file, at its own sample rate and channels.
    public var content: SampleBuffer
    /// The maximum difference of a decoded sample from the content, linear; `nil` for a lossy file. The content of a lossy
    /// file must be noise: its position is found by correlation, exact to the frame.
    public var tolerance: Double?
    /// Whether the decoder can reposition the stream.
    public var isSeekable: Bool

    /// Describes a file.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - content: The sound of the file.
    ///   - tolerance: The maximum difference of a decoded sample, linear; `nil` for a lossy file of noise.
    ///   - isSeekable: Whether the decoder can reposition the stream.
    public init(url: URL, content: SampleBuffer, tolerance: Double? = 0, isSeekable: Bool = true) {
        self.url = url
        self.content = content
        self.tolerance = tolerance
        self.isSeekable = isSeekable
    }
}
