internal import Descant
internal import Foundation
internal import Glibc

/// Sends interleaved samples, little endian, to a TCP server, which has to know rate and channels: Float32, or integers of 16 bits when
/// the address asks for them. Every start opens a new connection.
///
/// Rendering writes the samples to the socket without waiting. With a slow receiver fewer frames than offered are accepted;
/// a closed connection is an error.
final class PCMStreamOutput: AddressedOutput {
    private var target: StreamTarget?
    /// What an error says when there is no target.
    private let remedy: String
    private var channels = 0
    private var sampleRate = 0.0
    /// Room for integers, as many frames as the host offers at a time.
    private var integers: [Int16] = []
    private var socket: Int32 = -1
    /// The remaining bytes of a frame that was written in part.
    private let rest = UnsafeMutableRawPointer.allocate(byteCount: 8 * MemoryLayout<Float>.size, alignment: 4)
    private var idleCount = 0

    /// The time limit of a connection, in milliseconds.
    private static let connectionLimit: Int32 = 5_000
    /// The time limit for sending the end of the sound, in milliseconds.
    private static let closingLimit: Int32 = 1_000
    /// The time without an answer after which a connection is lost, in milliseconds.
    private static let answerLimit: Int32 = 5_000

    init(target: StreamTarget?, remedy: String) {
        self.target = target
        self.remedy = remedy
    }

    deinit {
        stop()
        rest.deallocate()
    }

    /// The host's clock paces playback, because the network has no clock.
    var pacing: OutputPacing { .clock }

    func setAddress(_ address: String) throws {
        guard socket < 0 else { throw CoreError.invalidState("stop the stream before it gets another target") }
        target = try StreamTarget(address)
    }

    func configure(sampleRate: Double, channels: Int, framesPerBuffer: Int) throws {
        guard socket < 0 else { throw CoreError.invalidState("\(name): stop the stream before it is configured") }
        guard sampleRate > 0, sampleRate.isFinite, (1...8).contains(channels), framesPerBuffer > 0 else {
            throw CoreError.invalidArgument(
                "\(name): \(channels) channels at \(sampleRate) Hz by \(framesPerBuffer) frames cannot be sent")
        }
        self.channels = channels
        self.sampleRate = sampleRate
        integers = [Int16](repeating: 0, count: channels * framesPerBuffer)
    }

    func start() throws {
        guard channels > 0 else {
            throw CoreError.invalidState("\(name): configure the stream before it is started")
        }
        guard socket < 0 else { return }
        guard let target else { throw CoreError.invalidArgument("the PCM stream has no target: \(remedy)") }
        idleCount = 0
        socket = try connect(to: target)
        limitBuffer()
    }

    private var name: String { target?.description ?? "the PCM stream" }
    private var frameBytes: Int {
        channels * (target?.isInteger == true ? MemoryLayout<Int16>.size : MemoryLayout<Float>.size)
    }

    func stop() {
        guard socket >= 0 else { return }
        if idleCount > 0, isWritable(socket, limit: Self.closingLimit) { _ = send(socket, rest, idleCount, Self.flags) }
        // Bytes in the socket's buffer are still sent.
        close(socket)
        socket = -1
    }

