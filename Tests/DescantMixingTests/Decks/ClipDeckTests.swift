import DescantCore
import DescantTesting
import Foundation
import Synchronization
import Testing

@testable import DescantMixing

/// A clip at other speeds than its own.
struct ClipDeckTests {
    private static let frames = 20_001
    private let format = PCMFormat(sampleRate: 48_000, channels: 2)

    /// Each frame has its number as its value, negative on the right.
    private func makeClip(tempo: (any TempoChangerFactory)? = SkippingTempo()) -> ClipDeck {
        let samples = (0..<Self.frames).flatMap { [Float($0), -Float($0)] }
        return ClipDeck(samples: samples, format: format, tempo: tempo)
    }

    private func expectFrames(
        _ outcome: Drain.Outcome, from start: Int, step: Int, to end: Int = Self.frames,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let expected = stride(from: start, to: end, by: step).flatMap { [Float($0), -Float($0)] }
        #expect(outcome.samples.samples == expected, sourceLocation: sourceLocation)
        #expect(outcome.firstPosition == Int64(start), sourceLocation: sourceLocation)
        #expect(outcome.failure == nil, sourceLocation: sourceLocation)
    }

    @Test func otherSpeedReadsTheWholeClipAndRewindsAtOnce() throws {
        let clip = makeClip()
        defer { clip.close() }
        clip.setRate(3, fromFrame: 0)
        #expect(clip.rate == 3)
        expectFrames(try Drain.read(clip, channels: 2), from: 0, step: 3)
        #expect(clip.rewindsInstantly)
        clip.seek(toFrame: 0)
        expectFrames(try Drain.read(clip, channels: 2), from: 0, step: 3)
    }

    @Test func speedChangesOnTheWay() throws {
        let clip = makeClip()
        defer { clip.close() }
        expectFrames(try Drain.read(clip, channels: 2, atMost: 1_000), from: 0, step: 1, to: 1_000)
        clip.setRate(2, fromFrame: 1_000)
        expectFrames(try Drain.read(clip, channels: 2, atMost: 2_000), from: 1_000, step: 2, to: 5_000)
        clip.setRate(3, fromFrame: 6_000)
        expectFrames(try Drain.read(clip, channels: 2, atMost: 100), from: 6_000, step: 3, to: 6_300)
        clip.seek(toFrame: 300)
        expectFrames(try Drain.read(clip, channels: 2, atMost: 100), from: 300, step: 3, to: 600)
        clip.setRate(1, fromFrame: 19_000)
        expectFrames(try Drain.read(clip, channels: 2), from: 19_000, step: 1)
    }

    @Test func copyBeginsAtNormalSpeed() throws {
        let clip = makeClip()
        clip.setRate(2, fromFrame: 400)
        let copy = clip.copy()
        clip.close()
        defer { copy.close() }
        #expect(copy.rate == 1)
        expectFrames(try Drain.read(copy, channels: 2), from: 0, step: 1)
        copy.setRate(2, fromFrame: 400)
        expectFrames(try Drain.read(copy, channels: 2), from: 400, step: 2)
    }

    @Test func clipWithoutTempoChangerKeepsItsSpeed() throws {
        let clip = makeClip(tempo: nil)
        clip.setRate(2, fromFrame: 400)
        #expect(clip.rate == 1)
        expectFrames(try Drain.read(clip, channels: 2), from: 400, step: 1)
    }

    @Test func refusedSpeedEndsWithItsError() throws {
        struct Refusing: TempoChangerFactory {
            func makeTempoChanger(format: PCMFormat, rate: Double) throws -> any TempoChanger {
                throw CoreError.unsupported("no tempo changer")
            }
        }
        let clip = makeClip(tempo: Refusing())
        defer { clip.close() }
        clip.setRate(2, fromFrame: 0)
        #expect(try Drain.read(clip, channels: 2).failure == .unsupported("no tempo changer"))
        clip.setRate(1, fromFrame: 20_000)
        expectFrames(try Drain.read(clip, channels: 2), from: 20_000, step: 1)
    }

    @Test func closedClipDoesNotWait() {
        let clip = makeClip()
        clip.close()
        clip.setRate(2, fromFrame: 0)
        #expect(clip.waitUntilReadable(deadline: 0))
    }
}

/// A deck over a ramp that cannot be moved and does not know its length. Each wait takes some seconds of a clock and
/// brings a piece.
private final class TricklingDeck: Deck {
    private struct State {
        var position = 0
        var arrived: Int
    }

    let sampleRate = 8_000
    let frameCount: Int64? = nil
    let isFrameCountExact = false
    let rewindsInstantly = false
    let rate = 1.0
    private let length: Int
    private let piece: Int
    private let seconds: Double
    private let clock: ManualClock
    private let state: Mutex<State>

