internal import Descant
internal import PlayerApp

extension PlayerActivity {
    /// The controller's activity in the views' words.
    init(_ activity: MediaPlaybackState.Activity) {
        self =
            switch activity {
            case .idle: .idle
            case .preparing, .buffering: .preparing
            case .playing: .playing
            case .paused: .paused
            case .finished: .finished
            case .failed: .failed
            }
    }
}
