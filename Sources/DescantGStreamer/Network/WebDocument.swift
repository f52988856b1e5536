internal import CGStreamer
internal import CGStreamerShim
package import DescantCore
internal import Dispatch
public import Foundation
internal import Synchronization

/// A document of a web server, such as a playlist.
public struct WebDocument: Sendable, Hashable {
    /// The address behind all redirections, without a user name and password. Relative addresses in the document count from it.
    public let url: URL
    /// The media type that the server gives, in lower case and without parameters, such as `audio/x-scpls`; `nil` when it gives none.
    public let contentType: String?
    /// The bytes; `nil` when the reader did not want this type of content.
    public let data: Data?
}

/// Loads one document of a web server with the source element that plays from there, too: with the same headers, passwords,
/// certificates and proxies.
package struct WebDocumentLoader: Sendable {
    /// The maximum number of redirections.
    private static let maximumRedirections = 10

    private let access: NetworkAccess
    private let limit: Int
    private let reads: @Sendable (String?) -> Bool

    /// - Parameters:
    ///   - access: The credentials and headers for servers.
    ///   - limit: The maximum size in bytes.
    ///   - reads: Whether a document of a type is read; asked before its first byte.
    package init(access: NetworkAccess, limit: Int, reads: @escaping @Sendable (_ contentType: String?) -> Bool) {
        self.access = access
        self.limit = limit
        self.reads = reads
    }

    /// Loads a document.
    ///
    /// - Parameters:
    ///   - url: An `http:` or `https:` address.
    ///   - timeLimit: The time limit in seconds, all redirections included; clamped to 0…86,400.
    /// - Throws: `CoreError` naming the address; `CancellationError`.
    package func load(_ url: URL, within timeLimit: Double) async throws -> WebDocument {
        // A day at most.
        let timeLimit = timeLimit.isNaN ? 0 : min(max(0, timeLimit), 86_400)
        let access = access.withCredentials(of: url)
        let end = ContinuousClock.now + .seconds(timeLimit)
        var address = url
        for _ in 0...Self.maximumRedirections {
            let request = access.request(for: address)
            let name = request.url.absoluteString
            guard ["http", "https"].contains(request.url.scheme?.lowercased()), request.url.host() != nil else {
                throw CoreError.unsupported("\(name) is not an http: or https: address")
            }
            let transfer = WebTransfer(
                NetworkSource(request: request, timeLimit: access.timeLimit), name: name, limit: limit, reads: reads)
            switch try await transfer.run(until: end) {
            case .redirection(let location):
                guard let target = URL(string: location, relativeTo: request.url)?.absoluteURL else {
                    throw CoreError.ioError("\(name): the server redirects to \"\(location)\", which is not an address")
                }
                address = target
            case .document(let type, let data): return WebDocument(url: request.url, contentType: type, data: data)
            case nil:
                throw CoreError.ioError("\(name) did not arrive within \(Int(timeLimit.rounded(.up))) s")
            }
        }
        throw CoreError.ioError(
            "\(url.withoutSecrets.absoluteString): the server redirects more than \(Self.maximumRedirections) times")
    }
}

/// One request and its response.
private final class WebTransfer: Sendable {
    /// How a request ends.
    enum Response: Sendable {
        case redirection(String)
        case document(type: String?, Data?)
    }

    private let source: NetworkSource
    private let name: String
    private let limit: Int
    private let reads: @Sendable (String?) -> Bool
    private let outcome = Promise<Result<Response, any Error>>()
    private let received = Mutex((response: HTTPResponse?.none, data: Data()))

    init(_ source: NetworkSource, name: String, limit: Int, reads: @escaping @Sendable (String?) -> Bool) {
        self.source = source
        self.name = name
        self.limit = limit
        self.reads = reads
    }

    /// Sends the request and waits for the end of the document.
    ///
    /// - Returns: `nil` when the time is up.
    func run(until end: ContinuousClock.Instant) async throws -> Response? {
        // Changes of state may block.
        let queue = DispatchQueue(label: "descant.web.document", qos: .userInitiated)
        let pipeline = Mutex<GStreamerElement?>(nil)
        queue.async { [self] in
            do {
                let made = try makePipeline()
                pipeline.withLock { $0 = made }
                if !made.setState(GST_STATE_PLAYING) {
                    outcome.resolve(.failure(CoreError.ioError("\(name) cannot be opened")))
                }
            } catch {
                outcome.resolve(.failure(error))
            }
        }
        defer {
            queue.async {
                guard let made = pipeline.withLock({ $0 }) else { return }
                made.setState(GST_STATE_NULL)
                BusListener.stop(made)
            }
        }
        return try await withTaskCancellationHandler {
            try await outcome.value(within: max(0, ContinuousClock.now.duration(to: end) / .seconds(1)))?.get()
        } onCancel: {
            self.outcome.resolve(.failure(CancellationError()))
        }
    }

    private func makePipeline() throws -> GStreamerElement {
        let pipeline = try GStreamerElement.pipeline()
        let web = try GStreamerElement("souphttpsrc")
        let sink = try GStreamerElement("fakesink")
        // The name by which errors of a source are known.
        gst_object_set_name(web.as(GstObject.self), "source")
        descant_gst_set_string(web.pointer, "location", source.request.url.absoluteString)
        source.configure(web.pointer)
        // Titles of stations would lie between the bytes.
        web.set("iradio-mode", false)
        pipeline.add(web, sink)
        try GStreamerElement.link([web, sink])
        BufferProbe.attach(to: "sink", of: sink) { [weak self] in self?.take($0) }
        BusListener.listen(to: pipeline) { [weak self] in self?.receive($0) }
        return pipeline
    }

    /// Keeps bytes; called on the streaming thread.
    private func take(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        var bytes = [UInt8](repeating: 0, count: Int(gst_buffer_get_size(buffer)))
        let count = Int(gst_buffer_extract(buffer, 0, &bytes, gsize(bytes.count)))
        let isTooLong = received.withLock { received in
            guard received.data.count + count <= limit else { return true }
            received.data.append(contentsOf: bytes[..<count])
            return false
        }
        guard isTooLong else { return }
        outcome.resolve(.failure(CoreError.unsupported("\(name) has more than \(limit) bytes")))
    }

    /// Handles a message of the bus, on the thread that caused it.
    private func receive(_ message: UnsafeMutablePointer<GstMessage>) {
        switch message.pointee.type {
        case GST_MESSAGE_ELEMENT:
            guard let response = HTTPResponse(parsing: message) else { return }
            received.withLock { $0.response = response }
            if (300..<400).contains(response.status), let location = response.location {
                outcome.resolve(.success(.redirection(location)))
            } else if (200..<300).contains(response.status), !reads(response.contentType) {
                outcome.resolve(.success(.document(type: response.contentType, nil)))
            }
        case GST_MESSAGE_EOS:
            let (response, data) = received.withLock { $0 }
            outcome.resolve(.success(.document(type: response?.contentType, data)))
        case GST_MESSAGE_ERROR:
            guard var failure = StreamFailure(parsing: message) else { return }
            let response = received.withLock { $0.response }
            failure.status = response?.status
            let error = ErrorMapping.coreError(.stream(failure), name: name, position: nil)
            guard ServerCertificate.isSuspect(.stream(failure), source.request.url, response: response) else {
                outcome.resolve(.failure(error))
                return
            }
            DedicatedQueue.run("descant.web.certificate") { [outcome, source, name] in
                let problem = ServerCertificate.problem(
                    at: source.request.url, timeLimit: source.timeLimit, name: name)
                outcome.resolve(.failure(problem ?? error))
            }
        default: break
        }
    }
}
