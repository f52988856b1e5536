internal import NIOCore

/// One client's connection: received messages, and messages to send.
///
/// Lives on the server's event loop.
final class ClientConnection {
    let number: Int
    let core: ServerCore
    /// The token of the client's login; `nil` before the login.
    private(set) var token: String?
    private(set) var userName = "admin"
    private var follower: TranscriptFollower?

    private let channel: any Channel
    private let wire: WireHandler
    private var outgoing = ByteBuffer()
    private var unsent = 0
    private var backlog = 0
    private var isClosing = false
    private var isAnswered = true
    private var heartbeat: Scheduled<Void>?

    init(number: Int, core: ServerCore, channel: any Channel, wire: WireHandler) {
        self.number = number
        self.core = core
        self.channel = channel
        self.wire = wire
        follower = core.scenario.transcript.map(TranscriptFollower.init)
    }

    var longestMessage: Int { core.scenario.longestMessage }

    var isAuthenticated: Bool { token != nil || !core.scenario.asksForLogin }

    // MARK: Beginning and end

    func begin() {
        core.opened(self)
        // The client may have closed the connection during the upgrade; handlers do not get that event.
        channel.closeFuture.assumeIsolated().whenComplete { _ in self.end() }
        guard channel.isActive, !core.isAway else { return cut() }
        if !core.scenario.joinsGreetingToHandshake { wire.endHandshake() }
        if let opening = follower?.opening() {
            perform(opening)
        } else {
            greet()
        }
        if !core.scenario.isSetUp { close(code: 1000) }
        core.flush()
        // Without a greeting, the answer to the handshake is still waiting and is sent now.
        wire.endHandshake()
        beatHeart()
    }

    private func greet() {
        switch core.scenario.greeting {
        case .description: send(core.scenario.description())
        case .text(let text): send(text: text)
        case .nothing: break
        }
        guard !core.scenario.isSetUp else { return }
        send(["message_id": "connection", "error_code": 503, "details": "Setup required"])
    }

    private func end() {
        heartbeat?.cancel()
        core.closed(self)
    }

    /// Sends a close frame, and ends the connection when the client has answered or one second has passed.
    func close(code: Int) {
        guard !isClosing else { return }
        isClosing = true
        FrameWriter.write(closeCode: code, to: &outgoing)
        note(messages: 1)
        channel.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) { self.wire.cut(resets: false) }
    }

    /// Ends the connection without a close frame.
    func cut(resets: Bool = false) { wire.cut(resets: resets) }

    /// Called when the client has sent a close frame.
    func noteClose() {
        if !isClosing { close(code: 1000) }
        flush()
        channel.close(promise: nil)
    }

    // MARK: Pings

    private func beatHeart() {
        guard let interval = core.scenario.pingInterval else { return }
        heartbeat = channel.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(interval)) {
            self.ping()
            self.beatHeart()
        }
    }

    private func ping() {
        isAnswered = false
        FrameWriter.write(ByteBuffer(), as: .ping, to: &outgoing)
        note(messages: 1)
        core.flush()
        channel.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(core.scenario.pongLimit)) {
            if !self.isAnswered { self.cut() }
        }
    }

    func noteAnswer() {
        isAnswered = true
        core.notePong()
    }

    func answerPing(_ payload: ByteBuffer) {
        guard core.scenario.answersPings else { return }
        FrameWriter.write(payload, as: .pong, to: &outgoing)
        note(messages: 1)
    }

    // MARK: Receiving

    func receive(_ text: ByteBuffer) {
        guard !isClosing else { return }
        guard let message = JSON(buffer: text)?.object, let name = message["command"]?.string,
            let id = message["message_id"], let arguments = Self.arguments(message["args"])
        else {
            if let moves = follower?.movesAfterText() { perform(moves) } else { close(code: 1000) }
            return
        }
        let request = ReceivedCommand(
            connection: number, messageID: id.string ?? id.text, name: name, arguments: arguments)
        core.note(request)
        if let moves = follower?.moves(after: name, messageID: id) {
            if name == "auth" { token = arguments["token"]?.string ?? "" }
            perform(moves)
        } else {
            core.handle(request, from: self)
        }
    }

    private static func arguments(_ value: JSON?) -> [String: JSON]? {
        switch value {
        case nil, .null?: [:]
        case .object(let members)?: members
        default: nil
        }
    }

    private func perform(_ moves: [TranscriptFollower.Move]) {
        for move in moves {
            switch move {
            case .send(let message): send(message)
            case .close(let code): close(code: code)
            }
        }
    }

    func authenticate(token: String, as user: String) {
        self.token = token
        userName = user
    }

    // MARK: Sending

    func send(_ message: JSON) {
        var payload = ByteBuffer()
        message.write(to: &payload)
        send(payload: payload)
    }

    func send(text: String) { send(payload: ByteBuffer(string: text)) }

    func send(payload: ByteBuffer) {
        FrameWriter.write(payload, to: &outgoing)
        note(messages: 1)
    }

    /// Sends bytes that contain a number of messages.
    func send(frames: ByteBuffer, messages: Int) {
        outgoing.writeImmutableBuffer(frames)
        note(messages: messages)
    }

    /// Sends the beginning of frames and ends the connection.
    func send(frames: ByteBuffer, cutAfter count: Int) {
        if let part = frames.getSlice(at: frames.readerIndex, length: min(count, frames.readableBytes)) {
            send(frames: part, messages: 1)
        }
        flush()
        cut()
    }

    private func note(messages: Int) {
        unsent += messages
        core.markUnsent(self)
    }

    /// Writes all queued bytes to the socket; disconnects a client that reads too slowly.
    func flush() {
        guard unsent > 0 else { return }
        let count = unsent
        unsent = 0
        backlog += count
        let taken = channel.eventLoop.makePromise(of: Void.self)
        taken.futureResult.assumeIsolated().whenComplete { _ in self.backlog -= count }
        // Writing to a closed socket ends the connection within this call; the last messages of the client are answered
        // then.
        var frames = ByteBuffer()
        swap(&frames, &outgoing)
        wire.send(&frames, promise: taken)
        if backlog > core.scenario.backlogLimit { cut() }
    }
}
