internal import Descant
internal import PlayerApp

extension PlayerActivity {
    /// The service's state in the views' words.
    init(_ state: PlayerState) {
        self =
            switch state {
            case .idle: .idle
            case .preparing: .preparing
            case .playing: .playing
            case .paused: .paused
            case .fadingOut: .stopping
            case .finished: .finished
            case .failed: .failed
            }
    }
}
