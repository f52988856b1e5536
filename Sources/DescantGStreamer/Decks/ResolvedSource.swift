internal import CGStreamer
internal import DescantContainers
internal import DescantCore
internal import Foundation

/// A source in the form that playbin takes: a URI, and a byte stream when Descant has to feed it.
struct ResolvedSource: Sendable {
    typealias StreamMaker = @Sendable (@escaping @Sendable (any Error) -> Void) -> any ByteStream

    /// What errors call it.
    var name: String
    /// The title when no tag gives one.
    var fallbackTitle: String
    var uri: String
    /// The length from the headers; `nil` when they have none.
    var exactLength: ExactLength?
    /// Makes the byte stream of the pipeline; `nil` for a URI that GStreamer reads itself.
    var makeStream: StreamMaker?
    /// The network settings; `nil` for sources that are not on the web.
    var network: NetworkSource?

    /// Resolves a source.
    ///
    /// - Parameters:
    ///   - source: What to play.
    ///   - access: The credentials and headers for servers.
    ///   - address: The target of a redirection.
    /// - Throws: `CoreError` for a file that is missing or cannot hold sound, and for PCM, which has no encoding.
    init(_ source: AudioSource, access: NetworkAccess, address: URL? = nil) throws {
        name = source.name
        fallbackTitle = URL(fileURLWithPath: source.name).deletingPathExtension().lastPathComponent
        switch source {
        case .url(let url) where url.isFileURL:
            // GStreamer reports a missing file, a directory and an empty file alike.
            try LocalFile(path: url.path).readBeginning()
            let file = FileBytes(path: url.path)
            if let problem = file.flatMap({ ReferenceMovie.problem(in: $0) }) {
                throw ErrorMapping.coreError(.refused(problem), name: name, position: nil)
            }
            exactLength = file.flatMap { ExactLength.read($0) }
            if exactLength?.patches.isEmpty == false {
                uri = Self.appSourceURI
                makeStream = Self.fileStream(url.path)
            } else {
                uri = try Self.uri(ofPath: url.path)
            }
        case .url(let url):
            let request = access.withCredentials(of: url).request(for: address ?? url)
            uri = request.url.absoluteString
            if ["http", "https"].contains(request.url.scheme?.lowercased()) {
                network = NetworkSource(request: request, timeLimit: access.timeLimit)
            }
        case .data(let data, let name):
            guard !data.isEmpty else { throw CoreError.decodeError("\(name) is empty (0 bytes)") }
            uri = Self.appSourceURI
            makeStream = { _ in MemoryByteStream(data) }
        case .bytes(let bytes):
            uri = Self.appSourceURI
            makeStream = { ByteSourcePump(bytes, onFailure: $0) }
        case .pcm(let pcm): throw CoreError.unsupported("\(pcm.name) is PCM, which needs no decoder")
        }
    }

    private static func fileStream(_ path: String) -> StreamMaker {
        { report in
            if let bytes = FileBytes(path: path) { return FileByteStream(bytes) }
            report(CoreError.ioError("\(path) cannot be opened any more"))
            return MemoryByteStream(Data())
        }
    }

    /// The URI for which playbin makes an appsrc.
    private static let appSourceURI = "appsrc://"

    private static func uri(ofPath path: String) throws -> String {
        guard let uri = gst_filename_to_uri(path, nil) else {
            throw CoreError.invalidArgument("\(path) cannot be written as a URI")
        }
        defer { g_free(uri) }
        return String(cString: uri)
    }
}

extension NetworkAccess {
    /// The settings with the credentials in a URL itself: another attempt, and a redirection to what lies below it, need them, too.
    func withCredentials(of url: URL) -> NetworkAccess {
        guard let user = url.user(percentEncoded: false), !user.isEmpty else { return self }
        var access = self
        try? access.setCredentials(user: user, password: url.password(percentEncoded: false), for: url.withoutSecrets)
        return access
    }
}
