public import Foundation

/// The stream of a queue item; nil until the server has prepared it.
public struct StreamDetails: JSONModel {
    /// The JSON value as the server sent it, with fields that this client does not know.
    public let json: JSONValue

    /// Creates the value from the server's JSON.
    ///
    /// - Parameter json: The JSON value of the server.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is not an object with item_id.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "item_id")
        self.json = json
    }

    /// The provider of the stream; it may differ from the item's provider.
    public var provider: String? { text("provider") }

    /// The item's identifier at that provider.
    public var itemId: String { text("item_id") ?? "" }

    /// The audio format.
    public var audioFormat: MediaAudioFormat? { model("audio_format") }

    /// The kind of item.
    public var mediaType: MediaType { MediaType(rawValue: text("media_type") ?? "unknown") }

    /// The type of stream, such as `http` or `local_file`.
    public var streamType: String? { text("stream_type") }

    /// Its length in seconds.
    public var duration: Double? { length("duration") }

    /// Its size in bytes.
    public var size: Int? { int("size") }

    /// The present title of a radio station.
    public var streamMetadata: StreamMetadata? { model("stream_metadata") }

    /// Its loudness in LUFS.
    public var loudness: Double? { double("loudness") }

    /// The loudness of its album in LUFS.
    public var albumLoudness: Double? { double("loudness_album") }

    /// Whether the loudness of the album is used.
    public var prefersAlbumLoudness: Bool { bool("prefer_album_loudness") ?? false }

    /// The mode of volume normalisation, such as `measurement_only`.
    public var volumeNormalizationMode: String? { text("volume_normalization_mode") }

    /// The gain of the normalisation, in decibels.
    public var volumeNormalizationGain: Double? { double("volume_normalization_gain_correct") }

    /// The target loudness, in LUFS.
    public var targetLoudness: Double? { double("target_loudness") }

    /// Filters, by the id of the player.
    public var dsp: [String: JSONValue] { json["dsp"]?.objectValue ?? [:] }
}

/// The present title of a radio station.
public struct StreamMetadata: JSONModel {
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

    /// Its title.
    public var title: String { text("title") ?? "" }

    /// The artist.
    public var artist: String? { text("artist") }

    /// The name of its album.
    public var album: String? { text("album") }

    /// The address of a picture.
    public var imageURL: String? { text("image_url") }

    /// Its length in seconds.
    public var duration: Double? { length("duration") }

    /// The description.
    public var about: String? { text("description") }

    /// Its URI.
    public var uri: String? { text("uri") }

    /// The position in seconds at the time ``elapsedTimeUpdated``.
    public var elapsedTime: Double? { double("elapsed_time") }

    /// When the position was measured, on the server's clock.
    public var elapsedTimeUpdated: Date? { double("elapsed_time_last_updated").map(Date.init(timeIntervalSince1970:)) }
}
