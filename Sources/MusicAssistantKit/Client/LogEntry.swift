/// One line that a client has to say about itself.
public struct LogEntry: Sendable, Hashable, CustomStringConvertible {
    /// How much it matters.
    public enum Level: String, Sendable, Hashable, CaseIterable {
        /// Every command and reply.
        case debug
        /// Connections made and ended.
        case info
        /// Something that a person should look at.
        case warning
    }

    /// How much it matters.
    public let level: Level
    /// What happened; never a token, a password or the arguments of a command.
    public let message: String

    /// Level and message.
    public var description: String { "\(level.rawValue): \(message)" }
}
