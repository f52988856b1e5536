public import Foundation

/// What ``LoopbackWebServer`` says to a request, and how it misbehaves.
public struct WebAnswer: Sendable {
    /// What happens to a connection.
    public enum Ending: Sendable {
        /// The whole body is sent, and the connection takes the next request.
        case complete
        /// The whole body is sent, and the connection ends.
        case closed
        /// The connection ends after so many bytes of the body.
        case cut(after: Int)
        /// After so many bytes of the body nothing more comes, and the connection stays.
        case stall(after: Int)
        /// After so many bytes of the body the rest waits until a gate opens.
        case hold(after: Int, WebGate)
        /// Not even a status is sent, and the connection ends.
        case hangUp
        /// Not even a status is sent, and the connection stays.
        case silence
    }

    /// The HTTP status.
    public var status: Int
    /// Headers beside `Content-Length`.
    public var headers: [String: String]
    /// What follows the headers.
    public var body: Data
    /// What `Content-Length` says; `nil` leaves it out, as radio stations do.
    public var announcedLength: Int?
    /// What happens to the connection.
    public var ending: Ending

    /// Describes an answer whose length is told truly.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - headers: Headers beside `Content-Length`.
    ///   - body: What follows the headers.
    ///   - ending: What happens to the connection.
    public init(status: Int = 200, headers: [String: String] = [:], body: Data = Data(), ending: Ending = .complete) {
        self.status = status
        self.headers = headers
        self.body = body
        self.ending = ending
        announcedLength = body.count
    }

    /// A file, or the part of it that was asked for.
    ///
    /// - Parameters:
    ///   - content: The whole file.
    ///   - request: What was asked for.
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
    /// - Parameter location: Where to; a path or a whole URL.
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
