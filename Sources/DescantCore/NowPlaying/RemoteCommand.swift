public import Foundation

/// What a remote control asks for.
public enum RemoteCommand: Sendable, Hashable {
    /// Plays, or goes on; starts the present track again after a stop.
    case play
    /// Freezes.
    case pause
    /// Pauses what plays, and plays otherwise.
    case togglePlayPause
    /// Ends playing.
    case stop
    /// Moves on to the next track; paused stays paused.
    case next
    /// Moves back to the previous track; paused stays paused.
    case previous
    /// Moves by seconds, negative for backwards; stops at the beginning, and moves on to the next track past the end.
    case seek(by: TimeInterval)
    /// Moves to a position in seconds; without effect unless the track is the current one, `nil` for whichever it is.
    case seekTo(TimeInterval, of: NowPlayingTrack.ID?)
    /// Sets the speed; 1 is normal. What is out of range is clamped.
    case setRate(Double)
    /// Sets the volume, linear; what is out of 0…1 is clamped.
    case setVolume(Double)
    /// Decides what happens at the natural end.
    case setRepeat(NowPlaying.Repeat)
    /// Plays in a random order, or as the tracks lie.
    case setShuffle(Bool)
    /// Adds a file or stream to the tracks and plays it.
    case open(URL)
    /// Adds a track behind another one, `nil` for the beginning; makes it the current one if asked to.
    case addTrack(URL, after: NowPlayingTrack.ID?, makeCurrent: Bool)
    /// Removes a track.
    case removeTrack(NowPlayingTrack.ID)
    /// Makes a track the current one.
    case goTo(NowPlayingTrack.ID)
    /// Plays a playlist.
    case activatePlaylist(NowPlayingPlaylist.ID)
    /// Brings the program's window to the front.
    case raise
    /// Ends the program.
    case quit
}
