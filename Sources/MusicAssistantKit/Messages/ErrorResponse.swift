/// What a server answers to a command that did not work.
public struct ErrorResponse: Sendable, Hashable {
    /// The number of the command; nil when the error concerns the connection as a whole.
    public let messageId: Int?
    /// The server's number for the error.
    public let errorCode: ServerErrorCode?
    /// The server's words for it.
    public let message: String
    /// What the server sent as details.
    public let details: JSONValue?
}
