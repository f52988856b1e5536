/// One entry of a queue.
public struct QueueItem: JSONModel, Identifiable {
    /// Everything that the server sent.
    public let json: JSONValue

    /// Takes what the server sent.
    ///
    /// - Parameter json: The value as it came.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is no object with queue_item_id.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "queue_item_id")
        self.json = json
    }

    /// The same as ``queueItemId``.
    public var id: String { queueItemId }

    /// What commands call the entry.
    public var queueItemId: String { text("queue_item_id") ?? "" }

    /// The queue that it is in.
    public var queueId: String { text("queue_id") ?? "" }

    /// Artist and title.
    public var name: String { text("name") ?? "" }

    /// Its length in seconds; nil when it has no end.
    public var duration: Double? { double("duration") }

    /// Its place before the queue was shuffled.
    public var sortIndex: Int? { int("sort_index") }

    /// Its place in the queue, from 0, where that is known: in what
    /// ``MusicAssistantClient/getQueueItems(queueId:limit:offset:)`` gives, and in ``PlayerQueue/currentItem``. The field of
    /// that name does not tell it: servers send 0 for every item.
    public internal(set) var index: Int?

    /// Whether it can be played.
    public var isAvailable: Bool { bool("available") ?? true }

    /// What is played.
    public var mediaItem: MediaItem? { model("media_item") }

    /// A picture.
    public var image: MediaImage? { model("image") }

    /// What is streamed; nil until the server has prepared it.
    public var streamDetails: StreamDetails? { model("streamdetails") }

    /// What the server adds.
    public var extraAttributes: [String: JSONValue] { json["extra_attributes"]?.objectValue ?? [:] }

    /// The URI of what is played.
    public var uri: String { mediaItem?.uri ?? queueItemId }

    /// What kind of thing is played.
    public var mediaType: MediaType { mediaItem?.mediaType ?? streamDetails?.mediaType ?? .unknown }
}
