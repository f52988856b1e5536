/// A user of the server.
public struct MusicAssistantUser: JSONModel, Identifiable {
    /// The JSON value as the server sent it, with fields that this client does not know.
    public let json: JSONValue

    /// Creates the value from the server's JSON.
    ///
    /// - Parameter json: The JSON value of the server.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is not an object with user_id.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "user_id")
        self.json = json
    }

    /// The same as ``userId``.
    public var id: String { userId }

    /// The identifier of the user.
    public var userId: String { text("user_id") ?? "" }

    /// The name to log in with.
    public var username: String { text("username") ?? "" }

    /// The name to show.
    public var displayName: String? { text("display_name") }

    /// `admin`, `user` or a newer role.
    public var role: String? { text("role") }

    /// Whether the user may log in.
    public var isEnabled: Bool { bool("enabled") ?? true }

    /// When the user was created, ISO 8601.
    public var createdAt: String? { text("created_at") }

    /// The address of a picture.
    public var avatarURL: String? { text("avatar_url") }

    /// What the user chose in apps of the server.
    public var preferences: [String: JSONValue] { json["preferences"]?.objectValue ?? [:] }

    /// The only providers that the user sees; empty for all.
    public var providerFilter: [String] { texts("provider_filter") }

    /// The only players that the user sees; empty for all.
    public var playerFilter: [String] { texts("player_filter") }
}
