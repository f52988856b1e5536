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
    private let outlived = Atomic(false)

    func read(into buffer: UnsafeMutablePointer<Float>, frames: Int) -> DeckRead {
        DeckRead(frames: 0, position: 0, condition: end.raises > 0 ? .ended : .starved)
    }

    /// The wait of the start, which is short, ends at once; that of a block without data lasts until the deck is closed.
    func waitUntilReadable(deadline: UInt64) -> Bool {
        guard Int64(bitPattern: deadline &- MonotonicClock().now()) > 150_000_000 else { return false }
        watched.store(true, ordering: .relaxed)
        let isOver = end.wait(after: 0, deadline: deadline)
        if !isOver { outlived.store(true, ordering: .relaxed) }
        return isOver
    }

    /// Whether a wait lasted until its deadline.
    var outlivedADeadline: Bool { outlived.load(ordering: .relaxed) }

    var isWatched: Bool { watched.load(ordering: .relaxed) }

    func seek(toFrame frame: Int64) {}
    func setRate(_ rate: Double, fromFrame frame: Int64) {}
    func close() { end.raise() }
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
        decks.values.forEach { $0.close() }
        await mixer.shutdown()
    }

    /// An offline render waits up to 30 s for a source; a shutdown ends that wait.
    @Test func shutdownEndsAnOfflineRenderThatWaits() async throws {
        let deck = EmptyDeck()
        let output = ManualOutput(format: PCMFormat(sampleRate: 48_000, channels: 2), isOffline: true)
        let mixer = Mixer(
            decks: EmptyDecks(decks: ["stalled": deck]), output: output, converters: SpreadingConverters(),
            identifier: "test")
        let opened = try await mixer.openDeck(.url(URL(fileURLWithPath: "/sounds/stalled")), gain: 1, isClip: false)
        try await mixer.play(opened.id, on: mixer.mainLayer, entry: .cut, loop: nil)
        try await mixer.setFollowUp(.nothing, on: mixer.mainLayer)
        let render = Task { try await mixer.advance(frames: 48_000, untilIdle: mixer.mainLayer) }
        while !deck.isWatched { await Task.yield() }
        await #expect(throws: CoreError.invalidState("the engine is being advanced already")) {
            try await mixer.advance(frames: 1, untilIdle: nil)
        }
        await mixer.shutdown()
        await #expect(throws: CoreError.invalidState("the engine was shut down while it rendered")) {
            try await render.value
        }
        #expect(!deck.outlivedADeadline)
    }
}
