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

/// A deck of a slow decoder: who waits for data gets a piece of 48 frames.
private final class TricklingDeck: Deck {
    private struct State {
        var position = 0
        var decoded: Int
        var pieces = 0
    }

    let sampleRate = 48_000
    let frameCount: Int64? = nil
    let isFrameCountExact = false
    let rewindsInstantly = false
    let rate = 1.0
    private let state: Mutex<State>

    init(decoded: Int) { state = Mutex(State(decoded: decoded)) }

    /// The number of pieces that were waited for.
    var pieces: Int { state.withLock { $0.pieces } }

    func read(into buffer: UnsafeMutablePointer<Float>, frames: Int) -> DeckRead {
        state.withLock { state in
            let count = min(frames, state.decoded - state.position)
            buffer.update(repeating: 0.5, count: count * 2)
            defer { state.position += count }
            return DeckRead(
                frames: count, position: Int64(state.position), condition: count == frames ? .complete : .starved)
        }
    }

    /// The wait of the start, which is short, ends at once.
    func waitUntilReadable(deadline: UInt64) -> Bool {
        guard Int64(bitPattern: deadline &- MonotonicClock().now()) > 150_000_000 else { return false }
        state.withLock { state in
            state.decoded += 48
            state.pieces += 1
        }
        return true
    }

    func seek(toFrame frame: Int64) {}
    func setRate(_ rate: Double, fromFrame frame: Int64) {}
    func close() {}
}

/// Opens decks of tests by the last component of their URLs.
private struct TestDecks: DeckProvider {
    let decks: [String: any Deck]

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
            decks: TestDecks(decks: decks), output: output, converters: SpreadingConverters(), identifier: "test")
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

    /// Plays a deck on an output whose queue holds a second. The heard frame stays 0, and frame 1 is the first that can be changed.
    private func playing(_ deck: TricklingDeck, _ clock: ManualClock) async throws -> (Mixer, ManualOutput) {
        let output = ManualOutput(
            format: PCMFormat(sampleRate: 48_000, channels: 2), isOffline: false, blockFrames: 48_000, canRewind: true)
        output.setLatency(frames: 48_000)
        let mixer = Mixer(
            decks: TestDecks(decks: ["slow": deck]), output: output, converters: SpreadingConverters(),
            identifier: "test", clock: clock)
        let opened = try await mixer.openDeck(.url(URL(fileURLWithPath: "/sounds/slow")), gain: 1, isClip: false)
        try await mixer.play(opened.id, on: mixer.mainLayer, entry: .cut, loop: nil)
        return (mixer, output)
    }

    /// Waits until a change has taken the rendered frames back.
    private func waitForChange(of output: ManualOutput) async {
        while output.renderedFrames > 1 { await Task.yield() }
    }

    /// Waits until the data that has come is rendered again, or the mixer waits for the time to do so.
    private func waitForDecision(_ clock: ManualClock, _ output: ManualOutput) async {
        while clock.sleeperCount == 0, output.renderedFrames > 1 { await Task.yield() }
    }

    /// A decoder that gives its pieces faster than real time would have the queue rendered for each of them otherwise.
    @Test func soundThatIsNotDueYetIsRenderedAgainAfterHalfTheTimeUntilThen() async throws {
        let deck = TricklingDeck(decoded: 26_400)
        let clock = ManualClock()
        let (mixer, output) = try await playing(deck, clock)
        await output.step(frames: 30_000)
        // 0.55 s until the first missing frame, less 0.05.
        await waitForDecision(clock, output)
        try #require(clock.sleeperCount == 1)
        await output.step(frames: 8_400)
        #expect(deck.pieces == 1)
        clock.advance(seconds: 0.249)
        #expect(clock.sleeperCount == 1)
        clock.advance(seconds: 0.002)
        await waitForChange(of: output)
        await output.step(frames: 38_400)
        await waitForDecision(clock, output)
        try #require(clock.sleeperCount == 1)
        #expect(deck.pieces == 2)
        #expect(output.rendered.samples.dropFirst(960).prefix(2 * 26_447 - 960).allSatisfy { $0 == 0.5 })
        // A command renders the queue again, too, and nothing is left to do.
        await mixer.setLimiter(enabled: true)
        await output.step(frames: 100)
        clock.advance(seconds: 1)
        while clock.sleeperCount > 0 { await Task.yield() }
        for _ in 0..<100 { await Task.yield() }
        #expect(output.renderedFrames == 101)
        await mixer.shutdown()
    }

    @Test func soundThatIsDueIsRenderedAgainAtOnce() async throws {
        let deck = TricklingDeck(decoded: 1_300)
        let clock = ManualClock()
        let (mixer, output) = try await playing(deck, clock)
        for piece in 1...3 {
            await output.step(frames: 38_400)
            await waitForChange(of: output)
            #expect(deck.pieces == piece)
        }
        #expect(clock.sleeperCount == 0)
        await mixer.shutdown()
    }

    /// An offline render waits up to 30 s for a source; a shutdown ends that wait.
    @Test func shutdownEndsAnOfflineRenderThatWaits() async throws {
        let deck = EmptyDeck()
        let output = ManualOutput(format: PCMFormat(sampleRate: 48_000, channels: 2), isOffline: true)
        let mixer = Mixer(
            decks: TestDecks(decks: ["stalled": deck]), output: output, converters: SpreadingConverters(),
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
