public import Foundation

/// What a player says that it plays.
public struct PlayerMedia: JSONModel {
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

    /// Where it comes from.
    public var uri: String? { text("uri") }

    /// Its title.
    public var title: String? { text("title") }

    /// Who plays it.
    public var artist: String? { text("artist") }

    /// The album it is from.
    public var album: String? { text("album") }

    /// The address of a picture.
    public var imageURL: String? { text("image_url") }

    /// Its length in seconds.
    public var duration: Double? { double("duration") }

    /// The queue that it is in; nil when it is not the server's.
    public var queueId: String? { text("queue_id") ?? (queueItemId == nil ? nil : sourceId) }

    /// Where it plays from: a queue, or an input of the player.
    public var sourceId: String? { text("source_id") }

    /// The item of the queue that it is.
    public var queueItemId: String? { text("queue_item_id") }

    /// What it is.
    public var mediaType: MediaType { MediaType(rawValue: text("media_type") ?? "unknown") }

    /// Who made the album.
    public var albumArtist: String? { text("album_artist") }

    /// The position in seconds when ``elapsedTimeUpdated`` was.
    public var elapsedTime: Double? { double("elapsed_time") }

    /// When the server measured that, on its clock.
    public var elapsedTimeUpdated: Date? { double("elapsed_time_last_updated").map(Date.init(timeIntervalSince1970:)) }

    /// What its provider adds.
    public var customData: [String: JSONValue] { json["custom_data"]?.objectValue ?? [:] }
}
