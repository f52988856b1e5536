internal import DescantContainers
internal import CGStreamer
internal import CGStreamerShim
package import DescantCore
package import DescantMixing
internal import Foundation

/// Opens files, streams and encoded bytes as decks on GStreamer.
package struct GStreamerDecks: DeckProvider {
    /// The time limit for opening a local source, in seconds.
    package static let localTimeLimit = 10.0
    /// The time limit for opening a network source, in seconds.
    package static let networkTimeLimit = 7.0

    private let access: @Sendable () -> NetworkAccess

    /// Creates a provider; any number can exist.
    ///
    /// - Parameter access: The credentials and headers for servers, read at every opening.
    package init(access: @escaping @Sendable () -> NetworkAccess = { NetworkAccess() }) { self.access = access }

    /// Opens a source and waits for its first frame.
    ///
    /// - Throws: `CoreError` naming the source and, where there is one, the remedy; `CancellationError`.
    package func open(
        _ source: AudioSource, mix: PCMFormat, onEvent: @escaping @Sendable (DeckEvent) -> Void
    ) async throws -> OpenedDeck {
        guard (1...8).contains(mix.channels) else {
            throw CoreError.invalidArgument("\(mix.channels) channels; 1 to 8 are possible")
        }
        return try await PipelineOpening(source, access: access, channels: mix.channels, onEvent: onEvent).run()
    }
}

extension GStreamerDecks: TrackDescriber {
    /// Title, tags and codec of a source: from a FLAC file's own header, otherwise by opening the source for a moment.
    ///
    /// - Throws: The errors of opening.
    package func describe(_ source: AudioSource) async throws -> TrackInfo {
        if case .url(let url) = source, url.isFileURL, let track = try await Self.flacDescription(url) { return track }
        let opened = try await open(source, mix: PCMFormat(sampleRate: 48_000, channels: 2)) { _ in }
        opened.deck.close()
        return opened.info.track
    }

    /// Reads a file's header on a thread that may wait for a disk.
    private static func flacDescription(_ url: URL) async throws -> TrackInfo? {
        try await withCheckedThrowingContinuation { continuation in
            DedicatedQueue.run("descant.deck.description") {
                continuation.resume(
                    with: Result {
                        guard let file = FileBytes(path: url.path) else { return nil }
                        try GStreamerRuntime.start()
                        return FLACDescription.read(
                            file, fallbackTitle: url.deletingPathExtension().lastPathComponent)
                    })
            }
        }
    }
}

extension GStreamerDecks {
    /// The elements of the usual formats.
    private static let usualElements = [
        "typefind", "decodebin", "uridecodebin", "filesrc", "flacparse", "flacdec", "wavparse", "mpegaudioparse",
        "mpg123audiodec", "id3demux", "oggdemux", "vorbisdec", "opusdec", "opusparse", "multiqueue",
        "streamsynchronizer",
    ]

    /// Loads the elements of the usual formats, in some 40 ms of one core, once in a process.
    ///
    /// Called before a foreign library is loaded: when one of its C constructors hangs, the dynamic linker cannot load
    /// anything any more, and GStreamer could open only files whose elements are loaded.
    package static func loadElements() {
        guard (try? GStreamerRuntime.start()) != nil else { return }
        (usualElements + rarerElements).forEach(GStreamerRuntime.load)
        // Type finders, which examine a file's first bytes, are not elements.
        if let typeFinders = gst_plugin_load_by_name("typefindfunctions") {
            gst_object_unref(UnsafeMutableRawPointer(typeFinders))
        }
    }

    /// The elements of other formats, and for other rates and channels. Those of libav are not among them: they take
    /// 200 ms to load.
    private static let rarerElements = [
        "playbin", "appsink", "audioconvert", "audioresample", "pitch", "scaletempo", "volume", "audiomixer", "qtdemux",
        "aacparse",
        "matroskademux", "aiffparse", "wavpackparse", "wavpackdec", "apedemux", "icydemux", "giosrc", "souphttpsrc",
    ]

    /// Loads everything that decoding any installed format may need, for a process that cannot open files afterwards. Takes some
    /// 300 ms of one core.
    ///
    /// - Throws: `CoreError.unsupported` when GStreamer cannot start.
    package static func loadAllDecoders() throws {
        try GStreamerRuntime.start()
        loadElements()
        descant_load_decoders()
        // Types and tables that are made by the first use.
        let silence = AudioSource.data(silentWAV, name: "silence.wav")
        try PipelineOpening(silence, access: { NetworkAccess() }, channels: nil) { _ in }.runBlocking().deck.close()
    }

    /// A tenth of a second of mono silence at 8 kHz, 8 bits.
    private static var silentWAV: Data {
        var file = Data("RIFF".utf8)
        file.append(contentsOf: [0x44, 0x03, 0, 0])
        file.append(Data("WAVEfmt ".utf8))
        file.append(contentsOf: [16, 0, 0, 0, 1, 0, 1, 0, 0x40, 0x1F, 0, 0, 0x40, 0x1F, 0, 0, 1, 0, 8, 0])
        file.append(Data("data".utf8))
        file.append(contentsOf: [0x20, 0x03, 0, 0])
        file.append(Data(repeating: 0x80, count: 800))
        return file
    }
}
