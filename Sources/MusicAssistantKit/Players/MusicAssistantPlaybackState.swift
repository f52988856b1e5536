/// The playback state of a player or queue.
public struct MusicAssistantPlaybackState: OpenValue {
    /// The server's text for this value.
    public let rawValue: String

    /// Creates a value from the server's text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Idle; also the state of a paused player that cannot pause.
    public static let idle: Self = "idle"
    /// Playing.
    public static let playing: Self = "playing"
    /// Paused.
    public static let paused: Self = "paused"
    /// Unknown to the server.
    public static let unknown: Self = "unknown"
}
