/// What the player does, in the words that views show.
public enum PlayerActivity: String, Sendable, Equatable {
    /// Nothing is loaded.
    case idle
    /// A track is being opened.
    case preparing
    /// Sound comes out.
    case playing
    /// Frozen.
    case paused
    /// Fading out.
    case stopping
    /// Everything was played.
    case finished
    /// Nothing can be played.
    case failed
}
