import MusicAssistantTestServer
import NIOCore
import NIOPosix

/// A web socket client without a library, so that no library hides a mistake of the server.
final class RawClient {
    /// A received frame.
    enum Message: Equatable {
        case text(String)
        case binary([UInt8])
        case ping
        case pong([UInt8])
        case close(Int)

        var json: JSON? { if case .text(let text) = self { JSON(text: text) } else { nil } }
    }

    struct Unexpected: Error {
        let what: String
    }

    private let channel: any Channel
    private var chunks: AsyncThrowingStream<ByteBuffer, any Error>.Iterator
    private(set) var buffer = ByteBuffer()
    /// All received bytes.
    private(set) var received = 0
    private var lastID = 0

    private init(channel: any Channel, chunks: AsyncThrowingStream<ByteBuffer, any Error>) {
        self.channel = channel
        self.chunks = chunks.makeAsyncIterator()
    }

    static func connect(to port: Int) async throws -> RawClient {
        let (chunks, feed) = AsyncThrowingStream.makeStream(of: ByteBuffer.self)
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Feeder(feed: feed))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        return RawClient(channel: channel, chunks: chunks)
    }

    /// Connects, upgrades and reads the greeting.
    static func open(_ server: MusicAssistantTestServer) async throws -> (client: RawClient, greeting: JSON) {
        let client = try await connect(to: server.port)
        try await client.upgrade()
        guard let greeting = try await client.next().json else { throw Unexpected(what: "a greeting that is not JSON") }
        return (client, greeting)
    }

    /// The same, with the token that every server accepts.
    static func authenticated(_ server: MusicAssistantTestServer) async throws -> RawClient {
        let (client, _) = try await open(server)
        let reply = try await client.call("auth", ["token": "test-token"])
        guard reply["result"]?["authenticated"] == true else { throw Unexpected(what: reply.text) }
        return client
    }

    func close() async throws { try await channel.close() }

    /// Stops reading; received bytes wait in the socket.
    func stopReading() async throws { try await channel.setOption(.autoRead, value: false).get() }

    // MARK: Bytes

    func send(_ bytes: ByteBuffer) async throws { try await channel.writeAndFlush(bytes) }

    /// Waits for more bytes; `false` at the end.
    func fill() async throws -> Bool {
        guard var chunk = try await chunks.next() else { return false }
        received += chunk.readableBytes
        buffer.writeBuffer(&chunk)
        return true
    }

    /// Reads to the end and returns the total number of bytes; a reset counts as an end.
    func drain() async -> Int {
        while (try? await fill()) == true {}
        return received
    }

    // MARK: HTTP

    /// Sends a request and reads the head of the response.
    func request(_ text: String) async throws -> String {
        try await send(ByteBuffer(string: text))
        while true {
            let text = String(buffer: buffer)
            if let end = text.range(of: "\r\n\r\n") {
                buffer.moveReaderIndex(forwardBy: text.utf8.distance(from: text.startIndex, to: end.upperBound))
                return String(text[..<end.upperBound])
            }
            guard try await fill() else { throw Unexpected(what: "the end within a head: \(text)") }
        }
    }

    /// Reads a body of a number of bytes.
    func body(_ count: Int) async throws -> String {
        while buffer.readableBytes < count {
            guard try await fill() else { throw Unexpected(what: "the end within a body") }
        }
        return buffer.readString(length: count) ?? ""
    }

    static let upgradeRequest =
        "GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"

    func upgrade() async throws {
        let head = try await request(Self.upgradeRequest)
        // RFC 6455 has the answer to this key.
        guard head.hasPrefix("HTTP/1.1 101"), head.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=") else {
            throw Unexpected(what: head)
        }
    }

    // MARK: Frames

    func send(text: String, opcode: UInt8 = 1) async throws { try await send(Self.masked(text, opcode: opcode)) }

    /// A frame with a text.
    private static func masked(_ text: String, opcode: UInt8 = 1) -> ByteBuffer {
        var frame = ByteBuffer()
        let payload = Array(text.utf8)
        frame.writeInteger(0x80 | opcode)
        switch payload.count {
        case 0..<126: frame.writeInteger(UInt8(payload.count) | 0x80)
        case 126...0xFFFF:
            frame.writeInteger(126 as UInt8 | 0x80)
            frame.writeInteger(UInt16(payload.count))
        default:
            frame.writeInteger(127 as UInt8 | 0x80)
            frame.writeInteger(UInt64(payload.count))
        }
        let mask: [UInt8] = [0x12, 0x34, 0x56, 0x78]
        frame.writeBytes(mask)
        frame.writeBytes(payload.enumerated().map { $1 ^ mask[$0 & 3] })
        return frame
    }

    /// One frame: whether it is the last of its message, its kind and payload; `nil` at the end of the connection.
    func frame() async throws -> (isLast: Bool, opcode: UInt8, payload: ByteBuffer)? {
        while true {
            var rest = buffer
            if let frame = Self.frame(&rest) {
                buffer = rest
                return frame
            }
            guard try await fill() else { return nil }
        }
    }

    private static func frame(_ bytes: inout ByteBuffer) -> (isLast: Bool, opcode: UInt8, payload: ByteBuffer)? {
        guard let first = bytes.readInteger(as: UInt8.self), let length = bytes.readInteger(as: UInt8.self) else {
            return nil
        }
        var count = Int(length)
        if length == 126 {
            guard let long = bytes.readInteger(as: UInt16.self) else { return nil }
            count = Int(long)
        } else if length == 127 {
            guard let long = bytes.readInteger(as: UInt64.self) else { return nil }
            count = Int(long)
        }
        guard let payload = bytes.readSlice(length: count) else { return nil }
        return (first & 0x80 != 0, first & 0x0F, payload)
    }

    /// The next message.
    func next() async throws -> Message {
        var text = ByteBuffer()
        while let (isLast, opcode, payload) = try await frame() {
            var payload = payload
            switch opcode {
            case 0, 1:
                text.writeBuffer(&payload)
                if isLast { return .text(String(buffer: text)) }
            case 2: return .binary(Array(payload.readableBytesView))
            case 8: return .close(payload.readInteger(as: UInt16.self).map(Int.init) ?? 1005)
            case 9: return .ping
            default: return .pong(Array(payload.readableBytesView))
            }
        }
        throw Unexpected(what: "the end of the connection")
    }

    // MARK: Commands

    @discardableResult
    func send(_ command: String, _ arguments: JSON = [:]) async throws -> String {
        try await send(text: message(command, arguments))
        return "\(lastID)"
    }

    /// Sends a command several times in one piece, so that they arrive at once.
    func send(_ command: String, times: Int) async throws {
        var frames = ByteBuffer()
        for _ in 0..<times { frames.writeImmutableBuffer(Self.masked(message(command, [:]))) }
        try await send(frames)
    }

    /// The text of a command, with the next number.
    private func message(_ command: String, _ arguments: JSON) -> String {
        lastID += 1
        let message: JSON = ["message_id": .string("\(lastID)"), "command": .string(command), "args": arguments]
        return message.text
    }

    /// Sends a command and waits for its reply; events before it are kept.
    func call(_ command: String, _ arguments: JSON = [:]) async throws -> JSON {
        let id = try await send(command, arguments)
        return try await reply(to: id)
    }

    /// The next reply to a message.
    func reply(to id: String) async throws -> JSON {
        while true {
            guard let message = try await next().json else { continue }
            if message["event"] != nil { events.append(message) }
            if message["message_id"]?.string == id { return message }
        }
    }

    /// Waits for an event.
    func event(_ name: String) async throws -> JSON {
        if let index = events.firstIndex(where: { $0["event"]?.string == name }) { return events.remove(at: index) }
        while true {
            guard let message = try await next().json else { continue }
            if message["event"]?.string == name { return message }
        }
    }

    /// Events that arrived before replies.
    var events: [JSON] = []

    private final class Feeder: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let feed: AsyncThrowingStream<ByteBuffer, any Error>.Continuation

        init(feed: AsyncThrowingStream<ByteBuffer, any Error>.Continuation) { self.feed = feed }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { feed.yield(unwrapInboundIn(data)) }
        func channelInactive(context: ChannelHandlerContext) { feed.finish() }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { feed.finish(throwing: error) }
    }
}
