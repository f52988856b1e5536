/// A queue came or changed, or its items or position did.
public struct QueueUpdateEvent: Sendable, Hashable, MissCounting {
    /// What happened: ``EventKind/queueUpdated`` mostly. After ``EventKind/queueItemsUpdated`` fetch the items again.
    public let kind: EventKind
    /// The queue.
    public let queueId: String
    /// What the server sent: a queue, or a number of seconds for ``EventKind/queueTimeUpdated``.
    public let data: JSONValue
    /// How many events this subscriber lost directly before this one.
    public var missed = 0

    /// The queue as it is now; nil when the event holds none.
    public var queue: PlayerQueue? { try? PlayerQueue(json: data) }
}
