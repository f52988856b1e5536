/// How a client behaves.
public struct ClientConfiguration: Sendable {
    /// Logs the client in, on every connection.
    public var token: AccessToken?
    /// How long a command waits for its reply, unless the call says otherwise.
    public var commandTimeout: Duration
    /// How long a connection attempt may take: name, TCP, TLS, upgrade and greeting, each of them.
    public var connectTimeout: Duration
    /// When a client that lost its connection tries again.
    public var reconnect: ReconnectPolicy
    /// A ping goes out when nothing has come for so long; nil never asks.
    public var pingInterval: Duration?
    /// The connection counts as lost when nothing comes for so long after a ping.
    public var pongTimeout: Duration
    /// How many events a subscriber may leave unread; the oldest are dropped and reported.
    public var eventBuffer: Int
    /// Whether ``MusicAssistantClient/players`` and ``MusicAssistantClient/queues`` are kept current; costs two commands a
    /// connection.
    public var keepsMirrors: Bool
    /// Makes `wss` connections; see the module MusicAssistantTLS.
    public var security: TransportSecurity?
    /// Gets what the client has to say. It is called on threads of the network and has to return at once.
    public var logger: (@Sendable (LogEntry) -> Void)?
    /// The time.
    public var clock: any ClientClock

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - token: Logs the client in, on every connection.
    ///   - commandTimeout: How long a command waits for its reply.
    ///   - reconnect: When a client that lost its connection tries again.
    ///   - security: Makes `wss` connections.
    ///   - logger: Gets what the client has to say.
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
