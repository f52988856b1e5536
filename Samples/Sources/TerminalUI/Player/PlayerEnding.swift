/// Why the player's view ended.
public enum PlayerEnding: Sendable, Equatable {
    /// Everything was played, or nothing could be.
    case finished
    /// It cannot go on; the reason.
    case failed(String)
    /// The person left.
    case quit
    /// A signal asked the program to end.
    case interrupted(Int32)
}
