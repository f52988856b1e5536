/// What the overlay does, for a person.
public struct OverlayStatus: Sendable, Equatable {
    /// The sound's name.
    public var name: String
    /// Whether it sounds.
    public var isPlaying: Bool
    /// Its volume, 0…1.
    public var volume: Double

    /// Creates a status.
    ///
    /// - Parameters:
    ///   - name: The sound's name.
    ///   - isPlaying: Whether it sounds.
    ///   - volume: Its volume, 0…1.
    public init(name: String, isPlaying: Bool, volume: Double) {
        self.name = name
        self.isPlaying = isPlaying
        self.volume = volume
    }
}
