/// Who is logged in.
public struct MusicAssistantUser: JSONModel, Identifiable {
    /// Everything that the server sent.
    public let json: JSONValue

    /// Takes what the server sent.
    ///
    /// - Parameter json: The value as it came.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is no object with user_id.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "user_id")
        self.json = json
    }

    /// The same as ``userId``.
    public var id: String { userId }

    /// What the server calls the user.
    public var userId: String { text("user_id") ?? "" }

    /// The name to log in with.
    public var username: String { text("username") ?? "" }

    /// The name to show.
    public var displayName: String? { text("display_name") }

    /// `admin`, `user` or a newer role.
    public var role: String? { text("role") }

    /// Whether the user may log in.
    public var isEnabled: Bool { bool("enabled") ?? true }

    /// When the user was made, ISO 8601.
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
