import Dispatch
import Foundation
import Glibc
import Synchronization

/// A web server for one file, that behaves or not.
final class LocalServer: Sendable {
    enum Manner: Sendable {
        /// Serves whole files and ranges.
        case good
        /// Serves whole files whatever was asked for.
        case withoutRanges
        /// Answers with this status and no file.
        case status(Int)
        /// Accepts connections and never answers.
        case silent
        /// Ends the connection after so many bytes, and knows no ranges.
        case cutAfter(Int)
    }

    let url: URL
    private let listener: Int32
    private let manner: Manner
    private let file: Data
    private let open = Mutex<[Int32]>([])

    init(_ file: Data, manner: Manner, path: String = "noise.bin") throws {
        self.file = file
        self.manner = manner
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { [listener] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(listener, generic, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, generic, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRINUSE) }
        url =
            URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/\(path)") ?? URL(fileURLWithPath: "/")
        DispatchQueue(label: "server").async { [self, listener] in
            while true {
                let connection = accept(listener, nil, nil)
                if connection < 0 { return }
                open.withLock { $0.append(connection) }
                DispatchQueue.global().async { self.serve(connection) }
            }
        }
    }

    /// Ends every connection and takes no more.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        for connection in open.withLock({ $0 }) { shutdown(connection, Int32(SHUT_RDWR)) }
    }

    private func serve(_ connection: Int32) {
        while let request = readRequest(connection) {
            if case .silent = manner { return }
            let wanted = range(in: request)
            guard answer(connection, from: wanted, onlyHead: request.hasPrefix("HEAD")) else { break }
        }
        shutdown(connection, Int32(SHUT_RDWR))
    }

    private func readRequest(_ connection: Int32) -> String? {
        var text = ""
        var byte = [UInt8](repeating: 0, count: 1_024)
        while !text.contains("\r\n\r\n") {
            let count = recv(connection, &byte, byte.count, 0)
            guard count > 0 else { return nil }
            text += String(decoding: byte[..<count], as: UTF8.self)
        }
        return text
    }

    private func range(in request: String) -> Int? {
        guard let line = request.split(separator: "\r\n").first(where: { $0.lowercased().hasPrefix("range: bytes=") })
        else { return nil }
        return Int(line.dropFirst(13).prefix { $0.isNumber })
    }

    /// Returns whether the connection may go on.
    private func answer(_ connection: Int32, from start: Int?, onlyHead: Bool) -> Bool {
        var body = file
        var head = "HTTP/1.1 200 OK\r\n"
        switch manner {
        case .status(let code):
            head = "HTTP/1.1 \(code) Refused\r\n"
            body = Data()
        case .good:
            head += "Accept-Ranges: bytes\r\n"
            if let start, start <= file.count {
                head = "HTTP/1.1 206 Partial\r\nContent-Range: bytes \(start)-\(file.count - 1)/\(file.count)\r\n"
                body = file.dropFirst(start)
            }
        case .withoutRanges, .silent, .cutAfter: break
        }
        head += "Content-Length: \(body.count)\r\nContent-Type: application/octet-stream\r\n\r\n"
        guard send(connection, Data(head.utf8)) else { return false }
        if onlyHead { return true }
        if case .cutAfter(let bytes) = manner {
            _ = send(connection, body.prefix(bytes))
            return false
        }
        return send(connection, body)
    }

    private func send(_ connection: Int32, _ data: Data) -> Bool {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
