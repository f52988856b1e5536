/// A command with its arguments.
public struct MusicAssistantCommand: Sendable, Hashable {
    /// The number of the command, which its reply contains.
    public let messageId: Int
    /// The command, such as `players/all`.
    public let command: String
    /// The arguments by name; they keep their types.
    public let args: [String: JSONValue]?

    /// Creates a command.
    ///
    /// - Parameters:
    ///   - messageId: The number of the command, which its reply contains.
    ///   - command: The command.
    ///   - args: The arguments by name; nil for none.
    public init(messageId: Int, command: String, args: [String: JSONValue]? = nil) {
        self.messageId = messageId
        self.command = command
        self.args = args
    }

    /// The JSON text to send. The number is sent as text, because servers return it as text.
    public var jsonBytes: [UInt8] {
        var writer = JSONWriter()
        writer.write(raw: "{\"message_id\":\"\(messageId)\",\"command\":")
        writer.write(string: command)
        if let args {
            writer.write(raw: ",\"args\":")
            writer.write(.object(args))
        }
        writer.write(raw: "}")
        return writer.bytes
    }
}
