public import DescantCore

/// A session at one moment.
public struct AudioSessionStatus: Sendable, Hashable {
    /// What the session is doing.
    public var state: AudioSessionState
    /// How it presents itself; `nil` while inactive.
    public var configuration: AudioSessionConfiguration?
    /// What is known of the desktop's sound; as it was when the session was last active.
    public var situation: AudioSessionSnapshot
    /// The names of the clients that play or have paused.
    public var clients: [String]
}

/// What a session is doing.
public enum AudioSessionState: String, Sendable, Hashable, Codable {
    /// No client plays.
    case inactive
    /// A client plays or has paused.
    case active
    /// Something with precedence sounds.
    case interrupted
    /// The sound server is away.
    case serverLost
}
