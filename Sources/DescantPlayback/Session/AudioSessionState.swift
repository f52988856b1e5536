/// What a session is doing.
public enum AudioSessionState: String, Sendable, Hashable, Codable {
    /// Nobody plays.
    case inactive
    /// Somebody plays or has paused.
    case active
    /// Something with precedence sounds.
    case interrupted
    /// The sound server is away.
    case serverLost
}
