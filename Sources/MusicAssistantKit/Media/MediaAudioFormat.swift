/// The audio format of an item.
public struct MediaAudioFormat: JSONModel {
    /// The JSON value as the server sent it, with fields that this client does not know.
    public let json: JSONValue

    /// Creates the value from the server's JSON.
    ///
    /// - Parameter json: The JSON value of the server.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is not an object.
    public init(json: JSONValue) throws {
        try Self.check(json)
        self.json = json
    }

    /// The container, such as `flac` or `mp3`; `?` when it is not known.
    public var contentType: String? { text("content_type") }

    /// The codec within the container.
    public var codecType: String? { text("codec_type") }

    /// The sample rate in Hz.
    public var sampleRate: Int? { int("sample_rate") }

    /// The bits per sample.
    public var bitDepth: Int? { int("bit_depth") }

    /// The number of channels.
    public var channels: Int? { int("channels") }

    /// The bit rate in kbit/s; 0 when unknown.
    public var bitRate: Int? { int("bit_rate") }

    /// The server's description of the format.
    public var outputFormat: String? { text("output_format_str") }
}
