import Foundation
import Glibc
import Synchronization

/// An HTTP server on the loopback interface that knows one file, with and without ranges.
final class FileServer: Sendable {
    let url: URL
    private let socket: Int32
    private let content: Data
    private let honoursRanges: Bool

    /// Begins to answer on a free port.
    init(_ content: Data, name: String, honoursRanges: Bool = true) throws {
        self.content = content
        self.honoursRanges = honoursRanges
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(socket, generic, length) == 0 && listen(socket, 8) == 0
                    && getsockname(socket, generic, &length) == 0
            }
        }
        self.socket = socket
        let port = UInt16(bigEndian: address.sin_port)
        guard isBound, let url = URL(string: "http://127.0.0.1:\(port)/\(name)") else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        self.url = url
        let listener = Thread { [socket, content, honoursRanges] in
            while case let connection = accept(socket, nil, nil), connection >= 0 {
                let answer = Thread { Self.answer(connection, content, honoursRanges: honoursRanges) }
                answer.start()
            }
        }
        listener.start()
    }

    deinit {
        shutdown(socket, Int32(SHUT_RDWR))
        close(socket)
    }

    /// Answers the requests of one connection.
    private static func answer(_ connection: Int32, _ content: Data, honoursRanges: Bool) {
        defer { close(connection) }
        while let request = readRequest(connection) {
            var range = 0..<content.count
            let asked = honoursRanges ? requestedStart(request) : nil
            if let asked, asked < content.count { range = asked..<content.count }
            var head = asked == nil ? "HTTP/1.1 200 OK\r\n" : "HTTP/1.1 206 Partial Content\r\n"
            if asked != nil {
                head += "Content-Range: bytes \(range.lowerBound)-\(content.count - 1)/\(content.count)\r\n"
            }
            head += "Content-Length: \(range.count)\r\nContent-Type: audio/flac\r\n"
            head += honoursRanges ? "Accept-Ranges: bytes\r\n\r\n" : "\r\n"
            guard send(Data(head.utf8), connection), request.hasPrefix("HEAD") || send(content[range], connection)
            else {
                return
            }
        }
    }

    private static func readRequest(_ connection: Int32) -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while recv(connection, &byte, 1, 0) == 1 {
            bytes.append(byte)
            if bytes.suffix(4) == [13, 10, 13, 10] { return String(decoding: bytes, as: UTF8.self) }
        }
        return nil
    }

    private static func requestedStart(_ request: String) -> Int? {
        guard let line = request.split(separator: "\r\n").first(where: { $0.lowercased().hasPrefix("range: bytes=") })
        else { return nil }
        return Int(line.dropFirst("range: bytes=".count).prefix { $0.isNumber })
    }

    private static func send(_ data: Data, _ connection: Int32) -> Bool {
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
