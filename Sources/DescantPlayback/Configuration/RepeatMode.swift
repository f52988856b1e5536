/// What happens at the natural end of a track or of the playlist.
///
/// Moves that a person asks for (`nextTrack()`, `previousTrack()`, `jumpToTrack(at:)`) always leave the track.
public enum RepeatMode: String, Sendable, Hashable, Codable, CaseIterable {
    /// The playlist is played once.
    case off
    /// The present track is played again.
    case singleTrack
    /// The first track follows the last one.
    case playlist
}
