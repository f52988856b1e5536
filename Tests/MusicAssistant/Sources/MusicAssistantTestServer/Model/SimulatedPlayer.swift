/// A player of the simulated home.
public struct SimulatedPlayer: Sendable, Hashable {
    /// The identifier; its queue has the same.
    public var id: String
    /// What people call it.
    public var name: String
    /// What it can do; a player without `pause` goes idle when it is paused.
    public var features: [String]
    /// Whether it can be reached.
    public var isAvailable = true
    /// Whether it is in use; lists leave out players that are not.
    public var isEnabled = true
    /// Whether it is on.
    public var isPowered = true
    /// 0…100.
    public var volume = 100
    /// Whether it is silent.
    public var isMuted = false
    /// The identifiers of the players that play along, itself first; empty without a group.
    public var members: [String] = []
    /// The player that this one plays along with.
    public var leader: String?

    /// Creates a player.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - name: What people call it.
    ///   - features: What it can do.
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
