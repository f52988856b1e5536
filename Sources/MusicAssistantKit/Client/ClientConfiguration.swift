/// The settings of a client.
public struct ClientConfiguration: Sendable {
    /// The token with which the client logs in on every connection; nil for none.
    public var token: AccessToken?
    /// How long a command waits for its reply, unless the call says otherwise.
    public var commandTimeout: Duration
    /// The time limit of each step of a connection attempt: name resolution, TCP, TLS, upgrade and greeting.
    public var connectTimeout: Duration
    /// The delays before attempts to reconnect.
    public var reconnect: ReconnectPolicy
    /// The time without received bytes after which the client sends a ping; nil for no pings.
    public var pingInterval: Duration?
    /// The time without received bytes after a ping, after which the connection counts as lost.
    public var pongTimeout: Duration
    /// The maximum number of unread events of a subscriber. Then the oldest are dropped, and their number is reported.
    public var eventBuffer: Int
    /// Whether ``MusicAssistantClient/players`` and ``MusicAssistantClient/queues`` are kept current; costs two commands a
    /// connection.
    public var keepsMirrors: Bool
    /// Makes `wss` connections; see the module MusicAssistantTLS.
    public var security: TransportSecurity?
    /// Receives log entries. It is called on network threads and must not block.
    public var logger: (@Sendable (LogEntry) -> Void)?
    /// The clock for time limits and positions.
    public var clock: any ClientClock

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - token: The token with which the client logs in on every connection; nil for none.
    ///   - commandTimeout: How long a command waits for its reply.
    ///   - reconnect: The delays before attempts to reconnect.
    ///   - security: Makes `wss` connections.
    ///   - logger: Receives log entries.
    public init(
        token: AccessToken? = nil, commandTimeout: Duration = .seconds(30), reconnect: ReconnectPolicy = .init(),
        security: TransportSecurity? = nil, logger: (@Sendable (LogEntry) -> Void)? = nil
    ) {
        self.token = token
        self.commandTimeout = commandTimeout
        self.connectTimeout = .seconds(10)
        self.reconnect = reconnect
        self.pingInterval = .seconds(20)
        self.pongTimeout = .seconds(10)
        self.eventBuffer = 256
        self.keepsMirrors = true
        self.security = security
        self.logger = logger
        self.clock = SystemClock()
    }
}
