public import Foundation
internal import Glibc
internal import Synchronization

/// A web server on the loopback interface whose answers a test chooses: whole files and ranges, redirections,
/// refusals, cut and stalled connections, wrong lengths.
public final class LoopbackWebServer: Sendable {
    /// Returns the answer to a request; called on the thread of the connection.
    public typealias Responder = @Sendable (WebRequest) -> WebAnswer

    /// The port, chosen by the system.
    public var port: Int { listener.port }

    private struct State {
        var connections: Set<Int32> = []
        var requests: [WebRequest] = []
        var isStopped = false
    }

    private let listener: ListeningSocket
    private let state = Mutex(State())
    private let respond: Responder

    /// Creates a server that listens on a port of 127.0.0.1.
    ///
    /// - Parameter respond: Returns the answer to a request; called on the thread of the connection.
    /// - Throws: `TestSupportError.failed` when no port is free.
    public init(_ respond: @escaping Responder) throws {
        self.respond = respond
        listener = try ListeningSocket()
        listener.accept { [weak self] connection in
            guard let self else { return _ = close(connection) }
            take(connection)
        }
    }

    deinit { stop() }

    /// The URL of a path.
    ///
    /// - Parameters:
    ///   - path: From the first slash on.
    ///   - userInfo: A name and password to put before the host: `user:password`.
    public func url(_ path: String, userInfo: String? = nil) -> URL {
        let name = userInfo.map { $0 + "@" } ?? ""
        return URL(string: "http://\(name)127.0.0.1:\(port)\(path)") ?? URL(fileURLWithPath: path)
    }

    /// The requests so far, in the order of arrival.
    public var requests: [WebRequest] { state.withLock { $0.requests } }

    /// Closes every connection and accepts no more.
    public func stop() {
        listener.shutDown()
        state.withLock { state in
            state.isStopped = true
            for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
        }
    }

    private func take(_ connection: Int32) {
        let isWanted = state.withLock { state in
            if !state.isStopped { state.connections.insert(connection) }
            return !state.isStopped
        }
        guard isWanted else { return _ = close(connection) }
        let thread = Thread { [weak self] in
            while let text = Self.readRequest(connection), let self, self.answer(text, on: connection) {}
            self?.end(connection)
        }
        thread.start()
    }

    /// Closes under the lock: after `close` the descriptor may belong to another file, which `stop()` must not shut down.
    private func end(_ connection: Int32) {
        state.withLock { state in
            state.connections.remove(connection)
            shutdown(connection, Int32(SHUT_RDWR))
            close(connection)
        }
    }

    /// - Returns: Whether the connection takes another request.
    private func answer(_ text: String, on connection: Int32) -> Bool {
        guard let request = WebRequest(text) else { return false }
        state.withLock { $0.requests.append(request) }
        let answer = respond(request)
        switch answer.ending {
        case .hangUp: return false
        case .silence: return Self.waitForEnd(of: connection)
        default: break
        }
        guard Self.send(answer.head, to: connection) else { return false }
        if request.method == "HEAD" { return true }
        return Self.sendBody(of: answer, to: connection)
    }

    private static func sendBody(of answer: WebAnswer, to connection: Int32) -> Bool {
        switch answer.ending {
        case .complete: return send(answer.body, to: connection) && answer.announcedLength == answer.body.count
        case .cut(let count):
            _ = send(answer.body.prefix(count), to: connection)
            return false
        case .stall(let count):
            return send(answer.body.prefix(count), to: connection) && waitForEnd(of: connection)
        case .hold(let count, let gate):
            guard send(answer.body.prefix(count), to: connection) else { return false }
            gate.pass()
            return send(answer.body.dropFirst(count), to: connection)
        case .closed, .hangUp, .silence:
            _ = send(answer.body, to: connection)
            return false
        }
    }

    private static func readRequest(_ connection: Int32) -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.count < 65_536, recv(connection, &byte, 1, 0) == 1 {
            bytes.append(byte)
            if bytes.suffix(4) == [13, 10, 13, 10] { return String(decoding: bytes, as: UTF8.self) }
        }
        return nil
    }

    /// Sends nothing until the client closes the connection.
    private static func waitForEnd(of connection: Int32) -> Bool {
        var byte: UInt8 = 0
        while recv(connection, &byte, 1, 0) > 0 {}
        return false
    }

    private static func send(_ data: Data, to connection: Int32) -> Bool {
        data.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count, let base = bytes.baseAddress {
                let count = Glibc.send(connection, base + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
                if count <= 0 { return false }
                sent += count
            }
            return true
        }
    }
}
