/// What the server knows of a token; the token itself is shown once, when it is made.
public struct TokenInfo: JSONModel, Identifiable {
    /// Everything that the server sent.
    public let json: JSONValue

    /// Takes what the server sent.
    ///
    /// - Parameter json: The value as it came.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is no object with token_id.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "token_id")
        self.json = json
    }

    /// The same as ``tokenId``.
    public var id: String { tokenId }

    /// What ``MusicAssistantClient/revokeToken(tokenId:)`` calls it.
    public var tokenId: String { text("token_id") ?? "" }

    /// Whose it is.
    public var userId: String? { text("user_id") }

    /// The name of the device or program.
    public var name: String { text("name") ?? "" }

    /// When it was made, ISO 8601.
    public var createdAt: String? { text("created_at") }

    /// When it ends, ISO 8601; nil when it does not.
    public var expiresAt: String? { text("expires_at") }

    /// When it was used last, ISO 8601.
    public var lastUsedAt: String? { text("last_used_at") }

    /// Whether it was made for a program rather than by a login.
    public var isLongLived: Bool { bool("is_long_lived") ?? false }
}

/// A code that lets a guest in.
public struct JoinCode: JSONModel {
    /// Everything that the server sent.
    public let json: JSONValue

    /// Takes what the server sent.
    ///
    /// - Parameter json: The value as it came.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is no object.
    public init(json: JSONValue) throws {
        try Self.check(json)
        self.json = json
    }

    /// What ``MusicAssistantClient/revokeJoinCode(codeId:)`` calls it.
    public var codeId: String? { text("code_id") }

    /// The code itself, where the server shows it.
    public var code: String? { text("code") }

    /// Whom it logs in.
    public var userId: String? { text("user_id") }

    /// When it ends, ISO 8601.
    public var expiresAt: String? { text("expires_at") }
}

/// Whether the server can be reached from elsewhere.
public struct RemoteAccessInfo: JSONModel {
    /// Everything that the server sent.
    public let json: JSONValue

    /// Takes what the server sent.
    ///
    /// - Parameter json: The value as it came.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is no object.
    public init(json: JSONValue) throws {
        try Self.check(json)
        self.json = json
    }

    /// Whether it is switched on.
    public var isEnabled: Bool { bool("enabled") ?? false }

    /// Whether it runs.
    public var isRunning: Bool { bool("running") ?? false }

    /// Whether it is connected to the service between.
    public var isConnected: Bool { bool("connected") ?? false }

    /// What the service calls the server.
    public var remoteId: String? { text("remote_id") }

    /// Whether it goes through the cloud of Home Assistant.
    public var usesHomeAssistantCloud: Bool { bool("using_ha_cloud") ?? false }

    /// The address of the service.
    public var signalingURL: String? { text("signaling_url") }
}
