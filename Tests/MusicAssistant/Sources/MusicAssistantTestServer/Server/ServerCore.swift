internal import Foundation
internal import NIOCore

/// The state that all connections of a server share.
///
/// Lives on the server's event loop.
final class ServerCore {
    var scenario: Scenario
    /// The current players, queues and library; the scenario has the initial ones.
    private(set) var home: SimulatedHome
    let loop: any EventLoop
    private(set) var sessions: [Int: ClientConnection] = [:]
    private(set) var statistics = ServerStatistics()
    private(set) var recent: [ReceivedCommand] = []
    private(set) var counts: [String: Int] = [:]
    private(set) var tokens: Set<String>
    /// Whether the server has stopped listening; connections accepted just before are closed.
    var isAway = false
    private var unsent: [ClientConnection] = []
    private var faultCounts: [Int: Int] = [:]
    /// Replies that are held until the test releases them.
    var held: [(command: String, deliver: () -> Void)] = []
    /// Replies that wait to be sent in reverse, by connection.
    var gathered: [Int: [() -> Void]] = [:]
    private var lastToken = 0
    private var nextEnd: Scheduled<Void>?
    private var waiting: [(id: UUID, isFulfilled: (ServerCore) -> Bool, promise: EventLoopPromise<Void>)] = []

    static let recentLimit = 4096

    init(scenario: Scenario, loop: any EventLoop) {
        self.scenario = scenario
        home = scenario.home
        self.loop = loop
        tokens = scenario.tokens
    }

    func begin(_ scenario: Scenario) {
        self.scenario = scenario
        home = scenario.home
        tokens = scenario.tokens
        faultCounts = [:]
        schedule()
    }

    func setFaults(_ replies: [ReplyFault], _ connections: [ConnectionFault]) {
        scenario.replyFaults = replies
        scenario.connectionFaults = connections
        faultCounts = [:]
    }

    // MARK: Connections

    func nextConnection() -> Int {
        defer { statistics.connections += 1 }
        return statistics.connections
    }

    func opened(_ session: ClientConnection) {
        sessions[session.number] = session
        statistics.openConnections = sessions.count
        noteChange()
    }

    func closed(_ session: ClientConnection) {
        sessions[session.number] = nil
        unsent.removeAll { $0 === session }
        gathered[session.number] = nil
        statistics.openConnections = sessions.count
        noteChange()
    }

    func markUnsent(_ session: ClientConnection) {
        if unsent.last !== session { unsent.append(session) }
    }

    /// Sends the queued messages of all clients.
    func flush() {
        let sessions = unsent
        unsent.removeAll(keepingCapacity: true)
        for session in sessions { session.flush() }
    }

    func notePong() {
        statistics.pongs += 1
        noteChange()
    }

    // MARK: Commands

    func note(_ request: ReceivedCommand) {
        statistics.commands += 1
        counts[request.name, default: 0] += 1
        if recent.count >= 2 * Self.recentLimit { recent.removeFirst(Self.recentLimit) }
        recent.append(request)
        if !waiting.isEmpty { noteChange() }
    }

    func handle(_ request: ReceivedCommand, from session: ClientConnection) {
        guard !scenario.replyFaults.isEmpty, let fault = fault(for: request) else {
            return deliver(reply(to: request, from: session), for: request, to: session)
        }
        apply(fault, to: request, from: session)
    }

    /// The first fault that matches a command and is not used up.
    private func fault(for request: ReceivedCommand) -> ReplyFault.Action? {
        for (index, fault) in scenario.replyFaults.enumerated() {
            guard fault.command == nil || fault.command == request.name,
                fault.connection == nil || fault.connection == request.connection
            else { continue }
            let count = faultCounts[index, default: 0]
            faultCounts[index] = count + 1
            let isDue = count >= fault.skips && fault.times.map { count - fault.skips < $0 } ?? true
            if isDue { return fault.action }
        }
        return nil
    }

    func reply(to request: ReceivedCommand, from session: ClientConnection) -> CommandReply {
        if let reply = accountReply(to: request, from: session) { return reply }
        return perform(request.name, request.arguments)
    }

    /// Runs a command of the simulation and sends its events to every client.
    func perform(_ name: String, _ arguments: [String: JSON]) -> CommandReply {
        let (reply, events) = home.run(name, arguments, now: scenario.clock())
        broadcast(events)
        if !events.isEmpty { schedule() }
        return reply
    }

