/// The server's reply to a command that failed.
public struct ErrorResponse: Sendable, Hashable {
    /// The number of the command; nil when the error concerns the connection as a whole.
    public let messageId: Int?
    /// The server's number for the error.
    public let errorCode: ServerErrorCode?
    /// The server's message.
    public let message: String
    /// The details that the server sent.
    public let details: JSONValue?
}
