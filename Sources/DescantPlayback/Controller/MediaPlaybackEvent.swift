public import DescantCore
public import Foundation

/// Something that happened at a controller.
public enum MediaPlaybackEvent: Sendable, Hashable {
    /// An engine was made.
    case engineCreated(String)
    /// An engine was released; it is made anew when it is needed.
    case engineUnloaded(String)
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

/// What can go wrong at a controller, beside the `CoreError`s of its engines.
public enum MediaPlaybackError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no engine that can be used; the text says why each cannot.
    case noEngine(reason: String)
    /// The engine cannot be used; the text says why, and what to do.
    case engineUnavailable(String, reason: String)
    /// Nothing was given to play.
    case noContent
    /// There is no section of this number.
    case noSection(Int, count: Int)
    /// The start failed, three times if that made sense.
    case startFailed(engine: String, reason: String)

    /// What happened, for a person.
    public var description: String {
        switch self {
        case .noEngine(let reason): "there is no engine to play with: \(reason)"
        case .engineUnavailable(let engine, let reason): "the engine \(engine) cannot be used: \(reason)"
        case .noContent: "there is nothing to play; load content first"
        case .noSection(let number, let count): "there is no section \(number); there are \(count), counted from 0"
        case .startFailed(let engine, let reason): "\(engine) did not start: \(reason)"
        }
    }
}
