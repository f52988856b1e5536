/// How the sound of an item is coded.
public struct MediaAudioFormat: JSONModel {
    /// Everything that the server sent.
    public let json: JSONValue

    /// Takes what the server sent.
    ///
    /// - Parameter json: The value as it came.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is no object.
    public init(json: JSONValue) throws {
        try Self.check(json)
        self.json = json
    }

    /// The container, such as `flac` or `mp3`; `?` when it is not known.
    public var contentType: String? { text("content_type") }

    /// The codec within the container.
    public var codecType: String? { text("codec_type") }

    /// Frames in a second.
    public var sampleRate: Int? { int("sample_rate") }

    /// Bits of a sample.
    public var bitDepth: Int? { int("bit_depth") }

    /// How many channels.
    public var channels: Int? { int("channels") }

    /// Kilobits in a second; 0 when that is not known.
    public var bitRate: Int? { int("bit_rate") }

    /// The server's text for it.
    public var outputFormat: String? { text("output_format_str") }
}
