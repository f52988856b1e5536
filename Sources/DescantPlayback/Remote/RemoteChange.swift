public import Foundation

/// A reason to tell remote controls something.
public enum RemoteChange: Sendable, Hashable {
    /// Something of what ``RemoteControllable/nowPlaying()`` says may have changed.
    case updated
    /// The current track goes on from another position, in seconds, other than by playing.
    case jumped(to: TimeInterval)
}
