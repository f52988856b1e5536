public import Foundation

/// Something that changed in the player.
public enum PlayerUpdate: Sendable, Equatable {
    /// The player's activity.
    case activity(PlayerActivity)
    /// A track became the present one.
    case track(index: Int)
    /// Something became known of a track.
    case details(index: Int, PlaylistEntry)
    /// Tracks came or went: the playlist as it is now, and the present track's place.
    case playlist([PlaylistEntry], current: Int?)
    /// Where the present track is, in seconds; the duration is `nil` while unknown.
    case position(TimeInterval, duration: TimeInterval?)
    /// The levels of the mix.
    case levels(ChannelLevels)
    /// A crossfade runs; `nil` when it is over.
    case crossfade(CrossfadeProgress?)
    /// Seconds that are left of the running crossfade.
    case crossfadeRemaining(TimeInterval)
    /// What the overlay does; `nil` when there is none.
    case overlay(OverlayStatus?)
    /// The volume, 0…1.
    case volume(Double)
    /// Something that a person should read.
    case notice(Notice)
    /// Nothing follows any more.
    case finished
}
