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
        case (.replace, .playing), (.replace, .paused), (.replace, .preparing): return
        case (.replace, .idle), (.replace, .finished), (.replace, .failed): throw AudioPlayerError.noActiveTrack
        default: break
        }
        throw AudioPlayerError.invalidState(current: state.name, attempted: attempted)
    }
}
