/// A queue, its items or its position changed, or a queue was added.
public struct QueueUpdateEvent: Sendable, Hashable, MissCounting {
    /// The kind of event: ``EventKind/queueUpdated`` mostly. After ``EventKind/queueItemsUpdated`` fetch the items again.
    public let kind: EventKind
    /// The queue.
    public let queueId: String
    /// The data of the event: a queue, or a number of seconds for ``EventKind/queueTimeUpdated``.
    public let data: JSONValue
    /// The number of events that this subscriber lost directly before this one.
    public var missed = 0

    /// The queue as it is now; nil when the event contains none.
    public var queue: PlayerQueue? { try? PlayerQueue(json: data) }
}
