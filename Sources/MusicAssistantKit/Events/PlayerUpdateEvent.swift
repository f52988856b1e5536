/// A player came, changed or went.
public struct PlayerUpdateEvent: Sendable, Hashable, MissCounting {
    /// What happened: ``EventKind/playerUpdated`` mostly.
    public let kind: EventKind
    /// The player.
    public let playerId: String
    /// What the server sent, of any shape.
    public let data: JSONValue
    /// How many events this subscriber lost directly before this one.
    public var missed = 0

    /// The player as it is now; nil when it went or the event holds no player.
    public var player: MusicAssistantPlayer? { kind == .playerRemoved ? nil : try? MusicAssistantPlayer(json: data) }
}
