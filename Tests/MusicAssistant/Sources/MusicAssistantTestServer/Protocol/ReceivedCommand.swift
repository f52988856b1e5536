/// A command that a client sent.
public struct ReceivedCommand: Sendable, Hashable {
    /// The connection, counted from 0 since the server was made.
    public var connection: Int
    /// The client's identifier of the message; numbers as text, as the server returns them.
    public var messageID: String
    /// The command, such as `players/all`.
    public var name: String
    /// The arguments.
    public var arguments: [String: JSON]
}
