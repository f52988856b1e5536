internal import Synchronization

#if MusicAssistant
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOWebSocket

/// One web socket: it carries text messages until one side ends it.
///
/// Nothing is queued here in either direction: messages are handed over on the connection's thread before more is read,
/// and what is to be sent is asked for when the socket takes it.
final class WebSocketLink: Sendable {
    /// Comes when the server has accepted the web socket.
    let opened = OneShot<Void>()
    /// Comes with the reason when the link has ended.
    let closed = OneShot<String>()

    private struct Sockets {
        /// All that were begun: a name may lead to several addresses, tried one after the other.
        var begun: [any Channel] = []
        /// The one that got through.
        var connected: (any Channel)?
    }

    private let owner: Owner
    private let sockets = Mutex(Sockets())
    private let isDrainPending = Atomic(false)
    private let closeRequested = Atomic(false)

    /// Begins to connect; ``opened`` and ``closed`` tell the rest.
    ///
    /// - Parameters:
    ///   - limit: How long TCP may take.
    ///   - resolver: Finds the addresses of names; nil for the system's way.
    init(
        to address: ServerAddress, security: TransportSecurity?, limit: Duration, owner: Owner,
        resolver: (any Resolver & Sendable)? = nil
    ) {
        self.owner = owner
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .resolver(resolver)
            .connectTimeout(.nanoseconds(limit.nanoseconds))
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            // NIO hands on what came with the upgrade's answer a turn of its loop later. An end that was read in the same turn would
            // overtake it, and nobody would learn why a server closed at once.
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

    /// Makes a web socket of the connection that got through; the end of the others means nothing.
    private func setUp(_ channel: any Channel, _ address: ServerAddress, _ security: TransportSecurity?) throws {
        sockets.withLock { $0.connected = channel }
        channel.closeFuture.whenComplete { [self] _ in
            opened.fail(LinkError.closedBeforeUpgrade)
            end("the connection ended without a word")
        }
        if closeRequested.load(ordering: .acquiring) { throw LinkError.closedBeforeUpgrade }
        try security?.secure(channel, address.host)
        try upgrade(channel, address, WebSocketHandler(link: self, owner: owner)).whenComplete { [self] result in
            if case .failure(let error) = result { opened.fail(error) }
            if case .success(false) = result { opened.fail(LinkError.noWebSocket) }
        }
    }

    /// The greeting often comes in the packet of the upgrade's answer, so what is left of that goes on to the handler.
    private func upgrade(
        _ channel: any Channel, _ address: ServerAddress, _ handler: sending WebSocketHandler
    ) throws -> EventLoopFuture<Bool> {
        let bound = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        // The library in use takes no more than 32 bits; a message is never longer than the memory that holds it.
        let upgrader = NIOTypedWebSocketClientUpgrader<Bool>(maxFrameSize: Int(UInt32.max)) { channel, _ in
            channel.eventLoop.makeCompletedFuture {
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

    /// Asks the owner for messages to send, soon; any thread.
    func sendSoon() {
        guard let channel = sockets.withLock({ $0.connected }) else { return }
        guard !isDrainPending.exchange(true, ordering: .sequentiallyConsistent) else { return }
        channel.eventLoop.execute { [self] in
            // Cleared before asking: a message that comes meanwhile asks again.
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

    /// Says why the link ends; the first reason stays. Any thread.
    func end(_ reason: String) {
        if closed.succeed(reason) { owner.ended(reason) }
    }

    /// Ends the link at once: the server is told when the socket takes that without waiting. Any thread.
    ///
    /// - Parameter reason: What ``closed`` says, unless the link has ended before.
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

    /// Whether somebody said why the link ends.
    var hasEnded: Bool { closed.isComplete }

    /// Waits until every socket is closed.
    func waitUntilGone() async {
        for channel in sockets.withLock({ $0.begun }) { try? await channel.closeFuture.get() }
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
    let opened = OneShot<Void>()
    let closed = OneShot<String>()
    var hasEnded: Bool { closed.isComplete }

    init(to address: ServerAddress, security: TransportSecurity?, limit: Duration, owner: Owner) {}

    func sendSoon() {}
    func ping() {}
    func close(reason: String) {}
    func waitUntilGone() async {}
}
#endif

extension WebSocketLink {
    /// What a link tells, and asks, its owner; on the connection's thread.
    struct Owner: Sendable {
        /// Takes the UTF-8 text of one message; the bytes are valid during the call only.
        let received: @Sendable (UnsafeRawBufferPointer) -> Void
        /// The next message to send; nil when there is none.
        let nextOutgoing: @Sendable () -> [UInt8]?
        /// Something came, a message or a sign of life.
        let heard: @Sendable () -> Void
        /// The link has ended; called once, with the reason.
        let ended: @Sendable (String) -> Void
    }
}
