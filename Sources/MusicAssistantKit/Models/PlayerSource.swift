/// An input of a player.
public struct PlayerSource: JSONModel, Identifiable {
    /// Everything that the server sent.
    public let json: JSONValue

    /// Takes what the server sent.
    ///
    /// - Parameter json: The value as it came.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is no object with id.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "id")
        self.json = json
    }

    /// The same as ``sourceId``.
    public var id: String { sourceId }

    /// What ``MusicAssistantClient/selectSource(playerId:source:)`` calls it.
    public var sourceId: String { text("id") ?? "" }

    /// Its name.
    public var name: String { text("name") ?? sourceId }

    /// Whether it can only be begun elsewhere.
    public var isPassive: Bool { bool("passive") ?? false }

    /// Whether it can be paused.
    public var canPlayPause: Bool { bool("can_play_pause") ?? false }

    /// Whether it can go to a position.
    public var canSeek: Bool { bool("can_seek") ?? false }

    /// Whether it can step through items.
    public var canNextPrevious: Bool { bool("can_next_previous") ?? false }

    /// Whether its order can be random.
    public var canShuffle: Bool { bool("can_shuffle") ?? false }

    /// Whether it can repeat.
    public var canRepeat: Bool { bool("can_repeat") ?? false }
}
