public import Foundation

/// What is streamed for an item of a queue; nil until the server has prepared it.
public struct StreamDetails: JSONModel {
    /// Everything that the server sent.
    public let json: JSONValue

    /// Takes what the server sent.
    ///
    /// - Parameter json: The value as it came.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is no object with item_id.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "item_id")
        self.json = json
    }

    /// The provider that streams it; it can be another one than that of the item.
    public var provider: String? { text("provider") }

    /// What that provider calls it.
    public var itemId: String { text("item_id") ?? "" }

    /// How its sound is coded.
    public var audioFormat: MediaAudioFormat? { model("audio_format") }

    /// What it is.
    public var mediaType: MediaType { MediaType(rawValue: text("media_type") ?? "unknown") }

    /// How the server gets it, such as `http` or `local_file`.
    public var streamType: String? { text("stream_type") }

    /// Its length in seconds.
    public var duration: Double? { double("duration") }

    /// Its size in bytes.
    public var size: Int? { int("size") }

    /// What a radio station plays now.
    public var streamMetadata: StreamMetadata? { model("stream_metadata") }

    /// Its loudness in LUFS.
    public var loudness: Double? { double("loudness") }

    /// The loudness of its album in LUFS.
    public var albumLoudness: Double? { double("loudness_album") }

    /// Whether the loudness of the album counts.
    public var prefersAlbumLoudness: Bool { bool("prefer_album_loudness") ?? false }

    /// How its volume is evened out, such as `measurement_only`.
    public var volumeNormalizationMode: String? { text("volume_normalization_mode") }

    /// By how much, in decibels.
    public var volumeNormalizationGain: Double? { double("volume_normalization_gain_correct") }

    /// The loudness that is aimed at, in LUFS.
    public var targetLoudness: Double? { double("target_loudness") }

    /// Filters, by the id of the player.
    public var dsp: [String: JSONValue] { json["dsp"]?.objectValue ?? [:] }
}

/// What a station plays now.
public struct StreamMetadata: JSONModel {
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

    /// Its title.
    public var title: String { text("title") ?? "" }

    /// Who plays it.
    public var artist: String? { text("artist") }

    /// The album it is from.
    public var album: String? { text("album") }

    /// The address of a picture.
    public var imageURL: String? { text("image_url") }

    /// Its length in seconds.
    public var duration: Double? { double("duration") }

    /// A text about it.
    public var about: String? { text("description") }

    /// Its URI.
    public var uri: String? { text("uri") }

    /// The position in seconds when ``elapsedTimeUpdated`` was.
    public var elapsedTime: Double? { double("elapsed_time") }

    /// When the server measured that, on its clock.
    public var elapsedTimeUpdated: Date? { double("elapsed_time_last_updated").map(Date.init(timeIntervalSince1970:)) }
}
