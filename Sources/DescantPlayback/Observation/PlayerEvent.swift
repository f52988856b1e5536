public import DescantCore
public import Foundation

/// Something that happened while playing.
public struct PlayerEvent: Sendable, Hashable {
    /// How one track follows another.
    public enum Transition: String, Sendable, Hashable, Codable {
        /// Both overlap and fade.
        case crossfade
        /// The first frame of one follows the last frame of the other.
        case gapless
    }

    /// What happened.
    public enum Kind: Sendable, Hashable {
        /// The player does something else now.
        case stateChanged(PlayerState)
        /// A track's first frame sounded. A start does not wait long for tags: later ones are in
        /// ``AudioPlayerService/trackUpdates`` only, and the title here is then the file's name.
        case trackStarted(URL, index: Int, track: TrackInfo)
        /// A track does not sound any more: it ended, was replaced or stopped.
        case trackEnded(URL)
        /// One track begins to follow another; a crossfade takes this many frames, a gapless join 0.
        case transitionStarted(from: URL, to: URL, Transition, frames: Int64)
        /// A crossfade is over.
        case transitionEnded(to: URL)
        /// A track could not be opened and is skipped, or reading it failed.
        case trackFailed(URL, AudioPlayerError)
        /// The track or playlist is being repeated; how many times so far.
        case repeated(count: Int)
        /// The track now sounds from another position, in seconds.
        case positionChanged(to: TimeInterval)
        /// The playlist was edited or replaced and now has this many tracks.
        case playlistChanged(count: Int)
        /// The sleep timer has begun to fade everything out, or the track it waited for has ended.
        case sleepTimerEnded
        /// The last track was heard to its end.
        case playlistEnded
        /// An overlay does something else now.
        case overlayChanged(OverlayID, OverlayState)
        /// A sound effect's first frame sounded.
        case effectStarted(URL)
        /// A sound effect does not sound any more.
        case effectEnded(URL)
        /// A network source fills its buffer, 0…100; playing goes on at 100.
        case buffering(percent: Int)
        /// An event of the mix, unchanged: `outputLost`, `outputRestored` and `outputChanged` of the output, `pluginOverdue`,
        /// and `underrun` of the main layer.
        case mix(MixEvent.Kind)
        /// Something failed outside a call.
        case error(AudioPlayerError)
    }

    /// The frame on the output's timeline; `nil` for what did not happen in the mix.
    public var frame: Int64?
    /// What happened.
    public var kind: Kind

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - frame: The frame on the output's timeline, if it happened in the mix.
    ///   - kind: What happened.
    public init(frame: Int64? = nil, kind: Kind) {
        self.frame = frame
        self.kind = kind
    }
}
