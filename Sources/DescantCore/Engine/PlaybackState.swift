/// What a service that plays one file is doing.
public enum PlaybackState: Sendable, Equatable, CustomStringConvertible {
    /// Nothing sounds and the position is 0.
    case stopped
    /// Sound comes out.
    case playing
    /// Frozen at a position.
    case paused
    /// Waiting for data or for a sound device that was lost, or draining the output at the end.
    case buffering
    /// The last operation failed; load again to go on.
    case error(CoreError)

    /// The state in words.
    public var description: String {
        switch self {
        case .stopped: "stopped"
        case .playing: "playing"
        case .paused: "paused"
        case .buffering: "buffering"
        case .error(let error): "error (\(error))"
        }
    }
}
