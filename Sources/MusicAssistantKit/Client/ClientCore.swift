internal import Foundation
internal import Synchronization

/// Connects a client, and reconnects it after a loss.
///
/// One task connects, waits for the end of the connection and reconnects. It belongs to the `connect()` that began it and
/// has ended when `disconnect()` returns. The client's `deinit` also ends the task.
final class ClientCore: Sendable {
    private struct State {
        var connection = ConnectionState.disconnected
        /// The number of the current `connect()`; tasks of earlier ones no longer change the state.
        var generation = 0
        /// The number of calls of `disconnect()`.
        var disconnects = 0
        var task: Task<Void, Never>?
        var session: Session?
        /// The result that callers of `connect()` wait for.
        var outcome: Promise<Void>?
        /// Ends the wait before the next attempt.
        var wakeUp: Promise<Void>?
        var token: AccessToken?
        var lastMessageId = 0
        var stateReaders = Readers<AsyncStream<ConnectionState>.Continuation>()
    }

    let configuration: ClientConfiguration
    let events: EventPublisher
    let mirrors: Mirrors
    let address: Result<ServerAddress, MusicAssistantError>
    private let state: Mutex<State>

    init(address: Result<ServerAddress, MusicAssistantError>, configuration: ClientConfiguration) {
        self.address = address
        self.configuration = configuration
        events = EventPublisher(limit: configuration.eventBuffer)
        mirrors = Mirrors(clock: configuration.clock)
        state = Mutex(State(token: configuration.token))
    }

    func log(_ level: LogEntry.Level, _ message: @autoclosure () -> String) {
        configuration.logger?(LogEntry(level: level, message: message()))
    }

    // MARK: State

    var connection: ConnectionState { state.withLock { $0.connection } }

    /// The base URL of the server's web pages and pictures.
    var webAddress: URL? { try? address.get().web }

    var token: AccessToken? {
        get { state.withLock { $0.token } }
        set { state.withLock { $0.token = newValue } }
    }

    /// The number of calls of `disconnect()` so far.
    var disconnectCount: Int { state.withLock { $0.disconnects } }

    /// Changes the token, unless it was changed in the meantime.
    func replaceToken(_ present: AccessToken?, with token: AccessToken?) {
        state.withLock { if $0.token == present { $0.token = token } }
    }

    /// The connection that sends commands.
    ///
    /// - Throws: ``MusicAssistantError/notConnected``, ``MusicAssistantError/reconnecting(attempt:)``.
    func session() throws -> Session {
        let (connection, session) = state.withLock { ($0.connection, $0.session) }
        if case .reconnecting(let attempt, _) = connection { throw MusicAssistantError.reconnecting(attempt: attempt) }
        guard connection.isConnected, let session else { throw MusicAssistantError.notConnected }
        return session
    }

