/// The first message of the server.
public enum Greeting: Sendable, Hashable {
    /// The description of the server, as real servers send it.
    case description
    /// This text.
    case text(String)
    /// Nothing.
    case nothing
}
