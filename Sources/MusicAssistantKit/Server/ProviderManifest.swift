/// The description of a provider that can be set up.
public struct ProviderManifest: JSONModel, Identifiable {
    /// The JSON value as the server sent it, with fields that this client does not know.
    public let json: JSONValue

    /// Creates the value from the server's JSON.
    ///
    /// - Parameter json: The JSON value of the server.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is not an object with domain.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "domain")
        self.json = json
    }

    /// The same as ``domain``.
    public var id: String { domain }

    /// Its identifier on the server.
    public var domain: String { text("domain") ?? "" }

    /// `music`, `player`, `metadata`, `plugin` or a newer type.
    public var type: String? { text("type") }

    /// The name to show.
    public var name: String { text("name") ?? "" }

    /// The description.
    public var about: String? { text("description") }

    /// The maintainers.
    public var codeowners: [String] { texts("codeowners") }

    /// The stage of development, such as `stable`.
    public var stage: String? { text("stage") }

    /// The address of its documentation.
    public var documentation: String? { text("documentation") }

    /// Whether several instances are possible.
    public var allowsSeveral: Bool { bool("multi_instance") ?? false }

    /// Whether it is built into the server.
    public var isBuiltIn: Bool { bool("builtin") ?? false }

    /// The name of its icon.
    public var icon: String? { text("icon") }
}

/// A running synchronisation with a provider.
public struct SyncTask: JSONModel {
    /// The JSON value as the server sent it, with fields that this client does not know.
    public let json: JSONValue

    /// Creates the value from the server's JSON.
    ///
    /// - Parameter json: The JSON value of the server.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is not an object with provider_instance.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "provider_instance")
        self.json = json
    }

    /// The provider.
    public var providerInstance: String { text("provider_instance") ?? "" }

    /// The domain of the provider.
    public var providerDomain: String? { text("provider_domain") }

    /// The kinds of items that are synchronised.
    public var mediaTypes: [String] { texts("media_types") }
}
