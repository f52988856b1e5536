public import Foundation

/// The state of the connection to a server.
public enum ConnectionState: Sendable {
    /// There is no connection: ``MusicAssistantClient/connect()`` was not called, or the client was disconnected.
    case disconnected
    /// The first attempt after ``MusicAssistantClient/connect()``.
    case connecting
    /// The connection works; if there is a token, the server has accepted it.
    case connected(serverInfo: ServerInfo)
    /// The connection was lost. The client waits `delay` seconds, then makes attempt number `attempt`, counted from 1.
    case reconnecting(attempt: Int, delay: TimeInterval)
    /// The client has given up, and its event sequences have ended. ``MusicAssistantClient/connect()`` and
    /// ``MusicAssistantClient/login(username:password:deviceName:)`` connect again.
    case failed(error: any Error)

    /// Whether commands can be sent.
    public var isConnected: Bool {
        if case .connected = self { true } else { false }
    }

    /// Whether the client is disconnected.
    public var isDisconnected: Bool {
        if case .disconnected = self { true } else { false }
    }

    /// Whether the connection was lost and the client reconnects.
    public var isReconnecting: Bool {
        if case .reconnecting = self { true } else { false }
    }
}
