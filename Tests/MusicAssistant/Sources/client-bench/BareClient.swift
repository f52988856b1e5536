import Glibc

/// A minimal client over a socket: it sends prepared frames and counts the frames that it receives. Its rate is the limit
/// of the server.
final class BareClient {
    /// The system refused something.
    struct Refusal: Error {
        let call: String
        let code: Int32
    }

    private let socket: Int32
    private var received: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    /// Connects, upgrades to a web socket and logs in.
    init(port: Int, token: String) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw Refusal(call: "socket", code: errno) }
        try connect(port)
        let key = "dGhlIHNhbXBsZSBub25jZQ=="
        try send(
            Array(
                """
                GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r
                Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: \(key)\r\n\r\n
                """.utf8))
        try skipHead()
        // The greeting, then the answer to the login.
        try receive(1)
        try send(Self.frame(#"{"message_id":"0","command":"auth","args":{"token":"\#(token)"}}"#))
        try receive(1)
    }

    deinit { close(socket) }

    /// Keeps a number of commands in flight for some seconds.
    func commandsPerSecond(inFlight: Int, seconds: Int) throws -> Double {
        let command = Self.frame(#"{"message_id":"1","command":"nothing"}"#)
        let clock = ContinuousClock()
        let start = clock.now
        let end = start + .seconds(seconds)
        var count = 0
        var owed = inFlight
        while clock.now < end {
            try send(Array(repeatElement(command, count: owed).joined()))
            owed = try receiveSome()
            count += owed
        }
        let duration = (clock.now - start) / .seconds(1)
        try receive(inFlight - owed)
        return Double(count) / duration
    }

    // MARK: The socket

    private func connect(_ port: Int) throws {
        var one: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(socket, $0, size) }
        }
        guard result == 0 else { throw Refusal(call: "connect", code: errno) }
    }

    private func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(socket, $0.baseAddress?.advanced(by: sent), $0.count - sent)
            }
            guard count > 0 else { throw Refusal(call: "write", code: errno) }
            sent += count
        }
    }

    private func read() throws {
        let count = buffer.withUnsafeMutableBytes { Glibc.read(socket, $0.baseAddress, $0.count) }
        guard count > 0 else { throw Refusal(call: "read", code: errno) }
        received.append(contentsOf: buffer[..<count])
    }

    private func skipHead() throws {
        let end = Array("\r\n\r\n".utf8)
        while true {
            for start in received.indices.dropLast(3) where received[start..<start + 4].elementsEqual(end) {
                received.removeFirst(start + 4)
                return
            }
            try read()
        }
    }

    // MARK: Frames

    /// A text in a frame of a client, under a mask of zeros.
    private static func frame(_ text: String) -> [UInt8] {
        [0x81, 0x80 | UInt8(text.utf8.count), 0, 0, 0, 0] + text.utf8
    }

    private func receive(_ count: Int) throws {
        var left = count - takeFrames(atMost: count)
        while left > 0 {
            try read()
            left -= takeFrames(atMost: left)
        }
    }

    private func receiveSome() throws -> Int {
        while true {
            try read()
            let count = takeFrames(atMost: .max)
            if count > 0 { return count }
        }
    }

    /// Removes whole frames from what was received.
    private func takeFrames(atMost limit: Int) -> Int {
        var (count, start) = (0, 0)
        while count < limit, let length = frameLength(at: start), start + length <= received.count {
            start += length
            count += 1
        }
        received.removeFirst(start)
        return count
    }

    /// The length of the frame that begins at a place, with its header; nil when the header is not complete.
    private func frameLength(at start: Int) -> Int? {
        guard received.count >= start + 2 else { return nil }
        let short = Int(received[start + 1])
        let extra = short < 126 ? 0 : short == 126 ? 2 : 8
        guard received.count >= start + 2 + extra else { return nil }
        let long = received[start + 2..<start + 2 + extra].reduce(0) { $0 << 8 | Int($1) }
        return 2 + extra + (extra == 0 ? short : long)
    }
}
