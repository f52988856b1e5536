/// Something that happened on the server.
public struct MusicAssistantEvent: Sendable, Hashable, MissCounting {
    /// What happened.
    public let event: EventKind
    /// Whom it happened to: the id of a player or queue, the URI of an item, …
    public let objectId: String?
    /// More about it, of any shape.
    public let data: JSONValue
    /// How many events this subscriber lost directly before this one, as it did not read fast enough.
    public var missed = 0

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - event: What happened.
    ///   - objectId: Whom it happened to.
    ///   - data: More about it.
    public init(event: EventKind, objectId: String? = nil, data: JSONValue = .null) {
        self.event = event
        self.objectId = objectId
        self.data = data
    }
}
