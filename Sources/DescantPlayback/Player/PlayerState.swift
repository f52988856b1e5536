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

/// A call whose legality depends on the state.
enum PlayerCommand: String, Sendable, CaseIterable {
    case pause
    case resume
    case seek
    case skip
    case next
    case previous
    case jump
    case replace
    case swap
    case select
    case finish

    /// What errors call it.
    var attempted: String {
        switch self {
        case .pause: "pause"
        case .resume: "resume"
        case .seek: "seekWithFade"
        case .skip: "skip"
        case .next: "nextTrack"
        case .previous: "previousTrack"
        case .jump: "jumpToTrack"
        case .replace: "replaceTrack"
        case .swap: "swapPlaylist"
        case .select: "selectTrack"
        case .finish: "finish"
        }
    }

    /// Checks whether the command is legal in a state.
    ///
    /// - Parameter state: The present state.
    /// - Throws: ``AudioPlayerError/invalidState(current:attempted:)``, or ``AudioPlayerError/noActiveTrack`` for a replacement
    ///   of nothing.
    func check(in state: PlayerState) throws {
        switch (self, state) {
        case (.pause, .playing), (.pause, .preparing), (.pause, .paused), (.resume, .paused): return
        case (.seek, .playing), (.seek, .paused), (.skip, .playing), (.skip, .paused): return
        case (.finish, .playing), (.finish, .paused): return
        case (.next, _), (.previous, _), (.jump, _), (.swap, _):
            if state != .fadingOut { return }
        case (.select, .idle), (.select, .finished), (.select, .failed): return
        case (.replace, .playing), (.replace, .paused), (.replace, .preparing): return
        case (.replace, .idle), (.replace, .finished), (.replace, .failed): throw AudioPlayerError.noActiveTrack
        default: break
        }
        throw AudioPlayerError.invalidState(current: state.name, attempted: attempted)
    }
}
