/// A setting of a player; ``MusicAssistantClient/setOption(playerId:key:value:)`` changes it.
public struct PlayerOption: JSONModel, Identifiable {
    /// Everything that the server sent.
    public let json: JSONValue

    /// Takes what the server sent.
    ///
    /// - Parameter json: The value as it came.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is no object with key.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "key")
        self.json = json
    }

    /// The same as ``key``.
    public var id: String { key }

    /// What commands call it.
    public var key: String { text("key") ?? "" }

    /// Its name.
    public var name: String? { text("name") }

    /// `boolean`, `integer`, `float` or `string`.
    public var type: String? { text("type") }

    /// What translations call it.
    public var translationKey: String? { text("translation_key") }

    /// Its present value.
    public var value: JSONValue? { json["value"] }

    /// Whether it cannot be changed.
    public var isReadOnly: Bool { bool("read_only") ?? false }

    /// The lowest value.
    public var minimum: Double? { double("min_value") }

    /// The highest value.
    public var maximum: Double? { double("max_value") }

    /// The step between values.
    public var step: Double? { double("step") }

    /// The values to choose from.
    public var choices: [PlayerOption] { models("options") }
}

/// A sound mode of a player; ``MusicAssistantClient/selectSoundMode(playerId:soundMode:)`` chooses it.
public struct PlayerSoundMode: JSONModel, Identifiable {
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

    /// The same as ``soundModeId``.
    public var id: String { soundModeId }

    /// What commands call it.
    public var soundModeId: String { text("id") ?? "" }

    /// Its name.
    public var name: String? { text("name") }

    /// Whether it can only be chosen elsewhere.
    public var isPassive: Bool { bool("passive") ?? false }

    /// What translations call it.
    public var translationKey: String? { text("translation_key") }
}
