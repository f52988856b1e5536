/// The events of the server, for any number of subscribers.
///
/// Every access of a property makes a new subscription, which begins with the next event. See
/// ``MusicAssistantEventStream`` for buffers and loss.
public final class EventPublisher: Sendable {
    private let players: EventHub<PlayerUpdateEvent>
    private let queues: EventHub<QueueUpdateEvent>
    private let items: EventHub<MediaItemEvent>
    private let everything: EventHub<MusicAssistantEvent>

    init(limit: Int) {
        players = EventHub(limit: limit)
        queues = EventHub(limit: limit)
        items = EventHub(limit: limit)
        everything = EventHub(limit: limit)
    }

    /// Added, changed and removed players.
    public var playerUpdates: MusicAssistantEventStream<PlayerUpdateEvent> { players.subscribe() }

    /// Added and changed queues.
    public var queueUpdates: MusicAssistantEventStream<QueueUpdateEvent> { queues.subscribe() }

    /// Added, changed, removed and played media items.
    public var mediaItemUpdates: MusicAssistantEventStream<MediaItemEvent> { items.subscribe() }

    /// All events, including kinds that this client does not know.
    public var all: MusicAssistantEventStream<MusicAssistantEvent> { everything.subscribe() }

    /// Events of some kinds, or about some players, queues or items.
    ///
    /// Other events take no place in the buffer and do not count as missed.
    ///
    /// - Parameters:
    ///   - kinds: The kinds; nil for all.
    ///   - ids: The ids of players and queues, and the URIs of items; nil for all.
    /// - Returns: The events from now on.
    public func events(of kinds: Set<EventKind>? = nil, about ids: Set<String>? = nil)
        -> MusicAssistantEventStream<MusicAssistantEvent>
    {
        everything.subscribe { event in
            kinds?.contains(event.event) ?? true && ids.map { ids in event.objectId.map(ids.contains) ?? false } ?? true
        }
    }

    /// Changes of one player.
    ///
    /// - Parameter playerId: The player.
    /// - Returns: The events from now on.
    public func updates(ofPlayer playerId: String) -> MusicAssistantEventStream<PlayerUpdateEvent> {
        players.subscribe { $0.playerId == playerId }
    }

    /// Changes of one queue.
    ///
    /// - Parameter queueId: The queue.
    /// - Returns: The events from now on.
    public func updates(ofQueue queueId: String) -> MusicAssistantEventStream<QueueUpdateEvent> {
        queues.subscribe { $0.queueId == queueId }
    }

    /// The number of subscriptions.
    var subscriberCount: Int {
        players.subscriberCount + queues.subscriberCount + items.subscriberCount + everything.subscriberCount
    }

    func post(_ event: MusicAssistantEvent) {
        everything.post(event)
        guard let id = event.objectId else { return }
        switch event.event {
        case .playerAdded, .playerUpdated, .playerRemoved:
            players.post(PlayerUpdateEvent(kind: event.event, playerId: id, data: event.data))
        case .queueAdded, .queueUpdated, .queueItemsUpdated, .queueTimeUpdated:
            queues.post(QueueUpdateEvent(kind: event.event, queueId: id, data: event.data))
        case .mediaItemPlayed, .mediaItemAdded, .mediaItemUpdated, .mediaItemDeleted, .favoriteUpdated:
            items.post(MediaItemEvent(kind: event.event, uri: id, data: event.data))
        default: break
        }
    }

    func finish() {
        players.finish()
        queues.finish()
        items.finish()
        everything.finish()
    }
}
