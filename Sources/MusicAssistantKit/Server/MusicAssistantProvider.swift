/// A source of music, of players or of metadata, as it is set up on the server.
public struct MusicAssistantProvider: JSONModel, Identifiable {
    /// The JSON value as the server sent it, with fields that this client does not know.
    public let json: JSONValue

    /// Creates the value from the server's JSON.
    ///
    /// - Parameter json: The JSON value of the server.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is not an object with instance_id.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "instance_id")
        self.json = json
    }

    /// The same as ``instanceId``.
    public var id: String { instanceId }

    /// Its identifier in commands.
    public var instanceId: String { text("instance_id") ?? "" }

    /// The domain of the provider.
    public var domain: String { text("domain") ?? "" }

    /// The name to show.
    public var name: String { text("name") ?? "" }

    /// `music`, `player`, `metadata`, `plugin` or a newer type.
    public var type: String? { text("type") }

    /// Whether it is available.
    public var isAvailable: Bool { bool("available") ?? true }

    /// The supported features.
    public var supportedFeatures: [String] { texts("supported_features") }

    /// Whether it is a streaming service with a shared catalogue; nil for other providers.
    public var isStreaming: Bool? { bool("is_streaming_provider") }
}
