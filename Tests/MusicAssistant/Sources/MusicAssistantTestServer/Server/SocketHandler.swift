internal import NIOCore
internal import NIOWebSocket

/// Assembles the frames of a client to messages for its session.
///
/// Lives on the server's event loop.
final class SocketHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame

    private let session: ClientConnection
    /// The beginning of a message in fragments.
    private var beginning: ByteBuffer?

    init(session: ClientConnection) { self.session = session }

    func handlerAdded(context: ChannelHandlerContext) { session.begin() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var frame = unwrapInboundIn(data)
        var payload = frame.unmaskedData
        switch frame.opcode {
        case .text where frame.fin: session.receive(payload)
        case .text: beginning = payload
        case .continuation:
            guard var message = beginning else { return session.close(code: 1002) }
            message.writeBuffer(&payload)
            guard message.readableBytes <= session.longestMessage else { return session.close(code: 1009) }
            beginning = frame.fin ? nil : message
            if frame.fin { session.receive(message) }
        case .ping: session.answerPing(payload)
        case .pong: session.noteAnswer()
        case .connectionClose: session.noteClose()
        // Binary messages are ignored.
        default: break
        }
        frame.data.clear()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        session.core.flush()
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
