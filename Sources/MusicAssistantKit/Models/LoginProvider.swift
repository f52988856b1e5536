/// A way to log in.
public struct LoginProvider: JSONModel, Identifiable {
    /// Everything that the server sent.
    public let json: JSONValue

    /// Takes what the server sent.
    ///
    /// - Parameter json: The value as it came.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is no object with provider_id.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "provider_id")
        self.json = json
    }

    /// The same as ``providerId``.
    public var id: String { providerId }

    /// What the server calls it.
    public var providerId: String { text("provider_id") ?? "" }

    /// What kind it is.
    public var type: String? { text("provider_type") }

    /// Whether it goes through a web page.
    public var requiresRedirect: Bool { bool("requires_redirect") ?? false }
}
