public import DescantPlayback

extension PlayerState {
    /// Whether a player in this state may be in another one next, by the documented changes of state.
    ///
    /// A test of a host asks it for each pair of neighbours in `AudioPlayerService.stateUpdates`.
    public func mayBecome(_ next: PlayerState) -> Bool {
        switch (self, next) {
        case (_, .finished), (_, .idle): true
        case (.idle, .preparing), (.finished, .preparing), (.failed, .preparing): true
        case (.preparing, .playing), (.preparing, .paused), (.preparing, .failed): true
        case (.playing, .paused), (.playing, .fadingOut), (.playing, .failed), (.playing, .preparing): true
        case (.paused, .playing), (.paused, .failed), (.paused, .preparing): true
        case (.fadingOut, .failed): true
        default: false
        }
    }
}
