internal import Synchronization

#if MusicAssistant
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOWebSocket

/// One web socket for text messages.
///
/// The link queues nothing in either direction: it delivers messages on the connection's thread before it reads more, and
/// it requests messages to send only while the socket is writable.
final class WebSocketLink: Sendable {
    /// Set when the server has accepted the web socket.
    let opened = Promise<Void>()
    /// Set to the reason when the link has ended.
    let closed = Promise<String>()

    private struct Sockets {
        /// All sockets that were opened; the addresses of a name are tried one after the other.
        var begun: [any Channel] = []
        /// The socket that was connected.
        var connected: (any Channel)?
    }

    private let owner: Owner
    private let sockets = Mutex(Sockets())
    private let isDrainPending = Atomic(false)
    private let closeRequested = Atomic(false)

    /// Begins to connect; see ``opened`` and ``closed`` for the result.
    ///
    /// - Parameters:
    ///   - limit: The time limit of the TCP connection.
    ///   - resolver: Finds the addresses of names; nil for the system's resolver.
    init(
        to address: ServerAddress, security: TransportSecurity?, limit: Duration, owner: Owner,
        resolver: (any Resolver & Sendable)? = nil
    ) {
        self.owner = owner
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .resolver(resolver)
            .connectTimeout(.nanoseconds(limit.nanoseconds))
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            // NIO delivers bytes behind the upgrade's answer in the next turn of its loop. An end of the connection that
            // was read in the same turn would be delivered first, and the reason of the server would be lost.
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelInitializer { [self] channel in channel.eventLoop.makeCompletedFuture { try begin(channel) } }
        bootstrap.connect(host: address.host, port: address.port).flatMapThrowing { [self] channel in
            try setUp(channel, address, security)
        }.whenFailure { [self] error in
            opened.fail(error)
            close(reason: "\(error)")
        }
    }

    private func begin(_ channel: any Channel) throws {
        sockets.withLock { $0.begun.append(channel) }
        if closeRequested.load(ordering: .acquiring) { throw LinkError.closedBeforeUpgrade }
    }

    /// Upgrades the connected socket to a web socket; the end of the others is ignored.
    private func setUp(_ channel: any Channel, _ address: ServerAddress, _ security: TransportSecurity?) throws {
        sockets.withLock { $0.connected = channel }
        channel.closeFuture.whenComplete { [self] _ in
            opened.fail(LinkError.closedBeforeUpgrade)
            end("the connection ended without a close frame")
        }
        if closeRequested.load(ordering: .acquiring) { throw LinkError.closedBeforeUpgrade }
        try security?.secure(channel, address.host)
        try channel.pipeline.syncOperations.addHandler(ByteListener(heard: owner.heard), position: .first)
        try upgrade(channel, address, WebSocketHandler(link: self, owner: owner)).whenComplete { [self] result in
            if case .failure(let error) = result { opened.fail(error) }
            if case .success(false) = result { opened.fail(LinkError.noWebSocket) }
        }
    }

    /// The greeting often arrives in the packet of the upgrade's answer, so the remaining bytes are passed to the handler.
    private func upgrade(
        _ channel: any Channel, _ address: ServerAddress, _ handler: sending WebSocketHandler
    ) throws -> EventLoopFuture<Bool> {
        let bound = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        // The library accepts 32 bits at most; a message is never longer than the memory that holds it.
        let upgrader = NIOTypedWebSocketClientUpgrader<Bool>(maxFrameSize: Int(UInt32.max)) { [owner] channel, head in
            owner.accepted(head.headers.first(name: "Date"))
            return channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(bound.value)
                return true
            }
        }
        let head = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: address.path, headers: ["Host": address.authority])
        var configuration = NIOUpgradableHTTPClientPipelineConfiguration(
            upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
                upgradeRequestHead: head, upgraders: [upgrader],
                notUpgradingCompletionHandler: { channel in
                    channel.close(promise: nil)
                    return channel.eventLoop.makeSucceededFuture(false)
                }))
        configuration.leftOverBytesStrategy = .forwardBytes
        return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(configuration: configuration)
    }

    // MARK: Sending

    /// Schedules a request to the owner for messages to send; any thread.
    func sendSoon() {
        guard let channel = sockets.withLock({ $0.connected }) else { return }
        guard !isDrainPending.exchange(true, ordering: .sequentiallyConsistent) else { return }
        channel.eventLoop.execute { [self] in
            // Cleared before the request, so that a message added during it schedules another one.
            isDrainPending.store(false, ordering: .sequentiallyConsistent)
            channel.pipeline.fireUserInboundEventTriggered(WebSocketHandler.Request.drain)
        }
    }

    /// Sends a ping; any thread.
    func ping() {
        guard let channel = sockets.withLock({ $0.connected }) else { return }
        channel.pipeline.fireUserInboundEventTriggered(WebSocketHandler.Request.ping)
    }

    // MARK: Ending

    /// Sets the reason why the link ends, unless one is set. Any thread.
    func end(_ reason: String) {
        if closed.succeed(reason) { owner.ended(reason) }
    }

    /// Ends the link at once. A close frame is sent if the socket accepts it without waiting. Any thread.
    ///
    /// - Parameter reason: The value of ``closed``, unless the link has ended before.
    func close(reason: String) {
        closeRequested.store(true, ordering: .releasing)
        let channels = sockets.withLock { $0.begun }
        opened.fail(LinkError.closedBeforeUpgrade)
        end(reason)
        for channel in channels {
            channel.eventLoop.execute {
                channel.pipeline.fireUserInboundEventTriggered(WebSocketHandler.Request.sayGoodbye)
                channel.close(promise: nil)
            }
        }
    }

    /// Whether the reason of the end is set.
    var hasEnded: Bool { closed.isComplete }

    /// Waits until every socket is closed.
    func waitUntilGone() async {
        for channel in sockets.withLock({ $0.begun }) { try? await channel.closeFuture.get() }
    }
}

/// Reports that bytes arrived; the first handler of a link's pipeline.
private final class ByteListener: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let heard: @Sendable () -> Void

    init(heard: @escaping @Sendable () -> Void) { self.heard = heard }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        heard()
        context.fireChannelRead(data)
    }
}

extension Duration {
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds.multipliedReportingOverflow(by: 1_000_000_000).overflow
            ? .max : seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
#else
/// The type without the network, for builds without the package trait: there, no client can be created.
final class WebSocketLink: Sendable {
    let opened = Promise<Void>()
    let closed = Promise<String>()
    var hasEnded: Bool { closed.isComplete }

    init(to address: ServerAddress, security: TransportSecurity?, limit: Duration, owner: Owner) {}

    func sendSoon() {}
    func ping() {}
    func close(reason: String) {}
    func waitUntilGone() async {}
}
#endif

extension WebSocketLink {
    /// The callbacks of a link, called on the connection's thread.
    struct Owner: Sendable {
        /// The server has accepted the web socket; with the date in its answer, if there is one.
        let accepted: @Sendable (String?) -> Void
        /// Receives the UTF-8 text of one message; the bytes are valid only during the call.
        let received: @Sendable (UnsafeRawBufferPointer) -> Void
        /// Returns the next message to send; nil when there is none.
        let nextOutgoing: @Sendable () -> [UInt8]?
        /// Bytes arrived. A message may need longer than a server that does not answer is waited for.
        let heard: @Sendable () -> Void
        /// The link has ended; called once, with the reason.
        let ended: @Sendable (String) -> Void
    }
}
