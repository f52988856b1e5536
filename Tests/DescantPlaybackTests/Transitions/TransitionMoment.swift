import DescantPlayback

/// A column of the transition table: the situation at the time of a call.
enum TransitionMoment: String, CaseIterable, Sendable {
    case idle
    case preparing
    case playing
    case ending = "1 s before the end"
    case crossfading
    case hurrying = "crossfading, `fastForward`"
    case paused
    case pausedCrossfading = "paused, crossfading"
    case fadingOut = "fading out"
    case finished
    case failed

    /// The situation without the pause.
    var unpaused: TransitionMoment {
        switch self {
        case .paused: .playing
        case .pausedCrossfading: .crossfading
        default: self
        }
    }

    /// The levels of the sounding tracks, and the progress of the crossfade in frames.
    var level: Float {
        switch self {
        case .ending, .crossfading, .hurrying, .pausedCrossfading: TransitionStage.third
        default: TransitionStage.second
        }
    }
}
