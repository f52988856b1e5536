internal import NIOCore

/// One client: what it sent, and what it is to get.
///
/// Lives on the server's event loop.
final class Session {
    let number: Int
    let core: ServerCore
    /// The token that the client showed; `nil` before.
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
        // The client may have gone while HTTP gave way to the web socket: handlers are not told of that any more.
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
        // Should nothing have been said, the answer to the handshake has waited in vain.
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

    /// Says that the connection ends, and ends it when the client has answered or a second has passed.
    func close(code: Int) {
        guard !isClosing else { return }
        isClosing = true
        FrameWriter.write(closeCode: code, to: &outgoing)
        note(messages: 1)
        channel.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) { self.wire.cut(resets: false) }
    }

    /// Ends the connection without a word.
    func cut(resets: Bool = false) { wire.cut(resets: resets) }

    /// The client has said that the connection ends.
    func noteClose() {
        if !isClosing { close(code: 1000) }
        flush()
        channel.close(promise: nil)
    }

    // MARK: Signs of life

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

    /// Sends bytes that hold a number of messages.
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

    /// Hands everything to the socket; cuts off a client that has not read for too long.
    func flush() {
        guard unsent > 0 else { return }
        let count = unsent
        unsent = 0
        backlog += count
        let taken = channel.eventLoop.makePromise(of: Void.self)
        taken.futureResult.assumeIsolated().whenComplete { _ in self.backlog -= count }
        // A socket that is gone ends the connection from within the call, and what the client sent last is answered then.
        var frames = ByteBuffer()
        swap(&frames, &outgoing)
        wire.send(&frames, promise: taken)
        if backlog > core.scenario.backlogLimit { cut() }
    }
}
