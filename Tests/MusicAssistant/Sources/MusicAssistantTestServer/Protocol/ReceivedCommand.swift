/// A command that a client sent.
public struct ReceivedCommand: Sendable, Hashable {
    /// The connection, counted from 0 since the server was created.
    public var connection: Int
    /// The client's identifier of the message; numbers are converted to text.
    public var messageID: String
    /// The command, such as `players/all`.
    public var name: String
    /// The arguments.
    public var arguments: [String: JSON]
}
