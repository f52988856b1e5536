/// One connection to a server: the socket, the greeting, the login, the commands that wait.
final class Session: Sendable {
    let link: WebSocketLink
    let inbox: SessionInbox
    /// Set when the client has noticed the end of the connection and has changed its state.
    let left = Promise<Void>()
    /// The work of ``later(after:_:)``.
    private let delayed = AsyncStream.makeStream(of: (time: Duration, body: @Sendable () -> Void).self)
    private let configuration: ClientConfiguration
    private let nextMessageId: @Sendable () -> Int

    /// Begins to connect.
    init(
        to address: ServerAddress, configuration: ClientConfiguration, inbox: SessionInbox,
        nextMessageId: @escaping @Sendable () -> Int
    ) {
        self.configuration = configuration
        self.inbox = inbox
        self.nextMessageId = nextMessageId
        let owner = WebSocketLink.Owner(
            accepted: { inbox.accepted($0) }, received: { inbox.received($0) },
            nextOutgoing: { inbox.commands.nextOutgoing() },
            heard: { inbox.heard() }, ended: { inbox.ended($0) })
        link = WebSocketLink(
            to: address, security: address.isSecure ? configuration.security : nil,
            limit: configuration.connectTimeout, owner: owner)
    }

    // MARK: Beginning

    /// Waits for the greeting and checks the protocol version.
    func greet() async throws -> ServerInfo {
        let (clock, limit) = (configuration.clock, configuration.connectTimeout)
        do {
            try await within(limit, on: clock, "the connection") { try await self.link.opened.value() }
            let info = try await within(limit, on: clock, "the greeting") { try await self.inbox.greeting.value() }
            if let minimum = info.minSupportedSchemaVersion, minimum > MusicAssistantClient.schemaVersion {
                throw MusicAssistantError.unsupportedServer(minimumSchema: minimum)
            }
            if !info.isSetUp { try await checkForUsers() }
            return info
        } catch let error as MusicAssistantError {
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw MusicAssistantError.connectionFailed(underlying: error)
        }
    }

    /// Requests the login providers of a server whose set-up is not finished. A server without users closes the connection.
    private func checkForUsers() async throws {
        do {
            _ = try await send("auth/providers", [:], limit: configuration.connectTimeout)
        } catch MusicAssistantError.connectionLost {
            throw MusicAssistantError.setupRequired
        } catch is MusicAssistantError {
            // A server that refuses the request or is slow has not closed the connection; the login shows the rest.
        }
    }

    /// Logs the connection in.
    func authenticate(_ token: AccessToken) async throws -> MusicAssistantUser? {
        do {
            let answer = try await send("auth", ["token": .string(token.secret)], limit: nil)
            guard answer["authenticated"]?.boolValue != false else {
                throw MusicAssistantError.tokenRejected(reason: "not authenticated")
            }
            return answer["user"].flatMap { try? MusicAssistantUser(json: $0) }
        } catch let error as MusicAssistantError {
            let refusals: [ServerErrorCode] = [.invalidToken, .authenticationFailed, .authenticationRequired]
            if case .serverError(_, let words, _) = error, let code = error.serverCode, refusals.contains(code) {
                throw MusicAssistantError.tokenRejected(reason: words)
            }
            throw error
        }
    }

    // MARK: Commands

    private func entry(
        _ id: Int, _ command: String, _ args: [String: JSONValue], _ limit: Duration?, _ caller: PendingCommands.Caller
    ) -> PendingCommands.Entry {
        let limit = limit ?? configuration.commandTimeout
        let message = MusicAssistantCommand(messageId: id, command: command, args: args.isEmpty ? nil : args)
        return PendingCommands.Entry(
            command: command, limit: limit, deadline: configuration.clock.uptime + limit, caller: caller,
            outgoing: message.jsonBytes, secrets: Self.secrets(of: command, args))
    }

    /// The secrets among the arguments of a command.
    private static func secrets(of command: String, _ args: [String: JSONValue]) -> [String] {
        args.compactMap { name, value -> String? in
            switch name {
            case "password", "token": value.stringValue
            case "code" where command == "auth/join_code/exchange": value.stringValue
            default: nil
            }
        }
    }

    /// Sends a command and waits for the reply; partial results are joined.
    func send(_ command: String, _ args: [String: JSONValue], limit: Duration?) async throws -> JSONValue {
        try Task.checkCancellation()
        let id = nextMessageId()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                inbox.commands.add(id, entry(id, command, args, limit, .single(continuation)))
                // A cancellation before the command was in the table had no effect.
                if Task.isCancelled { inbox.commands.fail(id, CancellationError()) } else { link.sendSoon() }
            }
        } onCancel: {
            inbox.commands.fail(id, CancellationError())
        }
    }

    /// Sends a command; the reply is delivered on the connection's thread, in order with the events around it.
    func send(
        _ command: String, _ args: [String: JSONValue] = [:],
        inOrder body: @escaping @Sendable (Result<JSONValue, any Error>) -> Void
    ) {
        let id = nextMessageId()
        inbox.commands.add(id, entry(id, command, args, nil, .inOrder(body)))
        link.sendSoon()
    }

    /// Sends a command; the parts of its result are delivered one by one.
    func stream(
        _ command: String, _ args: [String: JSONValue], limit: Duration?, buffer: Int
    ) -> AsyncThrowingStream<[JSONValue], any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: [JSONValue].self, bufferingPolicy: .bufferingOldest(buffer))
        let id = nextMessageId()
        continuation.onTermination = { [commands = inbox.commands] _ in commands.fail(id, CancellationError()) }
        inbox.commands.add(id, entry(id, command, args, limit, .stream(continuation)))
        link.sendSoon()
        return stream
    }

    // MARK: Pings and the end

    /// Waits until the connection has ended, and ends it when the server does not answer pings.
    ///
    /// - Returns: The reason.
    func waitForEnd() async -> String {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.watch() }
            group.addTask { await self.runDelayed() }
            let reason = (try? await link.closed.value()) ?? "the client ended it"
            group.cancelAll()
            return reason
        }
    }

    /// Runs a function after a time, unless the connection has ended before.
    func later(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
        delayed.continuation.yield((configuration.clock.uptime + delay, body))
    }

    /// All delays are equal, so the work is in the order of its times.
    private func runDelayed() async {
        for await work in delayed.stream {
            guard (try? await configuration.clock.sleep(until: work.time)) != nil else { return }
            work.body()
        }
    }

    private func watch() async {
        guard let interval = configuration.pingInterval else { return }
        let clock = configuration.clock
        while (try? await clock.sleep(until: inbox.heardAt + interval)) != nil {
            let asked = clock.uptime
            guard asked >= inbox.heardAt + interval else { continue }
            link.ping()
            guard (try? await clock.sleep(until: asked + configuration.pongTimeout)) != nil else { return }
            guard inbox.heardAt >= asked else { return link.close(reason: "the server does not answer") }
        }
    }

    /// Ends the connection; waiting callers fail with the error.
    func end(_ error: MusicAssistantError, reason: String) async {
        inbox.commands.end(error)
        inbox.greeting.fail(error)
        link.close(reason: reason)
        await link.waitUntilGone()
    }
}