    func render(_ buffer: UnsafePointer<Float>, frameCount: Int) throws -> Int {
        guard socket >= 0 else { throw CoreError.invalidState("\(name): the stream is not started") }
        guard frameCount > 0, try sendRest() else { return 0 }
        guard target?.isInteger == true else { return try sendFrames(buffer, count: frameCount) }
        let count = min(frameCount, integers.count / channels)
        for index in 0..<count * channels {
            let step = (buffer[index] * 32_768).rounded(.toNearestOrEven)
            // Not a number becomes silence.
            integers[index] = step.isNaN ? 0 : Int16(max(-32_768, min(32_767, step)))
        }
        return try integers.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return 0 }
            return try sendFrames(start, count: count)
        }
    }

    private func sendFrames(_ buffer: UnsafeRawPointer, count: Int) throws -> Int {
        let sent = send(socket, buffer, count * frameBytes, Self.flags)
        guard sent >= 0 else {
            try checkFailure()
            return 0
        }
        let (whole, part) = sent.quotientAndRemainder(dividingBy: frameBytes)
        guard part > 0 else { return whole }
        // The frame counts as accepted; its remaining bytes are sent first next time.
        idleCount = frameBytes - part
        rest.copyMemory(from: buffer + sent, byteCount: idleCount)
        return whole + 1
    }

    /// - Returns: Whether the previous frame is complete.
    private func sendRest() throws -> Bool {
        guard idleCount > 0 else { return true }
        let sent = send(socket, rest, idleCount, Self.flags)
        guard sent >= 0 else {
            try checkFailure()
            return false
        }
        idleCount -= sent
        if idleCount > 0 { memmove(rest, rest + sent, idleCount) }
        return idleCount == 0
    }

    private static let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)

    private func checkFailure() throws {
        let code = errno
        if code == EAGAIN || code == EWOULDBLOCK || code == EINTR { return }
        throw failure("cannot be sent to", code)
    }

    // MARK: Connecting

    private func connect(to target: StreamTarget) throws -> Int32 {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(target.host, target.port, &hints, &list)
        guard code == 0 else {
            throw CoreError.ioError("\(target): \(String(cString: gai_strerror(code))); check the name and the network")
        }
        defer { freeaddrinfo(list) }
        var lastCode = ECONNREFUSED
        var next = list
        while let address = next {
            let (descriptor, code) = connect(to: address.pointee)
            if let descriptor { return descriptor }
            lastCode = code
            next = address.pointee.ai_next
        }
        throw failure("cannot be reached", lastCode)
    }

    private func connect(to address: addrinfo) -> (Int32?, Int32) {
        let kind = address.ai_socktype | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = Glibc.socket(address.ai_family, kind, address.ai_protocol)
        guard descriptor >= 0 else { return (nil, errno) }
        if Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return (descriptor, 0) }
        var code = errno
        if code == EINPROGRESS {
            guard isWritable(descriptor, limit: Self.connectionLimit) else {
                close(descriptor)
                return (nil, ETIMEDOUT)
            }
            var size = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
            if code == 0 { return (descriptor, 0) }
        }
        close(descriptor)
        return (nil, code)
    }

    /// Bounds what waits in the system for a slow receiver to a second, and the silence after which a receiver is gone.
    private func limitBuffer() {
        // The system doubles the value for its own use.
        var bytes = Int32(max(8_192, min(4_194_304, sampleRate * Double(frameBytes) / 2)))
        setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
        var limit = Self.answerLimit
        setsockopt(
            socket, Int32(IPPROTO_TCP), Int32(TCP_USER_TIMEOUT), &limit, socklen_t(MemoryLayout<Int32>.size))
    }

    private func isWritable(_ descriptor: Int32, limit milliseconds: Int32) -> Bool {
        var question = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&question, 1, milliseconds) == 1
    }

    private func failure(_ what: String, _ code: Int32) -> CoreError {
        .ioError("\(name) \(what): \(String(cString: strerror(code))) (error \(code)); is the receiver running?")
    }
}

/// The address of a receiver.
struct StreamTarget: CustomStringConvertible {
    let host: String
    let port: String
    /// Whether samples are sent as integers of 16 bits.
    let isInteger: Bool

    /// Reads "tcp://host:port" and "tcp://host:port?format=s16"; `f32` is the other format.
    init(_ text: String) throws {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let parts = URLComponents(string: text), parts.scheme == "tcp", let host = parts.host, !host.isEmpty,
            let port = parts.port, (1...65_535).contains(port), parts.path.isEmpty,
            let format = Self.format(parts.queryItems ?? [])
        else {
            throw CoreError.invalidArgument(
                "\"\(text)\" is not an address such as tcp://192.168.1.20:4953 or tcp://192.168.1.20:4953?format=s16")
        }
        // An IPv6 address is in brackets.
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        self.port = String(port)
        isInteger = format == "s16"
    }

    private static func format(_ items: [URLQueryItem]) -> String? {
        guard let item = items.first else { return "f32" }
        guard items.count == 1, item.name == "format", let format = item.value else { return nil }
        return ["f32", "s16"].contains(format) ? format : nil
    }

    var description: String { "tcp://\(host):\(port)" }
}
