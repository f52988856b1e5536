public import Foundation

/// What the connection to a server is doing.
public enum ConnectionState: Sendable {
    /// There is none, and nobody asked for one.
    case disconnected
    /// The first attempt after ``MusicAssistantClient/connect()``.
    case connecting
    /// It works; with a token, the server has accepted it.
    case connected(serverInfo: ServerInfo)
    /// It broke. The client waits `delay` seconds, then makes attempt number `attempt` (from 1), and so on.
    case reconnecting(attempt: Int, delay: TimeInterval)
    /// There is none, and the client has given up: what was subscribed has ended. ``MusicAssistantClient/connect()`` and
    /// ``MusicAssistantClient/login(username:password:deviceName:)`` begin anew.
    case failed(error: any Error)

    /// Whether commands can be sent.
    public var isConnected: Bool {
        if case .connected = self { true } else { false }
    }

    /// Whether there is no connection and nobody asked for one.
    public var isDisconnected: Bool {
        if case .disconnected = self { true } else { false }
    }

    /// Whether the connection broke and is to be made again.
    public var isReconnecting: Bool {
        if case .reconnecting = self { true } else { false }
    }
}
