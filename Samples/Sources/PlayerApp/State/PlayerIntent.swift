public import Foundation

/// What a person wants, as views report it.
public enum PlayerIntent: Sendable, Equatable {
    /// Pause or go on.
    case togglePause
    /// Move within the track by seconds.
    case seek(TimeInterval)
    /// The next track.
    case next
    /// The previous track.
    case previous
    /// Change the volume by a difference, in 0…1.
    case changeVolume(Double)
    /// Pause the overlay or let it go on.
    case toggleOverlay
    /// Move the selection in the playlist by lines.
    case moveSelection(Int)
    /// Play the selected track.
    case playSelection
    /// Show the keys or hide them.
    case toggleHelp
    /// Leave.
    case quit
}
