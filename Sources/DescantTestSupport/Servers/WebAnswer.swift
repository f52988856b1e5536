public import Foundation
internal import Synchronization

/// The answer of a ``LoopbackWebServer`` to one request, including the faults of the connection.
public struct WebAnswer: Sendable {
    /// The end of an answer.
    public enum Ending: Sendable {
        /// The whole body is sent, and the connection takes the next request.
        case complete
        /// The whole body is sent, and the connection ends.
        case closed
        /// That many bytes of the body are sent, and the connection ends.
        case cut(after: Int)
        /// Only that many bytes of the body are sent, and the connection stays open.
        case stall(after: Int)
        /// That many bytes of the body are sent; the rest is sent when the gate opens.
        case hold(after: Int, WebGate)
        /// Nothing is sent, and the connection ends.
        case hangUp
        /// Nothing is sent, and the connection stays open.
        case silence
    }

    /// The HTTP status.
    public var status: Int
    /// Headers beside `Content-Length`.
    public var headers: [String: String]
    /// The bytes after the headers.
    public var body: Data
    /// The value of `Content-Length`; `nil` leaves the header out, as radio stations do.
    public var announcedLength: Int?
    /// What happens to the connection.
    public var ending: Ending

    /// Creates an answer whose `Content-Length` is the length of the body.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - headers: Headers beside `Content-Length`.
    ///   - body: The bytes after the headers.
    ///   - ending: What happens to the connection.
    public init(status: Int = 200, headers: [String: String] = [:], body: Data = Data(), ending: Ending = .complete) {
        self.status = status
        self.headers = headers
        self.body = body
        self.ending = ending
        announcedLength = body.count
    }

    /// Returns an answer with a file, or with the requested part of it.
    ///
    /// - Parameters:
    ///   - content: The whole file.
    ///   - request: The request with its range.
    ///   - type: The MIME type.
    ///   - ending: What happens to the connection; bytes count from the beginning of the part.
    public static func file(
        _ content: Data, for request: WebRequest, type: String = "application/octet-stream", ending: Ending = .complete
    ) -> WebAnswer {
        let headers = ["Content-Type": type, "Accept-Ranges": "bytes"]
        guard let start = request.rangeStart else { return WebAnswer(headers: headers, body: content, ending: ending) }
        guard start < content.count else {
            return WebAnswer(status: 416, headers: ["Content-Range": "bytes */\(content.count)"])
        }
        let range = ["Content-Range": "bytes \(start)-\(content.count - 1)/\(content.count)"]
        return WebAnswer(
            status: 206, headers: headers.merging(range) { $1 }, body: content.dropFirst(start), ending: ending)
    }

    /// A redirection.
    ///
    /// - Parameter location: The target; a path or a whole URL.
    public static func redirect(to location: String) -> WebAnswer {
        WebAnswer(status: 302, headers: ["Location": location])
    }

    /// The text before the body.
    var head: Data {
        var lines = ["HTTP/1.1 \(status) \(status < 300 ? "OK" : "Status")"]
        lines += headers.map { "\($0.key): \($0.value)" }
        if let announcedLength { lines.append("Content-Length: \(announcedLength)") }
        return Data((lines + ["", ""]).joined(separator: "\r\n").utf8)
    }
}

/// A request that a ``LoopbackWebServer`` received.
public struct WebRequest: Sendable, Hashable {
    /// The method, usually `GET` or `HEAD`.
    public let method: String
    /// The path with its query, from the first slash on.
    public let path: String
    /// The headers; names in lower case.
    public let headers: [String: String]

    /// The first byte of the requested range; `nil` for the whole file.
    public var rangeStart: Int? {
        guard let range = headers["range"], range.hasPrefix("bytes=") else { return nil }
        return Int(range.dropFirst(6).prefix { $0.isNumber })
    }

    /// Parses the text of a request; `nil` when it is not HTTP.
    init?(_ text: String) {
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: true)
        guard let words = lines.first?.split(separator: " "), words.count == 3 else { return nil }
        method = String(words[0])
        path = String(words[1])
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            headers[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
        }
        self.headers = headers
    }
}

/// Delays an answer of ``LoopbackWebServer`` until a test opens the gate.
public final class WebGate: Sendable {
    private let isOpen = Atomic(false)

    /// Creates a closed gate.
    public init() {}

    /// Opens the gate for good.
    public func open() { isOpen.store(true, ordering: .releasing) }

    /// Waits until the gate is open, at most a minute.
    func pass() {
        let deadline = ContinuousClock.now + .seconds(60)
        while !isOpen.load(ordering: .acquiring), ContinuousClock.now < deadline {
            Thread.sleep(forTimeInterval: 0.001)
        }
    }
}
