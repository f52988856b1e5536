public import Foundation

/// A connection to a Music Assistant server: commands, events, and the current players and queues.
///
/// <!-- snippet: Tests/MusicAssistant/Examples/RemotePlayers/QuickStart.swift -->
/// ```swift
/// func quickStart() async throws {
///     let client = MusicAssistantClient(host: "192.168.1.100", port: 8095)
///     try await client.connect()
///     try await client.login(username: "me", password: "secret")
///
///     try await client.play(playerId: "media_player.kitchen")
///     let results = try await client.search(query: "Beatles", limit: 25)
///     print(results.tracks.map(\.name))
///
///     await client.disconnect()
/// }
/// ```
///
/// After a loss the client reconnects and logs in again, until ``disconnect()``. Commands that wait for a reply fail at
/// once, so that their caller decides. Every command ends exactly once: with its result, an error, the time limit or the
/// cancellation of the calling task. Every method can be called from any task.
public actor MusicAssistantClient {
    /// The newest protocol that this client was written for; newer servers work as long as they support it.
    public static let schemaVersion = 29

    nonisolated let core: ClientCore

    /// Creates a client of the server at an address.
    ///
    /// - Parameters:
    ///   - url: Such as `ws://192.168.1.100:8095/ws`. Also `wss`, `http` and `https`; without a port 8095, or 443 with TLS;
    ///     without a path `/ws`. The address is checked by ``connect()``.
    ///   - configuration: Token, time limits, reconnecting, log.
    #if !MusicAssistant
    @available(*, unavailable, message: "enable the trait: .package(…, traits: [\"MusicAssistant\"])")
    #endif
    public init(url: URL, configuration: ClientConfiguration = ClientConfiguration()) {
        core = ClientCore(
            address: Result { () throws(MusicAssistantError) in try ServerAddress(url: url) },
            configuration: configuration)
    }

    /// Creates a client of the server on a host.
    ///
    /// - Parameters:
    ///   - host: A name or an address.
    ///   - port: The server's port.
    ///   - configuration: Token, time limits, reconnecting, log.
    #if !MusicAssistant
    @available(*, unavailable, message: "enable the trait: .package(…, traits: [\"MusicAssistant\"])")
    #endif
    public init(host: String, port: Int = 8095, configuration: ClientConfiguration = ClientConfiguration()) {
        core = ClientCore(
            address: Result { () throws(MusicAssistantError) in try ServerAddress(host: host, port: port) },
            configuration: configuration)
    }

    deinit { core.abandon() }

    // MARK: Connection

    /// Whether commands can be sent.
    public var isConnected: Bool { core.connection.isConnected }

    /// The state of the connection.
    public var connectionState: ConnectionState { core.connection }

    /// The present state of the connection, then every change. The sequence ends with ``disconnect()`` or after
    /// ``ConnectionState/failed(error:)``.
    public nonisolated var connectionStates: AsyncStream<ConnectionState> { core.states }

    /// The server's greeting of the present connection; nil without a connection.
    public var serverInfo: ServerInfo? {
        if case .connected(let info) = core.connection { info } else { nil }
    }

    /// Connects, and logs in with the token of the configuration or of the last login. There is no token after
    /// ``logout()``.
    ///
    /// Returns at once when there is a connection, joins an attempt under way, and ends the delay before the next one. When
    /// a joined attempt to reconnect fails, one more is made, since the server may have come back meanwhile. The first
    /// attempt is not repeated; the client reconnects only after a connection that worked.
    ///
    /// - Throws: ``MusicAssistantError``: ``MusicAssistantError/connectionFailed(underlying:)`` when there is no server,
    ///   ``MusicAssistantError/tokenRejected(reason:)``, ``MusicAssistantError/setupRequired``,
    ///   ``MusicAssistantError/unsupportedServer(minimumSchema:)``, ``MusicAssistantError/invalidURL(_:)``;
    ///   ``MusicAssistantError/notConnected`` when ``disconnect()`` is called meanwhile; `CancellationError` when the
    ///   calling task is cancelled.
    public nonisolated func connect() async throws { try await core.connect() }

    /// Ends the connection for good; `connect()` makes a new one.
    ///
    /// Calls that wait fail with ``MusicAssistantError/notConnected``, and event sequences end. When this returns, every
    /// task and socket of the client has ended. Calling it again does nothing.
    public nonisolated func disconnect() async { await core.disconnect() }

    // MARK: Login

    /// Logs in with name and password, and keeps the token for later connections. Waits for a connection attempt under way,
    /// and connects when the client has given up.
    ///
    /// - Parameters:
    ///   - username: The user's name.
    ///   - password: The user's password; it is not kept.
    ///   - deviceName: The name under which the server lists the login.
    /// - Returns: The token, valid for 30 days since its last use; ``TokenFile`` stores it.
    /// - Throws: ``MusicAssistantError/loginFailed(reason:)`` when the server refuses.
    @discardableResult
    public nonisolated func login(username: String, password: String, deviceName: String? = nil) async throws
        -> AccessToken
    {
        try await core.login(username, password, deviceName)
    }

    /// Logs in with a token, and keeps it for later connections.
    ///
    /// - Parameter token: The token of ``login(username:password:deviceName:)`` or ``createToken(name:)``.
    /// - Returns: The user who is logged in.
    /// - Throws: ``MusicAssistantError/tokenRejected(reason:)`` when the server refuses.
    @discardableResult
    public nonisolated func authenticate(token: AccessToken) async throws -> MusicAssistantUser? {
        try await core.authenticate(token)
    }

    // MARK: Events, players and queues

    /// The events of the server.
    public nonisolated var events: EventPublisher { core.events }

    /// The players as they are now.
    public nonisolated var players: LiveCollection<MusicAssistantPlayer> { core.mirrors.players }

    /// The queues as they are now.
    public nonisolated var queues: LiveCollection<PlayerQueue> { core.mirrors.queues }

    /// The current position of a queue in its present item, in seconds; nil when the queue is not known.
    ///
    /// Computed from ``queues``, on the server's clock.
    ///
    /// - Parameter queueId: The queue.
    public nonisolated func position(queueId: String) -> Double? {
        core.mirrors.queues[queueId]?.position(at: serverDate)
    }

    /// The present date on the server's clock, for ``PlayerQueue/position(at:)``. Until the first connection it is the client's
    /// own date; then it also stays right when the client's clock is set.
    public nonisolated var serverDate: Date { core.mirrors.serverDate }

    // MARK: Any command

    /// Sends any command and waits for its result; partial results are joined.
    ///
    /// - Parameters:
    ///   - command: The command, such as `players/all`.
    ///   - args: The arguments by name.
    /// - Returns: The result; nil for commands without one.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func sendCommand(command: String, args: [String: JSONValue]? = nil) async throws -> JSONValue? {
        let result = try await send(command, args ?? [:])
        return result.isNull ? nil : result
    }

    /// Sends any command and waits for its result; partial results are joined.
    ///
    /// - Parameters:
    ///   - command: The command, such as `players/all`.
    ///   - args: The arguments by name.
    ///   - timeout: How long to wait; nil for the time in the configuration.
    /// - Returns: The result; `null` for commands without one.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    @discardableResult
    public nonisolated func send(_ command: String, _ args: [String: JSONValue] = [:], timeout: Duration? = nil)
        async throws -> JSONValue
    {
        try await core.session().send(command, args, limit: timeout)
    }

    /// Sends any command and returns the parts of its result as they arrive.
    ///
    /// - Parameters:
    ///   - command: The command, such as `music/playlists/playlist_tracks`.
    ///   - args: The arguments by name.
    ///   - timeout: How long the whole result may take; nil for the time in the configuration.
    ///   - buffer: The maximum number of unread parts; one more ends the sequence with
    ///     ``MusicAssistantError/resultsOverflowed(command:)``.
    /// - Returns: The parts, in order.
    /// - Throws: ``MusicAssistantError/notConnected``; the sequence throws the other errors.
    public nonisolated func stream(
        _ command: String, _ args: [String: JSONValue] = [:], timeout: Duration? = nil, buffer: Int = 64
    ) throws -> AsyncThrowingStream<[JSONValue], any Error> {
        try core.session().stream(command, args, limit: timeout, buffer: buffer)
    }
}
