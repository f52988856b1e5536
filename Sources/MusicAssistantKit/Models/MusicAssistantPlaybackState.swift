/// What a player or queue does.
public struct MusicAssistantPlaybackState: OpenValue {
    /// The server's word.
    public let rawValue: String

    /// Creates a value from the server's word for it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Nothing; a player that cannot pause is idle when paused.
    public static let idle: Self = "idle"
    /// It plays.
    public static let playing: Self = "playing"
    /// It waits at a position.
    public static let paused: Self = "paused"
    /// The server does not know.
    public static let unknown: Self = "unknown"
}
