/// What a server answers to a command that worked, or a part of it.
public struct ResultMessage: Sendable, Hashable {
    /// The number of the command.
    public let messageId: Int
    /// The value; `null` for commands without one.
    public let result: JSONValue
    /// Whether more of the same result follows.
    public let isPartial: Bool
}
