public import DescantCore
package import DescantMixing
public import Foundation
internal import Synchronization

/// Opens sources of known samples as decks, with faults that a test sets, for a mixer without GStreamer.
///
/// PCM sources without a length are read ahead on a queue, as in a real engine; they must have the channels of the mix.
///
/// Opens PCM sources, registered URLs, and WAVE files in memory. Callable from any thread.
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
        let onEvent: @Sendable (DeckEvent) -> Void
    }

    private let state = Mutex(State())

    /// Creates an empty library.
    public init() {}

    /// Makes a sound available under a URL.
    ///
    /// - Parameters:
    ///   - content: The sound.
    ///   - url: Its URL; need not exist.
    ///   - track: The tags to report; made from the URL by default.
    ///   - fault: The faults of its decks.
    public func register(_ content: SampleBuffer, for url: URL, track: TrackInfo? = nil, fault: DeckFault? = nil) {
        let name = AudioSource.url(url).name
        state.withLock { state in
            state.sounds[url] = content
            state.faults[name] = fault
            state.tracks[name] = track
        }
    }

    /// Sets the faults of a source's decks that are opened from now on.
    ///
    /// - Parameters:
    ///   - fault: The faults; `nil` for none.
    ///   - name: The source's name: the path of a file, or the name given to a source in memory.
    public func setFault(_ fault: DeckFault?, for name: String) { state.withLock { $0.faults[name] = fault } }

    /// Continues waiting openings and starved decks of a source, now and in future.
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

    /// Reports other tags for the open decks of a source, as an engine does that finds them after the opening.
    ///
    /// - Parameters:
    ///   - track: The tags.
    ///   - name: The source's name.
    package func report(_ track: TrackInfo, of name: String) { report(.trackInfoChanged(track), of: name) }

    /// Reports that the open decks of a source wait for data, or have them again.
    ///
    /// - Parameters:
    ///   - percent: How full the buffer is, 0…100; at 100 the wait is over.
    ///   - name: The source's name.
    package func report(buffering percent: Int, of name: String) { report(.buffering(percent: percent), of: name) }

    private func report(_ event: DeckEvent, of name: String) {
        let receivers = state.withLock { state in
            state.decks.compactMap { $0.deck?.name == name ? $0.onEvent : nil }
        }
        for receive in receivers { receive(event) }
    }

    /// The names of all sources that were opened, in order.
    public var openedNames: [String] { state.withLock { $0.openedNames } }

    /// The number of decks that are not closed.
    public var openDeckCount: Int {
        state.withLock { $0.decks.compactMap(\.deck) }.filter { !$0.isClosed }.count
    }

    /// Waits until every deck is closed; an engine closes decks in the background.
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
            // A source without a length is produced while it is heard, and buffered as in a real engine.
            return try await BufferedDecks(converters: SincConverterFactory(), tempo: NoTempoChange())
                .open(live, channels: mix.channels, onEvent: onEvent)
        }
        let content = try content(of: source)
        let deck = MemoryDeck(content, fault: fault, channels: mix.channels) { [weak self] in self?.deckWasClosed() }
        let isReleased = state.withLock { state in
            state.decks.removeAll { $0.deck == nil }
            state.decks.append(WeakDeck(deck: deck, onEvent: onEvent))
            return state.released.contains(name)
        }
        if isReleased { deck.release() }
        return OpenedDeck(
            deck: deck, name: name, sourceFormat: content.format, track: known ?? track(of: content),
            decoder: "memory", decoderReason: "sounds in memory need no decoder")
    }
}
