/// One line of a transcript.
enum TranscriptStep: Sendable, Hashable {
    /// What the server sends: a message with the client's identifier in it, or an event.
    case serverSends(JSON)
    /// What the client sends.
    case clientSends(name: String, messageID: String)
    /// What the client sends that is no command.
    case clientSendsText
    /// The end, by the server when it comes right after something that it sent.
    case close(code: Int)
}
