/// The server's description of itself, sent when a connection begins.
public struct ServerInfo: JSONModel {
    /// The JSON value as the server sent it, with fields that this client does not know.
    public let json: JSONValue

    /// Creates the value from the server's JSON.
    ///
    /// - Parameter json: The JSON value of the server.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is not an object with server_version.
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

    /// The version of the server.
    public var serverVersion: String { text("server_version") ?? "" }

    /// The protocol version; it is raised with every change.
    public var schemaVersion: Int? { int("schema_version") }

    /// The oldest protocol version that the server supports.
    public var minSupportedSchemaVersion: Int? { int("min_supported_schema_version") }

    /// The identifier of the server.
    public var serverId: String? { text("server_id") }

    /// The name to show.
    public var name: String? { text("name") }

    /// Whether it runs inside Home Assistant.
    public var homeassistantAddon: Bool? { bool("homeassistant_addon") }

    /// The capabilities; nil when the server does not report them.
    public var capabilities: [String]? { json["capabilities"].map { _ in texts("capabilities") } }

    /// The server's own address. The client does not use it, because it often cannot be reached.
    public var baseURL: String? { text("base_url") }

    /// Whether the set-up is finished. A server that has a user accepts logins before that.
    public var isSetUp: Bool { bool("onboard_done") ?? true }

    /// The status of the server.
    public var status: ServerStatus? { text("status").map(ServerStatus.init(rawValue:)) }

    /// The address in the local network; nil when not reported.
    public var internalURL: String? { text("internal_url") }

    /// The address from other networks; nil when not reported.
    public var externalURL: String? { text("external_url") }

    /// Whether it can be reached from other networks; nil when not reported.
    public var hasRemoteAccess: Bool? { bool("has_remote_access") }
}
