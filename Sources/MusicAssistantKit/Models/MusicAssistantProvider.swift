/// A source of music, of players or of metadata, as it is set up on the server.
public struct MusicAssistantProvider: JSONModel, Identifiable {
    /// Everything that the server sent.
    public let json: JSONValue

    /// Takes what the server sent.
    ///
    /// - Parameter json: The value as it came.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is no object with instance_id.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "instance_id")
        self.json = json
    }

    /// The same as ``instanceId``.
    public var id: String { instanceId }

    /// What commands call it.
    public var instanceId: String { text("instance_id") ?? "" }

    /// Its kind.
    public var domain: String { text("domain") ?? "" }

    /// Its name.
    public var name: String { text("name") ?? "" }

    /// `music`, `player`, `metadata`, `plugin` or a newer type.
    public var type: String? { text("type") }

    /// Whether it works now.
    public var isAvailable: Bool { bool("available") ?? true }

    /// What it can do.
    public var supportedFeatures: [String] { texts("supported_features") }

    /// Whether it streams what many others have too; nil for providers of other things.
    public var isStreaming: Bool? { bool("is_streaming_provider") }
}
