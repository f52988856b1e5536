import DescantPlayback

/// A column of the transition table: what is going on when a call comes.
enum TransitionMoment: String, CaseIterable, Sendable {
    case idle
    case playing
    case ending = "1 s before the end"
    case crossfading
    case hurrying = "crossfading, `fastForward`"
    case paused
    case pausedCrossfading = "paused, crossfading"
    case fadingOut = "fading out"
    case finished
    case failed

    /// The moment as it would be had nobody paused.
    var unpaused: TransitionMoment {
        switch self {
        case .paused: .playing
        case .pausedCrossfading: .crossfading
        default: self
        }
    }

    /// The levels of the tracks that sound, and how far the crossfade is, in frames.
    var level: Float {
        switch self {
        case .ending, .crossfading, .hurrying, .pausedCrossfading: TransitionStage.third
        default: TransitionStage.second
        }
    }
}
