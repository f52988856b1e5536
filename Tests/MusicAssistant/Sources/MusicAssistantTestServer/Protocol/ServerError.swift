/// An error reply: the code and the message.
public struct ServerError: Error, Sendable, Hashable {
    /// The code, such as 2 for media that was not found.
    public var code: Int
    /// The message; some replies of real servers have none.
    public var details: String?

    /// Creates an error reply.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - details: The message.
    public init(_ code: Int, _ details: String?) {
        self.code = code
        self.details = details
    }

    static let authenticationRequired = ServerError(20, "Authentication required. Please send auth command first.")
    static let invalidToken = ServerError(23, "Invalid or expired token")
    static func mediaNotFound(_ details: String) -> ServerError { ServerError(2, details) }
    static func invalidCommand(_ command: String) -> ServerError { ServerError(12, "Invalid command: \(command)") }
    static func notAvailable(player: String) -> ServerError { ServerError(10, "Player \(player) is not available") }
    static func notAvailable(queue: String) -> ServerError { ServerError(10, "Queue \(queue) is not available") }
}
