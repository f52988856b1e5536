/// A player of the simulated home.
public struct SimulatedPlayer: Sendable, Hashable {
    /// The identifier; its queue has the same.
    public var id: String
    /// The name to show.
    public var name: String
    /// The supported features; a player without `pause` becomes idle when it is paused.
    public var features: [String]
    /// Whether it is available.
    public var isAvailable = true
    /// Whether it is enabled; lists do not contain disabled players.
    public var isEnabled = true
    /// Whether it is switched on.
    public var isPowered = true
    /// The volume, 0…100.
    public var volume = 100
    /// Whether it is muted.
    public var isMuted = false
    /// The identifiers of the group members, itself first; empty without a group.
    public var members: [String] = []
    /// The leader of the group; `nil` without a group.
    public var leader: String?

    /// Creates a player.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - name: The name to show.
    ///   - features: The supported features.
    public init(
        _ id: String, _ name: String,
        features: [String] = ["volume_set", "volume_mute", "power", "pause", "set_members", "seek"]
    ) {
        self.id = id
        self.name = name
        self.features = features
    }

    var pauses: Bool { features.contains("pause") }
}
