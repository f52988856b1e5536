public import Foundation

/// When a player falls asleep.
public enum SleepTimer: Sendable, Hashable {
    /// After so many seconds that were heard; time stands still while the player is paused or has nothing to play.
    case after(TimeInterval)
    /// At the natural end of the track that is being played; nothing follows it.
    case endOfTrack
}
