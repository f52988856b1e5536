/// One entry of a queue.
public struct QueueItem: JSONModel, Identifiable {
    /// The JSON value as the server sent it, with fields that this client does not know.
    public let json: JSONValue

    /// Creates the value from the server's JSON.
    ///
    /// - Parameter json: The JSON value of the server.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is not an object with queue_item_id.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "queue_item_id")
        self.json = json
    }

    /// The same as ``queueItemId``.
    public var id: String { queueItemId }

    /// The entry's identifier in commands.
    public var queueItemId: String { text("queue_item_id") ?? "" }

    /// The queue that it is in.
    public var queueId: String { text("queue_id") ?? "" }

    /// Artist and title.
    public var name: String { text("name") ?? "" }

    /// Its length in seconds; nil for a stream without an end.
    public var duration: Double? { length("duration") }

    /// The index before the queue was shuffled.
    public var sortIndex: Int? { int("sort_index") }

    /// The index in the queue, from 0. It is known for the items of
    /// ``MusicAssistantClient/getQueueItems(queueId:limit:offset:)`` and for ``PlayerQueue/currentItem``. The server's own
    /// field is not used, because servers send 0 for every item.
    public internal(set) var index: Int?

    /// Whether it can be played.
    public var isAvailable: Bool { bool("available") ?? true }

    /// The media item.
    public var mediaItem: MediaItem? { model("media_item") }

    /// The picture.
    public var image: MediaImage? { model("image") }

    /// The stream; nil until the server has prepared it.
    public var streamDetails: StreamDetails? { model("streamdetails") }

    /// Additional data of the server.
    public var extraAttributes: [String: JSONValue] { json["extra_attributes"]?.objectValue ?? [:] }

    /// The URI of the media item.
    public var uri: String { mediaItem?.uri ?? queueItemId }

    /// The kind of the media item.
    public var mediaType: MediaType { mediaItem?.mediaType ?? streamDetails?.mediaType ?? .unknown }
}
