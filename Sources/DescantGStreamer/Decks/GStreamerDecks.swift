internal import CGStreamer
package import DescantCore
package import DescantMixing
internal import Dispatch
internal import Foundation

/// Opens files, streams and encoded bytes as decks on GStreamer.
package struct GStreamerDecks: DeckProvider {
    /// The longest that opening a local source may take, in seconds.
    package static let localTimeLimit = 10.0
    /// The longest that opening a network source may take, in seconds.
    package static let networkTimeLimit = 7.0

    private static let preparation = DispatchQueue(
        label: "descant.deck.preparation", qos: .userInitiated, attributes: .concurrent)

    /// Creates a provider; any number can exist.
    package init() {}

    /// Opens a source and waits for its first frame.
    ///
    /// - Throws: `CoreError` naming the source and, where there is one, the remedy; `CancellationError`.
    package func open(
        _ source: AudioSource, mix: PCMFormat, news: @escaping @Sendable (DeckNews) -> Void
    ) async throws -> OpenedDeck {
        guard (1...8).contains(mix.channels) else {
            throw CoreError.invalidArgument("\(mix.channels) channels; 1 to 8 are possible")
        }
        let opening = try await withCheckedThrowingContinuation { continuation in
            // Looking at files and making elements may take a while; threads of the cooperative pool must not wait for it.
            Self.preparation.async {
                continuation.resume(with: Result { try Self.prepare(source, channels: mix.channels, news: news) })
            }
        }
        return try await opening.run()
    }

    private static func prepare(
        _ source: AudioSource, channels: Int, news: @escaping @Sendable (DeckNews) -> Void
    ) throws -> DeckOpening {
        try GStreamerRuntime.start()
        let material = try material(for: source)
        let pipeline = try PlaybinPipeline(
            uri: material.uri, channels: channels, onSourceSetup: material.onSourceSetup)
        return DeckOpening(material: material, pipeline: pipeline, news: news)
    }

    private static func material(for source: AudioSource) throws -> PlaybinMaterial {
        switch source {
        case .url(let url) where url.isFileURL: return try fileMaterial(url)
        case .url(let url): return networkMaterial(url)
        case .data, .bytes: throw CoreError.unsupported("\(source.name): encoded bytes cannot be opened")
        case .pcm(let pcm): throw CoreError.unsupported("\(pcm.name) is PCM, which needs no decoder")
        }
    }

    private static func fileMaterial(_ url: URL) throws -> PlaybinMaterial {
        try LocalFileCheck.check(path: url.path)
        guard let uri = gst_filename_to_uri(url.path, nil) else {
            throw CoreError.invalidArgument("\(url.path) cannot be written as a URI")
        }
        defer { g_free(uri) }
        return PlaybinMaterial(
            name: url.path, fallbackTitle: url.deletingPathExtension().lastPathComponent, uri: String(cString: uri),
            timeLimit: localTimeLimit, exactLength: FileBytes(path: url.path).flatMap { LengthReader.read($0) })
    }

    private static func networkMaterial(_ url: URL) -> PlaybinMaterial {
        PlaybinMaterial(
            name: url.absoluteString, fallbackTitle: url.deletingPathExtension().lastPathComponent,
            uri: url.absoluteString, timeLimit: networkTimeLimit)
    }
}
