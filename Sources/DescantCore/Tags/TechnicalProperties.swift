/// What the headers of a file say about its sound.
///
/// Good for showing; a decoder's ``StreamInfo`` is what playback relies on.
public struct TechnicalProperties: Sendable, Hashable, Codable {
    /// Whether decoding gives back the very samples that were encoded.
    public enum Encoding: String, Sendable, Hashable, Codable {
        /// Samples come back changed.
        case lossy
        /// Samples come back as they were.
        case lossless
    }

    /// Length in seconds; `nil` when unknown.
    public var duration: Double?
    /// Mean bits per second; `nil` when unknown.
    public var bitrate: Int?
    /// Frames per second, in Hz; `nil` when unknown.
    public var sampleRate: Int?
    /// Samples per frame; `nil` when unknown.
    public var channels: Int?
    /// Bits per sample, for lossless codecs; `nil` when unknown.
    public var bitDepth: Int?
    /// The file's length in bytes; `nil` when unknown.
    public var fileSize: Int64?
    /// The codec's name: "FLAC", "MP3", "Opus", …; `nil` when unknown.
    public var codec: String?
    /// Whether the codec loses anything; `nil` when unknown.
    public var encoding: Encoding?

    /// Creates a description; every part defaults to unknown.
    public init() {}
}
