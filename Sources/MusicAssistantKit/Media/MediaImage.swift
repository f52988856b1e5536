/// A picture that the server can load.
public struct MediaImage: JSONModel {
    /// The JSON value as the server sent it, with fields that this client does not know.
    public let json: JSONValue

    /// Creates the value from the server's JSON.
    ///
    /// - Parameter json: The JSON value of the server.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is not an object with path.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "path")
        self.json = json
    }

    /// The path or address at the provider.
    public var path: String { text("path") ?? "" }

    /// The provider of the picture.
    public var provider: String { text("provider") ?? "" }

    /// `thumb`, `fanart`, `logo` or a newer kind.
    public var type: String? { text("type") }

    /// Whether the path is a public address.
    public var isRemotelyAccessible: Bool { bool("remotely_accessible") ?? false }

    /// The identifier for the server's proxy; servers of protocol 31 and newer.
    public var proxyId: String? { text("proxy_id") }
}
