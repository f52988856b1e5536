/// What an ``AudioPlayerService`` is doing, as the listener hears it.
public enum PlayerState: Sendable, Hashable {
    /// Nothing was loaded yet, or everything was put back with `reset()` or `stopAll()`.
    case idle
    /// A track is being opened; nothing sounds.
    case preparing
    /// A track sounds.
    case playing
    /// Frozen at a position.
    case paused
    /// What sounds is fading out; ``finished`` follows.
    case fadingOut
    /// Playing was stopped, or the last track was heard to its end.
    case finished
    /// Nothing can be played any more.
    case failed(AudioPlayerError)
}

extension PlayerState: CustomStringConvertible {
    /// The state's name: "playing", "failed (file not found: …)".
    public var description: String {
        switch self {
        case .failed(let error): "failed (\(error))"
        default: name
        }
    }

    /// The state's name without its error: "playing", "failed".
    public var name: String {
        switch self {
        case .idle: "idle"
        case .preparing: "preparing"
        case .playing: "playing"
        case .paused: "paused"
        case .fadingOut: "fadingOut"
        case .finished: "finished"
        case .failed: "failed"
        }
    }

    /// Whether a track is loaded that goes on or can go on.
    var isActive: Bool { self == .playing || self == .paused || self == .preparing }
}
