/// One message of a client's log.
public struct LogEntry: Sendable, Hashable, CustomStringConvertible {
    /// The importance of a message.
    public enum Level: String, Sendable, Hashable, CaseIterable {
        /// Commands and replies.
        case debug
        /// Connections made and ended.
        case info
        /// A problem that a user should know of.
        case warning
    }

    /// The importance of the message.
    public let level: Level
    /// The text. It never contains a token, a password or the arguments of a command.
    public let message: String

    /// Level and message.
    public var description: String { "\(level.rawValue): \(message)" }
}
