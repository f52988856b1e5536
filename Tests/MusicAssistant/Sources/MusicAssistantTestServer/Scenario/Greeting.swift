/// What the server says first.
public enum Greeting: Sendable, Hashable {
    /// Its description of itself, as real ones do.
    case description
    /// This text instead.
    case text(String)
    /// Nothing.
    case nothing
}
