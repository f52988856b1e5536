/// A setting of a player; ``MusicAssistantClient/setOption(playerId:key:value:)`` changes it.
public struct PlayerOption: JSONModel, Identifiable {
    /// The JSON value as the server sent it, with fields that this client does not know.
    public let json: JSONValue

    /// Creates the value from the server's JSON.
    ///
    /// - Parameter json: The JSON value of the server.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is not an object with key.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "key")
        self.json = json
    }

    /// The same as ``key``.
    public var id: String { key }

    /// Its identifier in commands.
    public var key: String { text("key") ?? "" }

    /// The name to show.
    public var name: String? { text("name") }

    /// `boolean`, `integer`, `float` or `string`.
    public var type: String? { text("type") }

    /// The key of its name in translations.
    public var translationKey: String? { text("translation_key") }

    /// The present value.
    public var value: JSONValue? { json["value"] }

    /// Whether it is read-only.
    public var isReadOnly: Bool { bool("read_only") ?? false }

    /// The minimum value.
    public var minimum: Double? { double("min_value") }

    /// The maximum value.
    public var maximum: Double? { double("max_value") }

    /// The step between values.
    public var step: Double? { double("step") }

    /// The allowed values.
    public var choices: [PlayerOption] { models("options") }
}

/// A sound mode of a player; ``MusicAssistantClient/selectSoundMode(playerId:soundMode:)`` chooses it.
public struct PlayerSoundMode: JSONModel, Identifiable {
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

    /// The same as ``soundModeId``.
    public var id: String { soundModeId }

    /// Its identifier in commands.
    public var soundModeId: String { text("id") ?? "" }

    /// The name to show.
    public var name: String? { text("name") }

    /// Whether it cannot be selected by commands.
    public var isPassive: Bool { bool("passive") ?? false }

    /// The key of its name in translations.
    public var translationKey: String? { text("translation_key") }
}
