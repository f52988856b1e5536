internal import Foundation
package import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOWebSocket

/// A server for tests that speaks the protocol of Music Assistant over real sockets.
///
/// It simulates three players and a library, and reacts to commands as a real server does: with events to every client
/// and with the same error codes. A ``Scenario`` sets its behaviour and faults. Every method may be called from any task;
/// the server runs on a separate thread.
///
/// ```swift
/// let server = try await MusicAssistantTestServer.start()
/// // connect to server.url with the token "test-token"
/// try await server.stop()
/// ```
public final class MusicAssistantTestServer: Sendable {
    /// Prepares the channels of connections, for encryption.
    package typealias ChannelPreparation = @Sendable (any Channel) throws -> Void

    /// The port on 127.0.0.1; the same after a restart.
    public let port: Int
    /// Where clients connect, such as `ws://127.0.0.1:40001`.
    public var url: String { "\(prepare == nil ? "ws" : "wss")://127.0.0.1:\(port)" }

    private let group: MultiThreadedEventLoopGroup
    private let core: NIOLoopBound<ServerCore>
    private let listener: NIOLoopBoundBox<(any Channel)?>
    private let prepare: ChannelPreparation?

    /// Starts a server on a free port of 127.0.0.1.
    ///
    /// - Parameters:
    ///   - scenario: The behaviour.
    ///   - port: The port; 0 for any free one.
    /// - Throws: An error of the system when the port is taken.
    public static func start(
        _ scenario: Scenario = Scenario(), port: Int = 0
    ) async throws -> MusicAssistantTestServer {
        try await start(scenario, port: port, preparing: nil)
    }