    /// The first piece is there at once.
    init(length: Int, piece: Int, seconds: Double, clock: ManualClock) {
        self.length = length
        self.piece = piece
        self.seconds = seconds
        self.clock = clock
        state = Mutex(State(arrived: min(length, piece)))
    }

    /// Stereo frames from the beginning.
    static func frames(_ count: Int) -> [Float] {
        (0..<2 * count).map { Float($0 / 2 + 1) / 1_048_576 }
    }

    func read(into buffer: UnsafeMutablePointer<Float>, frames: Int) -> DeckRead {
        state.withLock { state in
            let start = state.position
            let count = min(frames, state.arrived - start)
            for index in 0..<2 * count { buffer[index] = Float(start + index / 2 + 1) / 1_048_576 }
            state.position += count
            let isOver = state.position == length
            return DeckRead(
                frames: count, position: Int64(start),
                condition: count == frames ? .complete : isOver ? .ended : .starved)
        }
    }

    func waitUntilReadable(deadline: UInt64) -> Bool {
        guard clock.now() + UInt64(seconds * 1e9) <= deadline else { return false }
        clock.advance(seconds: seconds)
        state.withLock { $0.arrived = min(length, $0.arrived + piece) }
        return true
    }

    func seek(toFrame frame: Int64) {}
    func setRate(_ rate: Double, fromFrame frame: Int64) {}
    func close() {}
}

/// Opens a new deck for every opening of a source, all of whose 31 s are there.
private struct FixedDecks: DeckProvider {
    func open(
        _ source: AudioSource, mix: PCMFormat, onEvent: @escaping @Sendable (DeckEvent) -> Void
    ) async throws -> OpenedDeck {
        let length = 31 * mix.sampleRate
        return OpenedDeck(
            deck: TricklingDeck(length: length, piece: length, seconds: 0, clock: ManualClock()), name: source.name,
            sourceFormat: mix,
            track: TrackInfo(
                title: source.name, duration: 0,
                format: AudioFormat(sampleRate: Double(mix.sampleRate), channelCount: mix.channels, codec: "PCM")),
            decoder: "test", decoderReason: "")
    }
}

/// How a clip is read into memory.
@Suite(.timeLimit(.minutes(1))) struct ClipLoadingTests {
    private let clock = ManualClock()

    private func load(_ deck: TricklingDeck, longest: Double?) throws -> ClipDeck? {
        try ClipDeck.load(
            deck, channels: 2, limit: 30, patience: 10, longest: longest, clock: clock, tempo: nil)
    }

    @Test func clipThatTricklesIsReadToItsEnd() throws {
        let deck = TricklingDeck(length: 8_000, piece: 1_600, seconds: 4, clock: clock)
        let clip = try #require(try load(deck, longest: nil))
        defer { clip.close() }
        #expect(clock.now() == 16_000_000_000)
        #expect(try Drain.read(clip, channels: 2).samples.samples == TricklingDeck.frames(8_000))
    }

    @Test func clipThatTakesTooLongIsGivenUpWithoutAnError() throws {
        let deck = TricklingDeck(length: 80_000, piece: 1_600, seconds: 4, clock: clock)
        let isGivenUp = try load(deck, longest: 10) == nil
        #expect(isGivenUp)
        #expect(clock.now() == 12_000_000_000)
    }

    @Test(arguments: [nil, 10.0]) func clipWithoutDataForLongerThanThePatienceFails(longest: Double?) {
        let deck = TricklingDeck(length: 8_000, piece: 1_600, seconds: 11, clock: clock)
        #expect(throws: CoreError.ioError("the source gave no data in time")) {
            _ = try load(deck, longest: longest)
        }
    }

    @Test func longClipThatCannotBeMovedBeginsWithItsFirstFrame() async throws {
        let output = ManualOutput(format: PCMFormat(sampleRate: 8_000, channels: 2), isOffline: true)
        let mixer = Mixer(
            decks: FixedDecks(), output: output, converters: SpreadingConverters(), identifier: "test")
        let deck = try await mixer.openDeck(.url(URL(fileURLWithPath: "/sounds/station")), gain: 1, isClip: true)
        try await mixer.play(deck.id, on: mixer.mainLayer, entry: .cut, loop: nil)
        try await mixer.setFollowUp(.nothing, on: mixer.mainLayer)
        #expect(try await mixer.advance(frames: 480, untilIdle: nil) == 480)
        #expect(output.rendered.samples == TricklingDeck.frames(480))
        await mixer.shutdown()
    }
}
