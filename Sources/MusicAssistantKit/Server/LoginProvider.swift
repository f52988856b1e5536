/// A way to log in.
public struct LoginProvider: JSONModel, Identifiable {
    /// The JSON value as the server sent it, with fields that this client does not know.
    public let json: JSONValue

    /// Creates the value from the server's JSON.
    ///
    /// - Parameter json: The JSON value of the server.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is not an object with provider_id.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "provider_id")
        self.json = json
    }

    /// The same as ``providerId``.
    public var id: String { providerId }

    /// Its identifier on the server.
    public var providerId: String { text("provider_id") ?? "" }

    /// The type of the provider.
    public var type: String? { text("provider_type") }

    /// Whether the login uses a web page.
    public var requiresRedirect: Bool { bool("requires_redirect") ?? false }
}