    /// Starts a server whose connections are prepared first.
    package static func start(
        _ scenario: Scenario, port: Int, preparing: ChannelPreparation?
    ) async throws -> MusicAssistantTestServer {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            let loop = group.next()
            let core = try await loop.submit {
                NIOLoopBound(ServerCore(scenario: scenario, loop: loop), eventLoop: loop)
            }.get()
            let channel = try await bind(port: port, on: loop, core, preparing)
            let listener = try await loop.submit {
                NIOLoopBoundBox<(any Channel)?>(channel, eventLoop: loop)
            }.get()
            return MusicAssistantTestServer(
                port: channel.localAddress?.port ?? port, group: group, core: core, listener: listener,
                prepare: preparing)
        } catch {
            try await group.shutdownGracefully()
            throw error
        }
    }

    private init(
        port: Int, group: MultiThreadedEventLoopGroup, core: NIOLoopBound<ServerCore>,
        listener: NIOLoopBoundBox<(any Channel)?>, prepare: ChannelPreparation?
    ) {
        self.port = port
        self.group = group
        self.core = core
        self.listener = listener
        self.prepare = prepare
    }

    // MARK: Stopping and restarting

    /// Stops the server: ends every connection without a close frame and frees the port.
    public func stop() async throws {
        try await close(saying: nil)
        try await onLoop { core in
            core.cancelTimers()
            core.failWaits()
        }
        try await group.shutdownGracefully()
    }

    /// Stops listening until ``comeBack()``, and ends all connections.
    ///
    /// - Parameter code: The code of the close frame; `nil` for an end without a close frame, as of a server that was
    ///   killed.
    public func goAway(saying code: Int? = 1000) async throws {
        try await close(saying: code)
        try await wait { $0.openConnections == 0 }
    }

    private func close(saying code: Int?) async throws {
        let listener = listener
        let core = core
        let closing = try await group.next().submit { () -> EventLoopFuture<Void>? in
            core.value.isAway = true
            defer { listener.value = nil }
            return listener.value?.close()
        }.get()
        try await closing?.get()
        try await onLoop { core in
            for session in core.sessions.values {
                if let code { session.close(code: code) } else { session.cut() }
            }
            core.flush()
        }
    }

    /// Listens again on the same port; the simulation, the tokens and the counts are kept.
    ///
    /// Another program's outgoing connection may use the port for a moment; the method tries again for some seconds.
    ///
    /// - Parameter isIdle: Whether to simulate a restarted server, whose queues keep their items and do not play.
    /// - Throws: An error of the system when the port was taken meanwhile.
    public func comeBack(idle isIdle: Bool = false) async throws {
        try await onLoop { core in
            if isIdle { core.restartHome() }
            core.isAway = false
        }
        let channel = try await bindAgain()
        let listener = listener
        try await group.next().submit { listener.value = channel }.get()
    }

    private func bindAgain() async throws -> any Channel {
        for _ in 0..<200 {
            do {
                return try await Self.bind(port: port, on: group.next(), core, prepare)
            } catch let error as IOError where error.errnoCode == EADDRINUSE {
                try await group.next().scheduleTask(in: .milliseconds(10)) {}.futureResult.get()
            }
        }
        return try await Self.bind(port: port, on: group.next(), core, prepare)
    }

    /// Stops listening and listens again.
    ///
    /// - Parameters:
    ///   - code: The code of the close frame; `nil` for an end without a close frame.
    ///   - isIdle: Whether all queues are stopped.
    public func restart(saying code: Int? = 1000, idle isIdle: Bool = false) async throws {
        try await goAway(saying: code)
        try await comeBack(idle: isIdle)
    }

    // MARK: Behaviour

    /// Replaces the scenario from the next message or connection on, and resets players, queues and library.
    ///
    /// - Parameter scenario: The new scenario.
    public func setScenario(_ scenario: Scenario) async throws { try await onLoop { $0.begin(scenario) } }

    /// Replaces the faults from the next message or connection on, and keeps players, queues and library.
    ///
    /// - Parameters:
    ///   - replyFaults: The faults of replies.
    ///   - connectionFaults: The faults of connections.
    public func setFaults(_ replyFaults: [ReplyFault] = [], connections connectionFaults: [ConnectionFault] = [])
        async throws
    {
        try await onLoop { $0.setFaults(replyFaults, connectionFaults) }
    }

    /// The current players, queues and library.
    public var home: SimulatedHome { get async throws { try await onLoop { $0.home } } }

    /// Changes players, queues or library as another client would; clients get the events.
    ///
    /// - Parameter body: Makes the change.
    /// - Throws: The error of `body`.
    public func changeHome(_ body: @escaping @Sendable (inout SimulatedHome) throws -> Void) async throws {
        try await onLoop { try $0.changeHome(body) }
    }

    /// Runs a command as if another client had sent it; clients get the events.
    ///
    /// - Parameters:
    ///   - command: The command, such as `players/cmd/pause`.
    ///   - arguments: Its arguments.
    /// - Returns: The result; items of a partial one as a list.
    /// - Throws: ``ServerError`` when the command fails.
    @discardableResult
    public func perform(_ command: String, _ arguments: [String: JSON] = [:]) async throws -> JSON {
        try await onLoop { core in
            defer { core.flush() }
            switch core.perform(command, arguments) {
            case .result(let value): return value
            case .items(let items): return .array(items)
            case .failure(let error): throw error
            }
        }
    }

    /// Sends events to every client that has authenticated.
    ///
    /// - Parameter events: The events, in order.
    public func send(_ events: [ServerEvent]) async throws {
        try await onLoop { core in
            core.broadcast(events)
            core.flush()
        }
    }

    /// Sends text to every client, authenticated or not.
    ///
    /// - Parameter text: Any text; JSON or not.
    public func send(text: String) async throws {
        try await onLoop { core in
            for session in core.sessions.values { session.send(text: text) }
            core.flush()
        }
    }

    /// Sends the replies that ``ReplyFault/Action/hold`` held.
    ///
    /// - Parameter command: The command whose replies to send; `nil` for all.
    public func release(_ command: String? = nil) async throws { try await onLoop { $0.release(command) } }

    /// Revokes a token, and closes the connections that used it, as a real server does.
    ///
    /// - Parameter token: The token.
    public func revoke(_ token: String) async throws { try await onLoop { $0.revoke(token) } }

    /// Ends every connection.
    ///
    /// - Parameter code: The code of the close frame; `nil` for an end without a close frame.
    public func closeConnections(saying code: Int? = nil) async throws {
        try await onLoop { core in
            for session in core.sessions.values {
                if let code { session.close(code: code) } else { session.cut() }
            }
            core.flush()
        }
    }

    // MARK: Recorded commands and counts

    /// The counts so far.
    public var statistics: ServerStatistics { get async throws { try await onLoop { $0.statistics } } }

    /// The newest commands since the start or the last ``forgetCommands()``; at least the last 4096 are kept.
    public var commands: [ReceivedCommand] { get async throws { try await onLoop { $0.recent } } }

    /// Removes the recorded commands; ``statistics`` keeps its counts.
    public func forgetCommands() async throws { try await onLoop { $0.forgetCommands() } }

    /// Waits until a command has arrived a number of times since the start or the last ``forgetCommands()``.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - times: The number of times.
    /// - Throws: An error when the server is stopped or the task is cancelled meanwhile.
    public func waitForCommand(_ command: String, times: Int = 1) async throws {
        try await waitOnLoop { $0.counts[command, default: 0] >= times }
    }

    /// Waits until the counts meet a condition.
    ///
    /// - Parameter condition: The condition; called on the server's thread after each change.
    /// - Throws: An error when the server is stopped or the task is cancelled meanwhile.
    public func wait(until condition: @escaping @Sendable (ServerStatistics) -> Bool) async throws {
        try await waitOnLoop { condition($0.statistics) }
    }

    /// Waits until a number of clients is connected and authenticated.
    ///
    /// - Parameter count: The minimum number of clients.
    /// - Throws: An error when the server is stopped or the task is cancelled meanwhile.
    public func waitForClients(_ count: Int = 1) async throws {
        try await waitOnLoop { core in core.sessions.values.count(where: \.isAuthenticated) >= count }
    }

    private func waitOnLoop(_ condition: @escaping @Sendable (ServerCore) -> Bool) async throws {
        let core = core
        let loop = group.next()
        let id = UUID()
        let cancel: @Sendable () -> Void = { loop.execute { core.value.cancelWait(id) } }
        try await withTaskCancellationHandler {
            let fulfilled = loop.flatSubmit { core.value.wait(id, until: condition) }
            // A task that was cancelled before has told the loop too early.
            if Task.isCancelled { cancel() }
            try await fulfilled.get()
        } onCancel: {
            cancel()
        }
    }

    private func onLoop<Value: Sendable>(_ body: @escaping @Sendable (ServerCore) throws -> Value) async throws -> Value
    {
        let core = core
        return try await group.next().submit { try body(core.value) }.get()
    }

    // MARK: Listening

    private static func bind(
        port: Int, on loop: any EventLoop, _ core: NIOLoopBound<ServerCore>, _ prepare: ChannelPreparation?
    ) async throws -> any Channel {
        try await ServerBootstrap(group: loop)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelOption(.maxMessagesPerRead, value: 4)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try prepare?(channel)
                    try configure(channel, core)
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
    }

    private static func configure(_ channel: any Channel, _ bound: NIOLoopBound<ServerCore>) throws {
        let core = bound.value
        let number = core.nextConnection()
        let faults = core.scenario.connectionFaults.filter { $0.connection == nil || $0.connection == number }
            .map(\.action)
        let refusal = faults.compactMap { if case .refuse(let status) = $0 { status } else { nil } }.first
        let wire = NIOLoopBound(
            WireHandler(faults: faults, holdsHandshake: core.scenario.joinsGreetingToHandshake),
            eventLoop: channel.eventLoop)
        let upgrader = NIOWebSocketServerUpgrader(
            maxFrameSize: core.scenario.longestMessage,
            shouldUpgrade: { channel, head in
                let isUpgraded = refusal == nil && head.uri.prefix { $0 != "?" } == "/ws"
                let headers: HTTPHeaders = ["Date": dateHeader(bound.value.scenario.clock())]
                return channel.eventLoop.makeSucceededFuture(isUpgraded ? headers : nil)
            },
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture {
                    let session = ClientConnection(
                        number: number, core: bound.value, channel: channel, wire: wire.value)
                    try channel.pipeline.syncOperations.addHandler(SocketHandler(session: session))
                }
            })
        try channel.pipeline.syncOperations.addHandler(wire.value)
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withServerUpgrade: (
                [upgrader],
                { context in context.pipeline.syncOperations.removeHandler(name: endpointName, promise: nil) }
            ))
        try channel.pipeline.syncOperations.addHandler(
            HTTPEndpoint(core: core, refusal: refusal), name: endpointName)
    }

    /// A time in seconds since 1970 as the header `Date` has it.
    private static func dateHeader(_ time: Double) -> String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = .gmt
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.string(from: Date(timeIntervalSince1970: time))
    }

    private static let endpointName = "HTTPEndpoint"
}
