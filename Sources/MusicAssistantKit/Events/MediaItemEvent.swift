/// A media item came, changed, went, was played or became a favourite.
public struct MediaItemEvent: Sendable, Hashable, MissCounting {
    /// What happened.
    public let kind: EventKind
    /// The URI of the item.
    public let uri: String
    /// What the server sent: the item, or a report for ``EventKind/mediaItemPlayed``.
    public let data: JSONValue
    /// How many events this subscriber lost directly before this one.
    public var missed = 0

    /// The item as it is now; nil when the event holds none.
    public var item: MediaItem? { try? MediaItem(json: data) }
}
