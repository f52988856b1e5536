public import DescantCore
package import DescantMixing
public import Foundation
internal import Synchronization

/// Opens sources of known samples as decks, with faults on demand: a library of sounds for a mixer without GStreamer.
///
/// PCM sources without a length are read ahead on a queue, as a real engine does; the channels are those of the mix then.
///
/// Knows PCM sources, URLs that were registered, and WAVE files in memory. Callable from any thread.
public final class MemoryDecks: Sendable {
    private struct State {
        var sounds: [URL: SampleBuffer] = [:]
        var faults: [String: DeckFault] = [:]
        var tracks: [String: TrackInfo] = [:]
        var decks: [WeakDeck] = []
        var openings: [String: [CheckedContinuation<Void, Never>]] = [:]
        var released: Set<String> = []
        var openedNames: [String] = []
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    private struct WeakDeck {
        weak var deck: MemoryDeck?
    }

    private let state = Mutex(State())

    /// Creates an empty library.
    public init() {}

    /// Makes a sound available under a URL.
    ///
    /// - Parameters:
    ///   - content: The sound.
    ///   - url: Its URL; need not exist.
    ///   - track: What is told of it; made from the URL by default.
    ///   - fault: How its decks misbehave.
    public func register(_ content: SampleBuffer, for url: URL, track: TrackInfo? = nil, fault: DeckFault? = nil) {
        let name = AudioSource.url(url).name
        state.withLock { state in
            state.sounds[url] = content
            state.faults[name] = fault
            state.tracks[name] = track
        }
    }

    /// Says how decks of a source misbehave that are opened from now on.
    ///
    /// - Parameters:
    ///   - fault: How they misbehave; `nil` for well.
    ///   - name: The source's name: a file's path or what it was called.
    public func setFault(_ fault: DeckFault?, for name: String) { state.withLock { $0.faults[name] = fault } }

    /// Lets held openings and starving decks of a source go on, now and in future.
    ///
    /// - Parameter name: The source's name.
    public func release(_ name: String) {
        let (waiting, decks) = state.withLock { state in
            state.released.insert(name)
            let waiting = state.openings.removeValue(forKey: name) ?? []
            return (waiting, state.decks.compactMap(\.deck).filter { $0.name == name })
        }
        for continuation in waiting { continuation.resume() }
        for deck in decks { deck.release() }
    }

    /// The names of all sources that were opened, in order.
    public var openedNames: [String] { state.withLock { $0.openedNames } }

    /// How many decks are in memory and not closed.
    public var openDeckCount: Int {
        state.withLock { $0.decks.compactMap(\.deck) }.filter { !$0.isClosed }.count
    }

    /// Waits until every deck that was opened is closed; closing goes on behind an engine.
    public func waitUntilAllAreClosed() async {
        await withCheckedContinuation { continuation in
            state.withLock { $0.watchers.append(continuation) }
            deckWasClosed()
        }
    }

    private func deckWasClosed() {
        guard openDeckCount == 0 else { return }
        let watchers = state.withLock { state in
            defer { state.watchers = [] }
            return state.watchers
        }
        for watcher in watchers { watcher.resume() }
    }

    private func content(of source: AudioSource) throws -> any PCMSource {
        switch source {
        case .pcm(let source): return source
        case .url(let url):
            guard let sound = state.withLock({ $0.sounds[url] }) else { throw CoreError.notFound(source.name) }
            return SampleSource(sound, name: source.name)
        case .data(let data, let name):
            return SampleSource(try WAVFile(data: data, name: name).content, name: name)
        case .bytes(let bytes):
            return SampleSource(try WAVFile(data: Self.readAll(bytes), name: bytes.name).content, name: bytes.name)
        }
    }

    private static func readAll(_ source: any ByteSource) throws -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = try buffer.withUnsafeMutableBytes { try source.read(into: $0) }
            if count == 0 { return data }
            data.append(contentsOf: buffer[..<count])
        }
    }

    private func awaitRelease(_ name: String) async {
        await withCheckedContinuation { continuation in
            let isReleased = state.withLock { state in
                if state.released.contains(name) { return true }
                state.openings[name, default: []].append(continuation)
                return false
            }
            if isReleased { continuation.resume() }
        }
    }

    private func track(of source: any PCMSource) -> TrackInfo {
        let format = source.format
        let fileName = URL(fileURLWithPath: source.name).deletingPathExtension().lastPathComponent
        return TrackInfo(
            title: fileName, duration: source.frameCount.map { format.seconds(of: $0) } ?? 0,
            format: AudioFormat(
                sampleRate: Double(format.sampleRate), channelCount: format.channels, codec: "PCM"))
    }
}

extension MemoryDecks: DeckProvider {
    package func open(
        _ source: AudioSource, mix: PCMFormat, onEvent: @escaping @Sendable (DeckEvent) -> Void
    ) async throws -> OpenedDeck {
        let name = source.name
        let (fault, known) = state.withLock { state in
            state.openedNames.append(name)
            return (state.faults[name] ?? DeckFault(), state.tracks[name])
        }
        if fault.opensOnRelease { await awaitRelease(name) }
        if let error = fault.openError { throw error }
        if case .pcm(let live) = source, live.frameCount == nil {
            // What has no length is made while it is heard: it is buffered as in a real engine.
            return try await BufferedDecks(converters: SincConverterFactory(), tempo: NoTempoChange())
                .open(live, channels: mix.channels, onEvent: onEvent)
        }
        let content = try content(of: source)
        let deck = MemoryDeck(content, fault: fault, channels: mix.channels) { [weak self] in self?.deckWasClosed() }
        let isReleased = state.withLock { state in
            state.decks.removeAll { $0.deck == nil }
            state.decks.append(WeakDeck(deck: deck))
            return state.released.contains(name)
        }
        if isReleased { deck.release() }
        return OpenedDeck(
            deck: deck, name: name, sourceFormat: content.format, track: known ?? track(of: content),
            decoder: "memory", decoderReason: "sounds in memory need no decoder")
    }
}
