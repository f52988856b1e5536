/// An input of a player.
public struct PlayerSource: JSONModel, Identifiable {
    /// The JSON value as the server sent it, with fields that this client does not know.
    public let json: JSONValue

    /// Creates the value from the server's JSON.
    ///
    /// - Parameter json: The JSON value of the server.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is not an object with id.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "id")
        self.json = json
    }

    /// The same as ``sourceId``.
    public var id: String { sourceId }

    /// The identifier for ``MusicAssistantClient/selectSource(playerId:source:)``.
    public var sourceId: String { text("id") ?? "" }

    /// The name to show.
    public var name: String { text("name") ?? sourceId }

    /// Whether it cannot be selected by commands.
    public var isPassive: Bool { bool("passive") ?? false }

    /// Whether it can be paused.
    public var canPlayPause: Bool { bool("can_play_pause") ?? false }

    /// Whether it can seek.
    public var canSeek: Bool { bool("can_seek") ?? false }

    /// Whether it can skip items.
    public var canNextPrevious: Bool { bool("can_next_previous") ?? false }

    /// Whether it can shuffle.
    public var canShuffle: Bool { bool("can_shuffle") ?? false }

    /// Whether it can repeat.
    public var canRepeat: Bool { bool("can_repeat") ?? false }
}
