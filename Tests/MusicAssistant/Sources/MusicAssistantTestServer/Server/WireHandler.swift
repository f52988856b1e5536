internal import Glibc
internal import NIOCore

/// The handler next to the socket: counts bytes and applies connection faults.
///
/// Lives on the server's event loop.
final class WireHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// How a connection ends.
    private struct Cut {
        let resets: Bool
    }

    private let faults: [ConnectionFault.Action]
    /// Whether the answer to the handshake waits for the greeting.
    private var holdsHandshake: Bool
    private var pending = ByteBuffer()
    private var promises: [EventLoopPromise<Void>] = []
    private var sent = 0
    private var received = 0
    private var isSilent = false
    private var context: ChannelHandlerContext?

    init(faults: [ConnectionFault.Action], holdsHandshake: Bool) {
        self.faults = faults
        self.holdsHandshake = holdsHandshake
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        for promise in promises { promise.fail(ChannelError.ioOnClosedChannel) }
        promises = []
    }

    // MARK: From the client

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        received += buffer.readableBytes
        for case .stopReading(let limit) in faults where received > limit {
            do {
                try context.channel.syncOptions?.setOption(.autoRead, value: false)
            } catch {
                context.close(promise: nil)
            }
            return
        }
        context.fireChannelRead(wrapInboundOut(buffer))
    }

    // MARK: To the client

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .byteBuffer(var buffer) = unwrapOutboundIn(data) { pending.writeBuffer(&buffer) }
        if let promise { promises.append(promise) }
    }

    func flush(context: ChannelHandlerContext) {
        guard holdsHandshake, pending.readableBytesView.starts(with: Array("HTTP/1.1 101".utf8)) else {
            return sendPending()
        }
        // The promise succeeds now, because its waiter sends the greeting that this answer waits for.
        for promise in promises { promise.succeed() }
        promises = []
    }

    /// Sends frames past the handlers of HTTP and web sockets.
    ///
    /// - Parameters:
    ///   - frames: Whole frames, or the part that a fault leaves.
    ///   - promise: Succeeds when the bytes are written.
    func send(_ frames: inout ByteBuffer, promise: EventLoopPromise<Void>?) {
        holdsHandshake = false
        guard context != nil else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        pending.writeBuffer(&frames)
        if let promise { promises.append(promise) }
        sendPending()
    }

    /// Sends the handshake's answer, which waited for a greeting that is not sent.
    func endHandshake() {
        holdsHandshake = false
        sendPending()
    }

    /// Ends the connection.
    ///
    /// - Parameter resets: Whether the client sees a reset instead of an end.
    func cut(resets: Bool) {
        guard let context else { return }
        guard resets, let socket = context.channel as? any SocketOptionProvider else {
            return context.close(promise: nil)
        }
        socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).assumeIsolated().whenComplete { _ in
            context.close(promise: nil)
        }
    }

    private func sendPending() {
        guard let context, pending.readableBytes > 0 else { return }
        let (end, cut) = apply(to: pending, from: sent)
        sent += pending.readableBytes
        pending.clear()
        let waiting = promises
        promises = []
        guard end.readableBytes > 0 else {
            for promise in waiting { promise.fail(ChannelError.ioOnClosedChannel) }
            if let cut { self.cut(resets: cut.resets) }
            return
        }
        let written = context.eventLoop.makePromise(of: Void.self)
        for promise in waiting { written.futureResult.cascade(to: promise) }
        write(end, to: context, promise: written)
        guard let cut else { return }
        written.futureResult.assumeIsolated().whenComplete { _ in self.cut(resets: cut.resets) }
    }

    private func write(_ bytes: ByteBuffer, to context: ChannelHandlerContext, promise: EventLoopPromise<Void>) {
        var bytes = bytes
        for case .dribble(let size) in faults {
            while bytes.readableBytes > size, let piece = bytes.readSlice(length: max(1, size)) {
                context.writeAndFlush(wrapOutboundOut(.byteBuffer(piece)), promise: nil)
            }
        }
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(bytes)), promise: promise)
    }

    /// Applies the faults to bytes from a position on. Returns the bytes to send, and how the connection ends.
    private func apply(to bytes: ByteBuffer, from start: Int) -> (bytes: ByteBuffer, cut: Cut?) {
        guard !faults.isEmpty else { return (bytes, nil) }
        guard !isSilent else { return (ByteBuffer(), nil) }
        var bytes = bytes
        var insertions: [(at: Int, bytes: [UInt8])] = []
        var end = bytes.readableBytes
        var cut: Cut?
        for fault in faults {
            switch fault {
            case .cut(let limit, let resets) where limit - start <= end:
                end = max(0, limit - start)
                cut = Cut(resets: resets)
                isSilent = true
            case .stall(let limit) where limit - start < end:
                end = max(0, limit - start)
                isSilent = true
            case .insert(let garbage, let place) where (0..<end).contains(place - start):
                insertions.append((place - start, garbage))
            case .flip(let place) where (0..<end).contains(place - start):
                let index = bytes.readerIndex + place - start
                if let byte = bytes.getInteger(at: index, as: UInt8.self) { bytes.setInteger(~byte, at: index) }
            default: break
            }
        }
        return (Self.inserting(insertions, into: bytes.readSlice(length: end) ?? bytes), cut)
    }

    private static func inserting(_ insertions: [(at: Int, bytes: [UInt8])], into bytes: ByteBuffer) -> ByteBuffer {
        guard !insertions.isEmpty else { return bytes }
        var rest = bytes
        var result = ByteBuffer()
        var position = 0
        for (place, garbage) in insertions.sorted(by: { $0.at < $1.at }) where place <= bytes.readableBytes {
            if var part = rest.readSlice(length: place - position) { result.writeBuffer(&part) }
            position = place
            result.writeBytes(garbage)
        }
        result.writeBuffer(&rest)
        return result
    }
}
