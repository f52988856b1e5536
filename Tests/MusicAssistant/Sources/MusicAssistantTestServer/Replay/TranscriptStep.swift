/// One line of a transcript.
enum TranscriptStep: Sendable, Hashable {
    /// The server sends a message with the client's identifier, or an event.
    case serverSends(JSON)
    /// The client sends a command.
    case clientSends(name: String, messageID: String)
    /// The client sends text that is not a command.
    case clientSendsText
    /// The connection is closed; by the server if the step follows one of the server.
    case close(code: Int)
}
