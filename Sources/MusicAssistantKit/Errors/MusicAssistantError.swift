public import Foundation

/// An error of a Music Assistant client or server.
///
/// No case contains a token, a password or a join code.
public enum MusicAssistantError: Error, Sendable {
    /// There is no connection: it was never made, the client gave up, or ``MusicAssistantClient/disconnect()`` ended it.
    case notConnected
    /// The connection was lost and the client reconnects; this is attempt number `attempt`. Nothing was sent.
    case reconnecting(attempt: Int)
    /// No connection could be made.
    case connectionFailed(underlying: any Error)
    /// The connection was lost while the command waited for its reply. Whether the server has run it is not known.
    case connectionLost(reason: String)
    /// No reply arrived within the time limit. Whether the server has run the command is not known.
    case commandTimeout(messageId: CommandReference)
    /// The server refused the command; ``serverCode`` is its number as a typed value.
    case serverError(code: Int?, message: String, details: JSONValue?)
    /// The server refused name and password, or a join code.
    case loginFailed(reason: String)
    /// The token is unknown or revoked. The client does not use it again.
    case tokenRejected(reason: String)
    /// The server is not set up yet: open its web page first.
    case setupRequired
    /// The server supports only newer protocols than this client.
    case unsupportedServer(minimumSchema: Int)
    /// The server sent data that is not a message of the protocol.
    case invalidResponse
    /// A message lacks what identifies its content.
    case decodingFailed(any Error)
    /// The address is not valid; the text says why.
    case invalidURL(String)
    /// A value of the call is invalid; nothing was sent.
    case invalidArgument(String)
    /// Partial results arrived faster than the stream's reader took them.
    case resultsOverflowed(command: String)

    /// The server's error code as a typed value; nil for other errors.
    public var serverCode: ServerErrorCode? {
        switch self {
        case .serverError(let code, _, _): code.map(ServerErrorCode.init(rawValue:)) ?? .generic
        case .tokenRejected: .invalidToken
        case .loginFailed: .loginFailed
        case .setupRequired: .setupRequired
        default: nil
        }
    }
}

extension MusicAssistantError: LocalizedError, CustomStringConvertible {
    /// The same as ``description``.
    public var errorDescription: String? { description }

    /// The problem and its remedy.
    public var description: String {
        switch self {
        case .notConnected: "Not connected to a Music Assistant server; call connect() first"
        case .reconnecting(let attempt):
            "The connection to the Music Assistant server broke and is being made again (attempt \(attempt)); "
                + "connect() waits for it"
        case .connectionFailed(let error): "Connection failed: \(error)"
        case .connectionLost(let reason): "The connection was lost: \(reason)"
        case .commandTimeout(let reference): "Command \(reference) timed out"
        case .serverError(let code, let message, _): "Server error\(code.map { " \($0)" } ?? ""): \(message)"
        case .loginFailed(let reason): "The server refused the login: \(reason)"
        case .tokenRejected(let reason): "The server refused the token: \(reason); log in again"
        case .setupRequired: "The server has no user yet; open its web page and set it up"
        case .unsupportedServer(let schema):
            "The server speaks protocol \(schema) and newer, this client \(MusicAssistantClient.schemaVersion) at most"
        case .invalidResponse: "The server sent data that is not a message of its protocol"
        case .decodingFailed(let error): "Failed to decode a response: \(error)"
        case .invalidURL(let problem): "Invalid address: \(problem)"
        case .invalidArgument(let problem): "Invalid argument: \(problem)"
        case .resultsOverflowed(let command):
            "The partial results of \(command) were not read fast enough; ask for them in one piece"
        }
    }
}
