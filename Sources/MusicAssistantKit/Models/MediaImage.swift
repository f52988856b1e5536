/// A picture that the server can get.
public struct MediaImage: JSONModel {
    /// Everything that the server sent.
    public let json: JSONValue

    /// Takes what the server sent.
    ///
    /// - Parameter json: The value as it came.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is no object with path.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "path")
        self.json = json
    }

    /// Where the provider has it.
    public var path: String { text("path") ?? "" }

    /// The provider that has it.
    public var provider: String { text("provider") ?? "" }

    /// `thumb`, `fanart`, `logo` or a newer kind.
    public var type: String? { text("type") }

    /// Whether the path is an address that anybody can open.
    public var isRemotelyAccessible: Bool { bool("remotely_accessible") ?? false }

    /// What the server's proxy calls it; servers of protocol 31 and newer.
    public var proxyId: String? { text("proxy_id") }
}
