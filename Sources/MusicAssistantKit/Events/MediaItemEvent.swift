/// A media item was added, changed, removed, played or became a favourite.
public struct MediaItemEvent: Sendable, Hashable, MissCounting {
    /// The kind of event.
    public let kind: EventKind
    /// The URI of the item.
    public let uri: String
    /// The data of the event: the item, or a report for ``EventKind/mediaItemPlayed``.
    public let data: JSONValue
    /// The number of events that this subscriber lost directly before this one.
    public var missed = 0

    /// The item as it is now; nil when the event contains none.
    public var item: MediaItem? { try? MediaItem(json: data) }
}