    var states: AsyncStream<ConnectionState> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ConnectionState.self, bufferingPolicy: .bufferingNewest(configuration.eventBuffer))
        let end = state.withLock { state in
            continuation.yield(state.connection)
            return state.stateReaders.add(continuation)
        }
        continuation.onTermination = { _ in end() }
        return stream
    }

    /// Changes the state, unless a later `connect()` or `disconnect()` was called.
    @discardableResult
    private func become(_ connection: ConnectionState, _ generation: Int, _ body: (inout State) -> Void = { _ in })
        -> Bool
    {
        state.withLock { state in
            guard state.generation == generation else { return false }
            set(connection, &state)
            body(&state)
            return true
        }
    }

    private func set(_ connection: ConnectionState, _ state: inout State) {
        state.connection = connection
        state.stateReaders.forEach { $0.yield(connection) }
    }

    // MARK: Connecting

    /// The state that `connect()` found.
    private enum Beginning {
        case connected
        /// The connection has ended, and the task that makes it again is about to notice.
        case ending(Session)
        /// `disconnect()` was called after the `connect()` began.
        case disconnected
        /// `isUnderWay` for an attempt that was made again before the `connect()` began.
        case attempt(Promise<Void>, wakeUp: Promise<Void>?, isUnderWay: Bool)
    }

    func connect() async throws { try await connect(since: disconnectCount) }

    /// Connects, unless `disconnect()` was called since a count was taken. A call that waits in between would otherwise
    /// open a connection after `disconnect()` has returned.
    ///
    /// - Parameter disconnects: ``disconnectCount`` when the call began.
    /// - Throws: ``MusicAssistantError/notConnected`` when `disconnect()` was called since then.
    func connect(since disconnects: Int) async throws {
        let address = try address.get()
        var hasJoined = false
        while true {
            switch begin(address, since: disconnects) {
            case .connected: return
            case .ending(let session): try await session.left.value()
            case .disconnected: throw MusicAssistantError.notConnected
            case .attempt(let outcome, let wakeUp, let isUnderWay):
                wakeUp?.succeed(())
                do {
                    return try await wait(for: outcome)
                } catch let failure where isUnderWay && !hasJoined && !isFinal(failure) {
                    // The server may be back since that attempt was made.
                    hasJoined = true
                }
            }
        }
    }

    private func wait(for outcome: Promise<Void>) async throws {
        do {
            try await outcome.value()
        } catch {
            // No other caller waits for the first attempt, so it is ended.
            if error is CancellationError, Task.isCancelled, outcome.waiterCount == 0 { await abandon(outcome) }
            throw error
        }
    }

    /// Joins the attempt under way, or begins one.
    private func begin(_ address: ServerAddress, since disconnects: Int) -> Beginning {
        state.withLock { state in
            guard state.disconnects == disconnects else { return .disconnected }
            switch (state.connection, state.outcome) {
            case (.connected, _):
                if let session = state.session, session.link.hasEnded { return .ending(session) }
                return .connected
            case (.connecting, let outcome?): return .attempt(outcome, wakeUp: nil, isUnderWay: false)
            case (.reconnecting, let outcome?):
                return .attempt(outcome, wakeUp: state.wakeUp, isUnderWay: state.wakeUp == nil)
            default:
                let outcome = Promise<Void>()
                state.generation += 1
                state.outcome = outcome
                state.wakeUp = nil
                set(.connecting, &state)
                state.task = Task { [self, generation = state.generation] in await run(to: address, generation, outcome)
                }
                return .attempt(outcome, wakeUp: nil, isUnderWay: false)
            }
        }
    }

    private func abandon(_ outcome: Promise<Void>) async {
        let isFirst = state.withLock { state in
            if case .connecting = state.connection { state.outcome === outcome } else { false }
        }
        // Not counted as a `disconnect()`: another `connect()` that has begun makes an attempt of its own.
        if isFirst { await end(leave(isCounted: false)) }
    }

    /// Connects, and reconnects until `disconnect()` or an error that another attempt cannot mend.
    private func run(to address: ServerAddress, _ generation: Int, _ first: Promise<Void>) async {
        var outcome = first
        var attempt = 0
        var wasConnected = false
        while true {
            let (session, error) = await connectAndWait(address, generation, outcome)
            // Callers are resumed after the state has changed, so that another `connect()` joins the next attempt.
            let tellCallers = { [outcome] () -> Void in
                outcome.fail(error)
                session?.left.succeed(())
            }
            if session != nil { (attempt, wasConnected) = (0, true) }
            attempt += 1
            guard wasConnected, !isFinal(error),
                let delay = configuration.reconnect.delay(before: attempt, chance: .random(in: -1...1))
            else {
                giveUp(error, generation)
                return tellCallers()
            }
            let next = Promise<Void>()
            let wakeUp = Promise<Void>()
            let isWanted = become(.reconnecting(attempt: attempt, delay: delay), generation) { state in
                state.session = nil
                state.outcome = next
                state.wakeUp = wakeUp
            }
            tellCallers()
            guard isWanted, await pause(.seconds(delay), wakeUp) else { return }
            state.withLock { if $0.wakeUp === wakeUp { $0.wakeUp = nil } }
            outcome = next
        }
    }

    /// Sets the state to failed and ends the present subscriptions; later ones belong to the next `connect()`.
    private func giveUp(_ error: any Error, _ generation: Int) {
        var ended: [AsyncStream<ConnectionState>.Continuation] = []
        become(.failed(error: error), generation) { [events, mirrors] state in
            state.session = nil
            ended = state.stateReaders.takeAll()
            events.finish()
            mirrors.finish()
        }
        for reader in ended { reader.finish() }
    }

    /// Whether another attempt would fail with the same error.
    private func isFinal(_ error: any Error) -> Bool {
        switch error {
        case MusicAssistantError.tokenRejected, MusicAssistantError.unsupportedServer: true
        default: error is CancellationError
        }
    }

    /// Waits before an attempt; `connect()` ends the wait.
    ///
    /// - Returns: Whether the attempt is still wanted.
    private func pause(_ delay: Duration, _ wakeUp: Promise<Void>) async -> Bool {
        let clock = configuration.clock
        let end = clock.uptime + delay
        return await withTaskGroup(of: Bool.self) { group in
            defer { group.cancelAll() }
            group.addTask { (try? await clock.sleep(until: end)) != nil }
            group.addTask { (try? await wakeUp.value()) != nil }
            return await group.next() ?? false
        }
    }

    /// Makes one connection and waits for its end.
    ///
    /// - Returns: The connection if there was one, and the reason why it ended or failed.
    private func connectAndWait(_ address: ServerAddress, _ generation: Int, _ outcome: Promise<Void>) async
        -> (session: Session?, error: any Error)
    {
        do {
            let (session, info) = try await open(address, generation)
            guard become(.connected(serverInfo: info), generation) else { return (nil, CancellationError()) }
            log(.info, "connected to \(address.text), server \(info.serverVersion)")
            fetchMirrors(over: session)
            outcome.succeed(())
            let reason = await session.waitForEnd()
            session.link.close(reason: reason)
            mirrors.lose()
            log(.info, "the connection to \(address.text) ended: \(reason)")
            return (session, MusicAssistantError.connectionLost(reason: reason))
        } catch {
            log(.info, "no connection to \(address.text): \(error)")
            return (nil, error)
        }
    }

    private func open(_ address: ServerAddress, _ generation: Int) async throws -> (Session, ServerInfo) {
        guard !address.isSecure || configuration.security != nil else {
            throw MusicAssistantError.connectionFailed(underlying: LinkError.noSecurity)
        }
        let inbox = SessionInbox(
            clock: configuration.clock, log: { [self] level, message in log(level, message()) },
            accepted: { [mirrors] date in mirrors.compareClocks(date) },
            happened: { [mirrors, events] event in
                mirrors.apply(event)
                events.post(event)
            })
        let session = Session(
            to: address, configuration: configuration, inbox: inbox, nextMessageId: { [self] in nextMessageId() })
        do {
            guard register(session, generation) else { throw CancellationError() }
            let info = try await session.greet()
            if let token {
                warnOfPlainText(address)
                _ = try await session.authenticate(token)
            }
            return (session, info)
        } catch {
            await session.end(.connectionLost(reason: "\(error)"), reason: "\(error)")
            throw error
        }
    }

    /// Stores the session, so that `disconnect()` ends it.
    private func register(_ session: Session, _ generation: Int) -> Bool {
        state.withLock { state in
            guard state.generation == generation else { return false }
            state.session = session
            return true
        }
    }

    private func nextMessageId() -> Int {
        state.withLock { state in
            state.lastMessageId += 1
            return state.lastMessageId
        }
    }

    func fetchMirrors(over session: Session) {
        guard configuration.keepsMirrors else { return }
        mirrors.fetch(over: session) { [self] problem in log(.warning, problem) }
    }

    func warnOfPlainText(_ address: ServerAddress) {
        guard !address.isSecure, !address.isLoopback else { return }
        log(.warning, "the token goes to \(address.authority) in plain text; use wss:// when the server has TLS")
    }

    // MARK: Disconnecting

    private struct Remains {
        let task: Task<Void, Never>?
        let session: Session?
        let outcome: Promise<Void>?
        let readers: [AsyncStream<ConnectionState>.Continuation]
    }

    /// Removes everything from the state that has to be ended.
    ///
    /// - Parameter isCounted: Whether it ends calls of `connect()` that are under way.
    private func leave(isCounted: Bool) -> Remains {
        let remains: Remains = state.withLock { state in
            state.generation += 1
            if isCounted { state.disconnects += 1 }
            if !state.connection.isDisconnected { set(.disconnected, &state) }
            defer { (state.task, state.session, state.outcome) = (nil, nil, nil) }
            return Remains(
                task: state.task, session: state.session, outcome: state.outcome,
                readers: state.stateReaders.takeAll())
        }
        // Callers are resumed before the task is cancelled; otherwise they would get the error of a lost connection or of a
        // cancellation.
        remains.session?.inbox.commands.end(MusicAssistantError.notConnected)
        remains.outcome?.fail(MusicAssistantError.notConnected)
        remains.task?.cancel()
        remains.session?.left.succeed(())
        for reader in remains.readers { reader.finish() }
        mirrors.lose()
        mirrors.finish()
        events.finish()
        return remains
    }

    func disconnect() async { await end(leave(isCounted: true)) }

    private func end(_ remains: Remains) async {
        await remains.session?.end(.notConnected, reason: "the client ended it")
        await remains.task?.value
    }

    /// The same without waiting, for the client's `deinit`.
    func abandon() {
        let remains = leave(isCounted: true)
        remains.session?.link.close(reason: "the client ended it")
    }
}
