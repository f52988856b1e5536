#if MusicAssistant
internal import NIOCore
internal import NIOWebSocket

/// Turns frames into messages and back; the last handler of a link's pipeline.
final class WebSocketHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// Events that a link sends to its handler.
    enum Request: Sendable {
        case drain, ping, sayGoodbye
    }

    private let link: WebSocketLink
    private let owner: WebSocketLink.Owner
    private var unfinished: ByteBuffer?

    init(link: WebSocketLink, owner: WebSocketLink.Owner) {
        self.link = link
        self.owner = owner
    }

    func handlerAdded(context: ChannelHandlerContext) { link.opened.succeed(()) }

    // MARK: Receiving

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .text: begin(frame, context)
        case .continuation: appendFragment(frame)
        case .ping: answer(frame, context)
        case .connectionClose: end(frame, context)
        default: break
        }
    }

    private func begin(_ frame: WebSocketFrame, _ context: ChannelHandlerContext) {
        guard unfinished == nil else { return stop("a message began within another one", context) }
        if frame.fin {
            frame.unmaskedData.withUnsafeReadableBytes(owner.received)
        } else {
            unfinished = frame.unmaskedData
        }
    }

    private func appendFragment(_ frame: WebSocketFrame) {
        var part = frame.unmaskedData
        // Binary messages are ignored; the protocol has none.
        guard unfinished != nil else { return }
        unfinished?.writeBuffer(&part)
        guard frame.fin, let message = unfinished else { return }
        unfinished = nil
        message.withUnsafeReadableBytes(owner.received)
    }

    /// Pongs are not queued for a server that does not read; a later one answers its pings.
    private func answer(_ frame: WebSocketFrame, _ context: ChannelHandlerContext) {
        guard context.channel.isWritable else { return }
        write(.pong, frame.unmaskedData, context)
        context.flush()
    }

    private func end(_ frame: WebSocketFrame, _ context: ChannelHandlerContext) {
        var data = frame.unmaskedData
        let code = data.readInteger(as: UInt16.self)
        let words = data.readString(length: data.readableBytes) ?? ""
        let reason = "the server closed it\(code.map { " with code \($0)" } ?? "")\(words.isEmpty ? "" : ": \(words)")"
        link.end(reason)
        if context.channel.isWritable { context.writeAndFlush(wrapOutboundOut(goodbye(context)), promise: nil) }
        context.close(promise: nil)
    }

    private func stop(_ reason: String, _ context: ChannelHandlerContext) {
        link.end(reason)
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        link.opened.fail(error)
        stop("\(error)", context)
    }

    // MARK: Sending

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { drain(context) }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event as? Request {
        case .drain: drain(context)
        case .ping:
            guard context.channel.isWritable else { return }
            write(.ping, context.channel.allocator.buffer(string: "descant"), context)
            context.flush()
        case .sayGoodbye: context.writeAndFlush(wrapOutboundOut(goodbye(context)), promise: nil)
        case nil: context.fireUserInboundEventTriggered(event)
        }
    }

    private func drain(_ context: ChannelHandlerContext) {
        var hasWritten = false
        while context.channel.isWritable, let message = owner.nextOutgoing() {
            write(.text, context.channel.allocator.buffer(bytes: message), context)
            hasWritten = true
        }
        if hasWritten { context.flush() }
    }

    private func write(_ opcode: WebSocketOpcode, _ data: ByteBuffer, _ context: ChannelHandlerContext) {
        let frame = WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data)
        context.write(wrapOutboundOut(frame), promise: nil)
    }

    private func goodbye(_ context: ChannelHandlerContext) -> WebSocketFrame {
        var data = context.channel.allocator.buffer(capacity: 2)
        data.writeInteger(UInt16(1000))
        return WebSocketFrame(fin: true, opcode: .connectionClose, maskKey: .random(), data: data)
    }
}
#endif
