/// A provider that could be set up.
public struct ProviderManifest: JSONModel, Identifiable {
    /// Everything that the server sent.
    public let json: JSONValue

    /// Takes what the server sent.
    ///
    /// - Parameter json: The value as it came.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is no object with domain.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "domain")
        self.json = json
    }

    /// The same as ``domain``.
    public var id: String { domain }

    /// What the server calls it.
    public var domain: String { text("domain") ?? "" }

    /// `music`, `player`, `metadata`, `plugin` or a newer type.
    public var type: String? { text("type") }

    /// Its name.
    public var name: String { text("name") ?? "" }

    /// A text about it.
    public var about: String? { text("description") }

    /// Who looks after it.
    public var codeowners: [String] { texts("codeowners") }

    /// How finished it is, such as `stable`.
    public var stage: String? { text("stage") }

    /// The address of its manual.
    public var documentation: String? { text("documentation") }

    /// Whether it can be set up more than once.
    public var allowsSeveral: Bool { bool("multi_instance") ?? false }

    /// Whether it is part of the server.
    public var isBuiltIn: Bool { bool("builtin") ?? false }

    /// The name of a symbol for it.
    public var icon: String? { text("icon") }
}

/// A provider that the server reads just now.
public struct SyncTask: JSONModel {
    /// Everything that the server sent.
    public let json: JSONValue

    /// Takes what the server sent.
    ///
    /// - Parameter json: The value as it came.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is no object with provider_instance.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "provider_instance")
        self.json = json
    }

    /// The provider.
    public var providerInstance: String { text("provider_instance") ?? "" }

    /// Its kind.
    public var providerDomain: String? { text("provider_domain") }

    /// What is read.
    public var mediaTypes: [String] { texts("media_types") }
}