    /// Resets the state that a restarted server loses.
    func restartHome() {
        home.stopEverything()
        schedule()
    }

    func changeHome(_ body: (inout SimulatedHome) throws -> Void) rethrows {
        try body(&home)
        broadcast(home.takeEvents() + home.advance(to: scenario.clock()))
        schedule()
        flush()
    }

    func broadcast(_ events: [ServerEvent]) {
        for event in events {
            var payload = ByteBuffer()
            event.message.write(to: &payload)
            var frame = ByteBuffer()
            FrameWriter.write(payload, to: &frame)
            for session in sessions.values where session.isAuthenticated { session.send(frames: frame, messages: 1) }
        }
    }

    /// Waits for the next end of a track.
    private func schedule() {
        nextEnd?.cancel()
        nextEnd = nil
        guard let end = home.nextEnd else { return }
        let delay = max(0, end - scenario.clock())
        nextEnd = loop.assumeIsolated().scheduleTask(in: .nanoseconds(Int64(min(delay, 86_400) * 1e9) + 1_000_000)) {
            self.broadcast(self.home.advance(to: self.scenario.clock()))
            self.flush()
            self.schedule()
        }
    }

    func cancelTimers() { nextEnd?.cancel() }

    // MARK: Replies

    func deliver(_ reply: CommandReply, for request: ReceivedCommand, to session: ClientConnection) {
        for payload in payloads(of: reply, for: request) { session.send(payload: payload) }
    }

    /// The messages of a reply.
    func payloads(of reply: CommandReply, for request: ReceivedCommand) -> [ByteBuffer] {
        switch reply {
        case .result(let value): return [payload(request.messageID, value, isPartial: false)]
        case .failure(let error):
            var payload = ByteBuffer()
            let json: JSON = [
                "message_id": .string(request.messageID), "error_code": .int(error.code),
                "details": .optional(error.details),
            ]
            json.write(to: &payload)
            return [payload]
        case .items(let items):
            let size = max(1, scenario.chunkSize)
            let wholes = items.count / size
            let parts = (0..<wholes).map {
                payload(request.messageID, .array(Array(items[$0 * size..<($0 + 1) * size])), isPartial: true)
            }
            return parts + [payload(request.messageID, .array(Array(items[(wholes * size)...])), isPartial: false)]
        }
    }

    private func payload(_ id: String, _ value: JSON, isPartial: Bool) -> ByteBuffer {
        var payload = ByteBuffer()
        payload.writeStaticString("{\"message_id\":")
        JSON.write(id, to: &payload)
        payload.writeStaticString(",\"result\":")
        value.write(to: &payload)
        payload.writeStaticString(isPartial ? ",\"partial\":true}" : ",\"partial\":false}")
        return payload
    }

    // MARK: Waiting

    func noteChange() {
        guard !waiting.isEmpty else { return }
        let (before, now) = (waiting, self)
        waiting = before.filter { !$0.isFulfilled(now) }
        for wait in before where wait.isFulfilled(now) { wait.promise.succeed() }
    }

    func wait(_ id: UUID, until isFulfilled: @escaping (ServerCore) -> Bool) -> EventLoopFuture<Void> {
        let promise = loop.makePromise(of: Void.self)
        waiting.append((id, isFulfilled, promise))
        noteChange()
        return promise.futureResult
    }

    func cancelWait(_ id: UUID) {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
        waiting.remove(at: index).promise.fail(CancellationError())
    }

    func failWaits() {
        for wait in waiting { wait.promise.fail(ChannelError.alreadyClosed) }
        waiting = []
    }

    /// Creates a token for a user; `nil` when user or password are wrong.
    func logIn(_ user: String, _ password: String) -> String? {
        guard let expected = scenario.accounts[user], expected == password else { return nil }
        return newToken()
    }

    func newToken() -> String {
        lastToken += 1
        let token = "login-token-\(lastToken)"
        tokens.insert(token)
        return token
    }

    /// Revokes a token and ends the connections that used it.
    func revoke(_ token: String) {
        tokens.remove(token)
        for session in sessions.values where session.token == token { session.close(code: 1000) }
        flush()
    }

    func forgetCommands() {
        recent = []
        counts = [:]
    }
}
