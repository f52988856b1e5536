/// One place where an item can be had.
public struct ProviderMapping: JSONModel {
    /// Everything that the server sent.
    public let json: JSONValue

    /// Takes what the server sent.
    ///
    /// - Parameter json: The value as it came.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is no object with item_id.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "item_id")
        self.json = json
    }

    /// What the provider calls it.
    public var itemId: String { text("item_id") ?? "" }

    /// The kind of provider.
    public var domain: String { text("provider_domain") ?? "" }

    /// The provider.
    public var instance: String { text("provider_instance") ?? "" }

    /// Whether it can be had now.
    public var isAvailable: Bool { bool("available") ?? true }

    /// Its address there.
    public var url: String? { text("url") }
}
