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
