import DescantCore
import DescantMixing
import DescantTesting
import Foundation
import Synchronization
import Testing

/// A deck that never has data.
private final class EmptyDeck: Deck {
    let sampleRate = 48_000
    let frameCount: Int64? = nil
    let isFrameCountExact = false
    let rewindsInstantly = false
    let rate = 1.0
    private let watched = Atomic(false)
    private let end = EventCount()

    func read(into buffer: UnsafeMutablePointer<Float>, frames: Int) -> DeckRead {
        DeckRead(frames: 0, position: 0, condition: .starved)
    }

    /// The wait of the start, which is short, ends at once; that of a block without data, only when the test is over.
    func waitUntilReadable(deadline: UInt64) -> Bool {
        guard Int64(bitPattern: deadline &- MonotonicClock().now()) > 150_000_000 else { return false }
        watched.store(true, ordering: .relaxed)
        end.wait(after: 0)
        return false
    }

    var isWatched: Bool { watched.load(ordering: .relaxed) }
    func endWaits() { end.raise() }

    func seek(toFrame frame: Int64) {}
    func setRate(_ rate: Double, fromFrame frame: Int64) {}
    func close() {}
}

/// Opens empty decks by the last component of their URLs.
private struct EmptyDecks: DeckProvider {
    let decks: [String: EmptyDeck]

    func open(
        _ source: AudioSource, mix: PCMFormat, onEvent: @escaping @Sendable (DeckEvent) -> Void
    ) async throws -> OpenedDeck {
        guard case .url(let url) = source, let deck = decks[url.lastPathComponent] else {
            throw CoreError.notFound(source.name)
        }
        return OpenedDeck(
            deck: deck, name: source.name, sourceFormat: mix,
            track: TrackInfo(
                title: source.name, duration: 0,
                format: AudioFormat(
                    sampleRate: Double(mix.sampleRate), channelCount: mix.channels, codec: "PCM")),
            decoder: "test", decoderReason: "")
    }
}

/// A layer whose deck has no data, on an output that can be rendered again.
@Suite(.timeLimit(.minutes(1))) struct StarvedDeckTests {
    @Test func deckIsWatchedWhileTheOneBeforeItStillWaits() async throws {
        let decks = ["first": EmptyDeck(), "second": EmptyDeck()]
        let output = ManualOutput(
            format: PCMFormat(sampleRate: 48_000, channels: 2), isOffline: false, canRewind: true)
        let mixer = Mixer(
            decks: EmptyDecks(decks: decks), output: output, converters: SpreadingConverters(), identifier: "test")
        for name in ["first", "second"] {
            let deck = try await mixer.openDeck(
                .url(URL(fileURLWithPath: "/sounds/\(name)")), gain: 1, isClip: false)
            try await mixer.play(deck.id, on: mixer.mainLayer, entry: .cut, loop: nil)
            while decks[name]?.isWatched == false {
                await output.step(frames: 480)
                await Task.yield()
            }
        }
        decks.values.forEach { $0.endWaits() }
        await mixer.shutdown()
    }
}
