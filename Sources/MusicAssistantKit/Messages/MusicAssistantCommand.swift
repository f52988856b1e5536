/// What a client sends: one command with its arguments.
public struct MusicAssistantCommand: Sendable, Hashable {
    /// Tells the reply from other replies.
    public let messageId: Int
    /// The command, such as `players/all`.
    public let command: String
    /// The arguments by name; they keep their types.
    public let args: [String: JSONValue]?

    /// Creates a command.
    ///
    /// - Parameters:
    ///   - messageId: Tells the reply from other replies.
    ///   - command: The command.
    ///   - args: The arguments by name; nil for none.
    public init(messageId: Int, command: String, args: [String: JSONValue]? = nil) {
        self.messageId = messageId
        self.command = command
        self.args = args
    }

    /// The text that goes over the wire. The number is sent as text, as servers send it back as text.
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
