/// An item at one provider.
public struct ProviderMapping: JSONModel {
    /// The JSON value as the server sent it, with fields that this client does not know.
    public let json: JSONValue

    /// Creates the value from the server's JSON.
    ///
    /// - Parameter json: The JSON value of the server.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is not an object with item_id.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "item_id")
        self.json = json
    }

    /// The identifier at the provider.
    public var itemId: String { text("item_id") ?? "" }

    /// The kind of provider.
    public var domain: String { text("provider_domain") ?? "" }

    /// The provider.
    public var instance: String { text("provider_instance") ?? "" }

    /// Whether it is available now.
    public var isAvailable: Bool { bool("available") ?? true }

    /// Its address at the provider.
    public var url: String? { text("url") }

    /// The audio format at the provider.
    public var audioFormat: MediaAudioFormat? { model("audio_format") }

    /// Whether it is in the library of the provider; nil when unknown.
    public var isInLibrary: Bool? { bool("in_library") }

    /// Whether it exists only at this provider; nil when unknown.
    public var isUnique: Bool? { bool("is_unique") }

    /// Additional data of the provider.
    public var details: String? { text("details") }
}
