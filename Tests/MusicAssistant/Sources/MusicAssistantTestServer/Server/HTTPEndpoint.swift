internal import NIOCore
internal import NIOHTTP1

/// Answers HTTP requests other than upgrades: the description and the login.
///
/// Lives on the server's event loop.
final class HTTPEndpoint: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let core: ServerCore
    private let refusal: Int?
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()

    /// Creates an endpoint; with a refusal, requests for the web socket get this status.
    init(core: ServerCore, refusal: Int?) {
        self.core = core
        self.refusal = refusal
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body.clear()
        case .body(var part): if body.readableBytes < 1 << 20 { body.writeBuffer(&part) }
        case .end:
            guard let head else { return }
            let (status, json) = answer(head)
            respond(status, json, to: head, context: context)
        }
    }

    private func answer(_ head: HTTPRequestHead) -> (HTTPResponseStatus, JSON) {
        switch (head.method, head.uri.prefix { $0 != "?" }) {
        case (.GET, "/ws"): (HTTPResponseStatus(statusCode: refusal ?? 400), "No WebSocket UPGRADE hdr: None")
        case (.GET, "/info"): (.ok, core.scenario.description())
        case (.GET, "/auth/providers"): (.ok, ServerCore.loginProviders)
        case (.POST, "/auth/login"): login()
        default: (.notFound, "404: Not Found")
        }
    }

    private func login() -> (HTTPResponseStatus, JSON) {
        guard core.scenario.isSetUp else { return (.forbidden, ["success": false, "error": "Setup required"]) }
        let credentials = JSON(buffer: body)?["credentials"]
        guard let user = credentials?["username"]?.string, let password = credentials?["password"]?.string else {
            return (.unauthorized, ["success": false, "error": "Username and password required"])
        }
        guard let token = core.logIn(user, password) else {
            return (.unauthorized, ["success": false, "error": "Invalid username or password"])
        }
        return (.ok, ["success": true, "token": .string(token), "user": ServerCore.user(user)])
    }

    private func respond(
        _ status: HTTPResponseStatus, _ json: JSON, to request: HTTPRequestHead, context: ChannelHandlerContext
    ) {
        let text = ByteBuffer(string: json.string ?? json.text)
        let kind = json.string == nil ? "application/json; charset=utf-8" : "text/plain; charset=utf-8"
        var head = HTTPResponseHead(version: request.version, status: status)
        head.headers.add(name: "Content-Type", value: kind)
        head.headers.add(name: "Content-Length", value: String(text.readableBytes))
        if !request.isKeepAlive { head.headers.add(name: "Connection", value: "close") }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(text))), promise: nil)
        let written = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
        guard !request.isKeepAlive else { return }
        written.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
    }
}
