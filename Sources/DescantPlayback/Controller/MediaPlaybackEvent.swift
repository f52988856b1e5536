public import DescantCore
public import Foundation

/// Something that happened at a controller.
public enum MediaPlaybackEvent: Sendable, Hashable {
    /// An engine was made.
    case engineCreated(String)
    /// Another engine is selected.
    case engineSelected(String, previous: String?)
    /// The engine that was selected cannot be used, and another one takes its place. What was selected is remembered.
    case engineFellBack(from: String, to: String, reason: String)
    /// A start has failed, and this engine could play instead.
    case engineOffered(String, insteadOf: String, reason: String)
    /// Other content was loaded.
    case contentLoaded(MediaContent)
    /// Sound comes out.
    case started
    /// Playing was frozen, by a person or for a cause of the session.
    case paused(AudioSessionCause?)
    /// Playing was ended.
    case stopped
    /// The content was heard to its end.
    case finished
    /// The position changed other than by playing; seconds from the beginning.
    case didSeek(to: TimeInterval)
    /// Something went wrong; the text is for a person.
    case failed(String)
    /// The sound server went away while something was played.
    case outputLost(reason: String)
    /// Playing goes on where the sound server was lost.
    case outputRestored
}
