/// Identifies a command in an error: its number, and its name if known.
public struct CommandReference: Sendable, Hashable, ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// The number of the message.
    public let messageId: Int
    /// The command, such as `players/all`.
    public let command: String?
    /// The time limit of the command.
    public let limit: Duration?

    /// Creates a reference.
    ///
    /// - Parameters:
    ///   - messageId: The number of the message.
    ///   - command: The command.
    ///   - limit: The time limit of the command.
    public init(messageId: Int, command: String? = nil, limit: Duration? = nil) {
        self.messageId = messageId
        self.command = command
        self.limit = limit
    }

    /// Creates a reference that holds the number only.
    public init(integerLiteral value: Int) { self.init(messageId: value) }

    /// Such as `42 (players/all, 30.0 seconds)`.
    public var description: String {
        let more = [command, limit.map { "\($0)" }].compactMap { $0 }.joined(separator: ", ")
        return more.isEmpty ? "\(messageId)" : "\(messageId) (\(more))"
    }
}
