/// A player was added, changed or removed.
public struct PlayerUpdateEvent: Sendable, Hashable, MissCounting {
    /// The kind of event: ``EventKind/playerUpdated`` mostly.
    public let kind: EventKind
    /// The player.
    public let playerId: String
    /// The data of the event.
    public let data: JSONValue
    /// The number of events that this subscriber lost directly before this one.
    public var missed = 0

    /// The player as it is now; nil when it was removed or the event contains no player.
    public var player: MusicAssistantPlayer? { kind == .playerRemoved ? nil : try? MusicAssistantPlayer(json: data) }
}
