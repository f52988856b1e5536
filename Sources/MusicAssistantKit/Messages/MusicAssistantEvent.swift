/// An event of the server.
public struct MusicAssistantEvent: Sendable, Hashable, MissCounting {
    /// The kind of event.
    public let event: EventKind
    /// The subject of the event: the identifier of a player or queue, the URI of an item, …
    public let objectId: String?
    /// The data of the event.
    public let data: JSONValue
    /// The number of events that this subscriber lost directly before this one, because it read too slowly.
    public var missed = 0

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - event: The kind of event.
    ///   - objectId: The subject of the event.
    ///   - data: The data of the event.
    public init(event: EventKind, objectId: String? = nil, data: JSONValue = .null) {
        self.event = event
        self.objectId = objectId
        self.data = data
    }
}
