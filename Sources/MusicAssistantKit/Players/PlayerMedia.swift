public import Foundation

/// The media that a player reports.
public struct PlayerMedia: JSONModel {
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

    /// The URI.
    public var uri: String? { text("uri") }

    /// Its title.
    public var title: String? { text("title") }

    /// The artist.
    public var artist: String? { text("artist") }

    /// The name of its album.
    public var album: String? { text("album") }

    /// The address of a picture.
    public var imageURL: String? { text("image_url") }

    /// Its length in seconds.
    public var duration: Double? { length("duration") }

    /// The queue; nil for media from outside the server.
    public var queueId: String? { text("queue_id") ?? (queueItemId == nil ? nil : sourceId) }

    /// The source: a queue, or an input of the player.
    public var sourceId: String? { text("source_id") }

    /// The identifier of the queue item.
    public var queueItemId: String? { text("queue_item_id") }

    /// The kind of item.
    public var mediaType: MediaType { MediaType(rawValue: text("media_type") ?? "unknown") }

    /// The artist of the album.
    public var albumArtist: String? { text("album_artist") }

    /// The position in seconds at the time ``elapsedTimeUpdated``.
    public var elapsedTime: Double? { double("elapsed_time") }

    /// When the position was measured, on the server's clock.
    public var elapsedTimeUpdated: Date? { double("elapsed_time_last_updated").map(Date.init(timeIntervalSince1970:)) }

    /// Additional data of its provider.
    public var customData: [String: JSONValue] { json["custom_data"]?.objectValue ?? [:] }
}
