/// The description of a token. The token itself is sent only when it is created.
public struct TokenInfo: JSONModel, Identifiable {
    /// The JSON value as the server sent it, with fields that this client does not know.
    public let json: JSONValue

    /// Creates the value from the server's JSON.
    ///
    /// - Parameter json: The JSON value of the server.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is not an object with token_id.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "token_id")
        self.json = json
    }

    /// The same as ``tokenId``.
    public var id: String { tokenId }

    /// The identifier for ``MusicAssistantClient/revokeToken(tokenId:)``.
    public var tokenId: String { text("token_id") ?? "" }

    /// The user of the token.
    public var userId: String? { text("user_id") }

    /// The name of the device or program.
    public var name: String { text("name") ?? "" }

    /// When it was created, ISO 8601.
    public var createdAt: String? { text("created_at") }

    /// When it expires, ISO 8601; nil for never.
    public var expiresAt: String? { text("expires_at") }

    /// When it was used last, ISO 8601.
    public var lastUsedAt: String? { text("last_used_at") }

    /// Whether it was created for a program rather than by a login.
    public var isLongLived: Bool { bool("is_long_lived") ?? false }
}

/// A code with which a guest logs in.
public struct JoinCode: JSONModel {
    /// The JSON value as the server sent it, with fields that this client does not know.
    public let json: JSONValue

    /// Creates the value from the server's JSON.
    ///
    /// - Parameter json: The JSON value of the server.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is not an object.
    public init(json: JSONValue) throws {
        try Self.check(json)
        self.json = json
    }

    /// The identifier for ``MusicAssistantClient/revokeJoinCode(codeId:)``.
    public var codeId: String? { text("code_id") }

    /// The code; nil when the server does not send it.
    public var code: String? { text("code") }

    /// The user whom it logs in.
    public var userId: String? { text("user_id") }

    /// When it expires, ISO 8601.
    public var expiresAt: String? { text("expires_at") }
}

/// The state of remote access to the server.
public struct RemoteAccessInfo: JSONModel {
    /// The JSON value as the server sent it, with fields that this client does not know.
    public let json: JSONValue

    /// Creates the value from the server's JSON.
    ///
    /// - Parameter json: The JSON value of the server.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is not an object.
    public init(json: JSONValue) throws {
        try Self.check(json)
        self.json = json
    }

    /// Whether it is switched on.
    public var isEnabled: Bool { bool("enabled") ?? false }

    /// Whether it is running.
    public var isRunning: Bool { bool("running") ?? false }

    /// Whether it is connected to the relay service.
    public var isConnected: Bool { bool("connected") ?? false }

    /// The server's identifier at the relay service.
    public var remoteId: String? { text("remote_id") }

    /// Whether it uses the cloud of Home Assistant.
    public var usesHomeAssistantCloud: Bool { bool("using_ha_cloud") ?? false }

    /// The address of the relay service.
    public var signalingURL: String? { text("signaling_url") }
}
