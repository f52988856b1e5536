public import DescantCore
public import Foundation

/// Something that changed in the player.
public enum PlayerUpdate: Sendable, Equatable {
    /// The player's activity.
    case activity(PlayerActivity)
    /// A track became the present one.
    case track(index: Int)
    /// What the present track, a station, plays now; `nil` for another track, and while it is unknown.
    case song(String?)
    /// Something became known of a track.
    case details(index: Int, PlaylistEntry)
    /// Something became known of several tracks, by their places.
    case manyDetails([Int: PlaylistEntry])
    /// Tracks came or went: the playlist, the present track's place, and the number of the last change that the list contains, 0 without any.
    case playlist([PlaylistEntry], current: Int?, edit: Int)
    /// Another program changes the playlist.
    case playlistChangesElsewhere
    /// Where the present track is, in seconds; the duration is `nil` while unknown.
    case position(TimeInterval, duration: TimeInterval?)
    /// The levels of the mix.
    case levels(ChannelLevels)
    /// The spectrum of the mix: the level of each band in dB, from the lowest up.
    case spectrum([Float])
    /// A crossfade runs; `nil` when it is over.
    case crossfade(CrossfadeStatus?)
    /// Seconds that are left of the running crossfade.
    case crossfadeRemaining(TimeInterval)
    /// The overlay's state; `nil` when there is none.
    case overlay(OverlayStatus?)
    /// The volume, 0…1.
    case volume(Double)
    /// How the playlist is played.
    case modes(PlaybackModes)
    /// Seconds until the sleep timer ends playback; `nil` while unknown.
    case sleepRemaining(TimeInterval?)
    /// The chapters of the present track, in order; empty without any.
    case chapters([Chapter])
    /// The words of the present track; `nil` without any.
    case lyrics(Lyrics?)
    /// The cover of the present track; `nil` without one.
    case cover(CoverArt?)
    /// Where sound goes.
    case output(OutputStatus)
    /// What has paused the player, such as a call; `nil` when nothing has, or a person.
    case pauseReason(String?)
    /// A message to the person.
    case notice(Notice)
    /// A message about this subject is no longer true.
    case noticeOver(Notice.Topic)
    /// Playback has ended without a command; the player waits for one.
    case ended(PlaybackEnding)
    /// The last update.
    case finished
}

/// Why playback has ended without a command.
public enum PlaybackEnding: Sendable, Equatable {
    /// Everything was played.
    case played
    /// The sleep timer has stopped the player, within a track, which goes on from there, or at its end.
    case sleepTimer(isWithinTrack: Bool)
    /// Nothing more can be played, for a reason that is one line for a person.
    case failure(String)
}

/// The player's activity, with the words that views show.
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
    /// A person has stopped it.
    case stopped
    /// Everything was played.
    case finished
    /// Nothing can be played.
    case failed
}

/// Peak and RMS of the mix, linear, one element a channel.
public struct ChannelLevels: Sendable, Equatable {
    /// The maximum magnitude.
    public var peak: [Float]
    /// The root of the mean square.
    public var rms: [Float]

    /// Creates levels.
    ///
    /// - Parameters:
    ///   - peak: The maximum magnitude, a channel each.
    ///   - rms: The root of the mean square, a channel each.
    public init(peak: [Float], rms: [Float]) {
        self.peak = peak
        self.rms = rms
    }
}

/// A running crossfade.
public struct CrossfadeStatus: Sendable, Equatable {
    /// Seconds that are left.
    public var remaining: TimeInterval
    /// Seconds in all.
    public var duration: TimeInterval

    /// Creates a status.
    ///
    /// - Parameters:
    ///   - remaining: Seconds that are left.
    ///   - duration: Seconds in all.
    public init(remaining: TimeInterval, duration: TimeInterval) {
        self.remaining = remaining
        self.duration = duration
    }

    /// The share that has passed, 0…1.
    public var share: Double { duration > 0 ? min(1, max(0, 1 - remaining / duration)) : 1 }
}

/// The overlay's state, for views.
public struct OverlayStatus: Sendable, Equatable {
    /// The sound's name.
    public var name: String
    /// Whether it sounds.
    public var isPlaying: Bool
    /// Its volume, 0…1.
    public var volume: Double

    /// Creates a status.
    ///
    /// - Parameters:
    ///   - name: The sound's name.
    ///   - isPlaying: Whether it sounds.
    ///   - volume: Its volume, 0…1.
    public init(name: String, isPlaying: Bool, volume: Double) {
        self.name = name
        self.isPlaying = isPlaying
        self.volume = volume
    }
}
