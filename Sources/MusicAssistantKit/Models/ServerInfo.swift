/// What a server says of itself, unasked, when a connection begins.
public struct ServerInfo: JSONModel {
    /// Everything that the server sent.
    public let json: JSONValue

    /// Takes what the server sent.
    ///
    /// - Parameter json: The value as it came.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is no object with server_version.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "server_version")
        self.json = json
    }

    /// Creates the description of a server, for tests.
    public init(
        serverVersion: String, schemaVersion: Int? = nil, minSupportedSchemaVersion: Int? = nil,
        serverId: String? = nil, homeassistantAddon: Bool? = nil, capabilities: [String]? = nil
    ) {
        var members: [String: JSONValue] = ["server_version": .string(serverVersion)]
        members["schema_version"] = schemaVersion.map(JSONValue.int)
        members["min_supported_schema_version"] = minSupportedSchemaVersion.map(JSONValue.int)
        members["server_id"] = serverId.map(JSONValue.string)
        members["homeassistant_addon"] = homeassistantAddon.map(JSONValue.bool)
        members["capabilities"] = capabilities.map { .array($0.map(JSONValue.string)) }
        json = .object(members)
    }

    /// The server's release.
    public var serverVersion: String { text("server_version") ?? "" }

    /// The number of the protocol; it grows with every change.
    public var schemaVersion: Int? { int("schema_version") }

    /// The oldest protocol that the server still speaks.
    public var minSupportedSchemaVersion: Int? { int("min_supported_schema_version") }

    /// What tells this server from others.
    public var serverId: String? { text("server_id") }

    /// The name people gave it.
    public var name: String? { text("name") }

    /// Whether it runs inside Home Assistant.
    public var homeassistantAddon: Bool? { bool("homeassistant_addon") }

    /// What it can do, where it says so.
    public var capabilities: [String]? { json["capabilities"].map { _ in texts("capabilities") } }

    /// The address it thinks it has; often not one that a client can reach, so the client never uses it.
    public var baseURL: String? { text("base_url") }

    /// Whether somebody has finished the set-up. A server that has a user takes logins before that.
    public var isSetUp: Bool { bool("onboard_done") ?? true }

    /// What it is doing.
    public var status: ServerStatus? { text("status").map(ServerStatus.init(rawValue:)) }

    /// Its address at home, where it says so.
    public var internalURL: String? { text("internal_url") }

    /// Its address elsewhere, where it says so.
    public var externalURL: String? { text("external_url") }

    /// Whether it can be reached from elsewhere, where it says so.
    public var hasRemoteAccess: Bool? { bool("has_remote_access") }
}
