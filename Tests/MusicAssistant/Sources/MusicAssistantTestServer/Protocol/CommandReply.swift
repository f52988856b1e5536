/// The reply to a command, before faults are applied.
enum CommandReply: Sendable {
    case result(JSON)
    /// Items that are sent in several messages.
    case items([JSON])
    case failure(ServerError)
}
