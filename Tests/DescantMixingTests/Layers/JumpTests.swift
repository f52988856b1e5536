import DescantCore
import Synchronization
import Testing

@testable import DescantMixing

/// A deck over a ramp whose seeks land when a test says so.
private final class LandingDeck: Deck {
    private struct State {
        var position: Int64 = 0
        var target: Int64?
        var seeks: [Int64] = []
    }

    let sampleRate = 48_000
    let frameCount: Int64? = 96_000
    let isFrameCountExact: Bool
    let isFrameCountEstimated: Bool
    let rewindsInstantly = false
    let rate = 1.0
    private let state = Mutex(State())

    init(isFrameCountEstimated: Bool = false) {
        self.isFrameCountEstimated = isFrameCountEstimated
        isFrameCountExact = !isFrameCountEstimated
    }

    var seeks: [Int64] { state.withLock { $0.seeks } }

    static func sample(_ frame: Int64) -> Float { Float(frame + 1) / 131_072 }

    func read(into buffer: UnsafeMutablePointer<Float>, frames: Int) -> DeckRead {
        state.withLock { state in
            let start = state.position
            guard state.target == nil else { return DeckRead(frames: 0, position: start, condition: .starved) }
            let count = min(frames, 96_000 - Int(start))
            for index in 0..<count { buffer[index] = Self.sample(start + Int64(index)) }
            state.position += Int64(count)
            return DeckRead(frames: count, position: start, condition: count < frames ? .ended : .complete)
        }
    }

    func waitUntilReadable(deadline: UInt64) -> Bool { state.withLock { $0.target == nil } }

    func seek(toFrame frame: Int64) {
        state.withLock { state in
            state.target = frame
            state.seeks.append(frame)
        }
    }

    func land() {
        state.withLock { state in
            state.position = state.target ?? state.position
            state.target = nil
        }
    }

    func setRate(_ rate: Double, fromFrame frame: Int64) { seek(toFrame: frame) }
    func close() {}
}

/// Seeks with the short fade of a cut: the deck seeks while the old position fades out.
@Suite struct JumpTests {
    private struct Bench {
        var core = LayerCore(id: LayerID(rawValue: 1), mix: PCMFormat(sampleRate: 48_000, channels: 1), waits: false)
        let deck: LandingDeck
        var output: [Float] = []

        init(_ deck: LandingDeck = LandingDeck()) {
            self.deck = deck
            _ = core.play(QueuedDeck(id: DeckID(rawValue: 1), deck: deck, gain: 1), entry: .cut, loop: nil)
            render(1_000)
        }

        mutating func render(_ frames: Int) {
            for _ in 0..<frames {
                var sample: Float = .nan
                _ = core.render(into: &sample, frames: 1, frame: Int64(output.count), stopsWhenIdle: false)
                output.append(sample)
            }
        }

        mutating func seek(to frame: Int) throws { try core.seek(to: Double(frame) / 48_000, fadeFrames: 480) }

        var didSeekAt: [Int64] {
            core.events.compactMap { if case .didSeek = $0.kind { $0.frame } else { nil } }
        }

        func position() -> Double { core.status(heard: Int64(output.count)).position * 48_000 }
    }

    @Test func deckSeeksAtOnceWhileTheOldPositionFades() throws {
        var bench = Bench()
        try bench.seek(to: 30_000)
        #expect(bench.deck.seeks == [30_000])
        bench.deck.land()
        bench.render(2_000)
        #expect(bench.deck.seeks == [30_000])
        for index in 0..<480 {
            let old = LandingDeck.sample(Int64(1_000 + index)) * Float(480 - index) / 480
            let new = LandingDeck.sample(Int64(30_000 + index)) * Float(index) / 480
            #expect(abs(bench.output[1_000 + index] - old) < 1e-5)
            #expect(abs(bench.output[1_480 + index] - new) < 1e-5)
        }
        #expect(bench.output[1_960] == LandingDeck.sample(30_480))
        #expect(bench.didSeekAt == [1_480])
        #expect(abs(bench.position() - 31_520) < 1)
    }

    /// Behind an estimate there may be sound.
    @Test(arguments: [true, false])
    func onlyAKnownLengthBoundsASeek(isEstimated: Bool) throws {
        var bench = Bench(LandingDeck(isFrameCountEstimated: isEstimated))
        try bench.seek(to: 120_000)
        #expect(bench.deck.seeks == [isEstimated ? 120_000 : 96_000])
    }

    /// The pause ends the fade, so the position is the new one at once.
    @Test func pauseDuringTheFadeEndsIt() throws {
        var bench = Bench()
        try bench.core.seek(to: 30_000.0 / 48_000, fadeFrames: 14_400)
        bench.render(100)
        bench.core.pause(rampFrames: 480)
        bench.render(2_000)
        bench.deck.land()
        #expect(bench.position() == 30_000)
        #expect(bench.didSeekAt == [1_580])
        bench.core.resume(rampFrames: 480)
        bench.render(1_000)
        #expect(bench.output.last == LandingDeck.sample(30_999))
        #expect(bench.didSeekAt.count == 1)
    }

    @Test func changeOfSpeedWhilePausedKeepsASeek() throws {
        var bench = Bench()
        try bench.core.seek(to: 1, fadeFrames: 14_400)
        bench.render(100)
        bench.core.pause(rampFrames: 0)
        bench.core.setRate(2)
        bench.deck.land()
        bench.core.resume(rampFrames: 0)
        bench.render(1_000)
        #expect(bench.didSeekAt.count == 1)
        #expect(bench.position() >= 48_000)
    }

    @Test func positionStandsStillUntilTheSeekIsComplete() throws {
        var bench = Bench()
        bench.core.pause(rampFrames: 0)
        try bench.seek(to: 30_000)
        bench.core.resume(rampFrames: 0)
        bench.render(1_000)
        #expect(bench.position() == 30_000)
        bench.deck.land()
        bench.render(1_000)
        #expect(abs(bench.position() - 31_000) < 1)
    }

    /// The frames that are played again after a pause have the new speed.
    @Test func changeOfSpeedWhilePausedContinuesAtTheRampsBeginning() {
        var bench = Bench()
        bench.core.pause(rampFrames: 480)
        bench.render(1_000)
        bench.core.setRate(2)
        #expect(bench.deck.seeks == [1_000])
        #expect(bench.position() == 1_000)
    }

    @Test func deckThatBeginsAtAnotherSpeedIsSeeking() {
        var bench = Bench()
        bench.core.setRate(2)
        bench.deck.land()
        bench.render(1_000)
        let next = LandingDeck()
        _ = bench.core.play(QueuedDeck(id: DeckID(rawValue: 2), deck: next, gain: 1), entry: .cut, loop: nil)
        bench.render(1_000)
        #expect(bench.position() == 0)
        next.land()
        bench.render(1_000)
        #expect(bench.position() > 0)
        let isStarved = bench.core.events.contains { if case .underrun = $0.kind { true } else { false } }
        #expect(!isStarved)
    }

    @Test func slowSeekIsSilent() throws {
        var bench = Bench()
        try bench.seek(to: 30_000)
        bench.render(1_480)
        #expect(bench.output[1_480...].allSatisfy { $0 == 0 })
        #expect(bench.position() == 30_000)
        bench.deck.land()
        #expect(bench.core.readAhead(frames: 4_800) == nil)
        bench.render(1_000)
        #expect(bench.output[2_480 + 480] == LandingDeck.sample(30_480))
        #expect(abs(bench.position() - 31_000) < 1)
        #expect(bench.didSeekAt == [1_480])
    }

    @Test func lastOfSeveralSeeksNeedsNoOtherFade() throws {
        var bench = Bench()
        try bench.seek(to: 30_000)
        bench.deck.land()
        bench.render(100)
        #expect(bench.core.readAhead(frames: 4_800) == nil)
        try bench.seek(to: 60_000)
        bench.deck.land()
        bench.render(1_000)
        #expect(bench.deck.seeks == [30_000, 60_000])
        #expect(bench.output[1_960] == LandingDeck.sample(60_480))
        #expect(bench.didSeekAt == [1_480])
        #expect(abs(bench.position() - 60_620) < 1)
    }

    @Test func changeOfSpeedDuringTheFadeKeepsTheTarget() throws {
        var bench = Bench()
        try bench.seek(to: 30_000)
        bench.deck.land()
        bench.render(100)
        bench.core.setRate(2)
        bench.render(500)
        #expect(bench.deck.seeks == [30_000, 30_000])
        #expect(bench.didSeekAt == [1_480])
    }

    @Test func crossfadeAtTheTargetWaitsForTheSeek() throws {
        var bench = Bench()
        let next = QueuedDeck(id: DeckID(rawValue: 2), deck: LandingDeck(), gain: 1)
        _ = bench.core.setFollowUp((next, .crossfade(1, curve: .linear)), isDecided: true)
        try bench.seek(to: 60_000)
        bench.deck.land()
        bench.render(1_000)
        let kinds = bench.core.events.map { "\($0.frame) \("\($0.kind)".prefix { $0 != "(" })" }
        #expect(kinds == ["0 deckStarted", "1480 didSeek", "1480 crossfadeStarted", "1480 deckStarted"])
        #expect(bench.output[1_479] != 0)
    }

    @Test func secondJumpDuringSeekAndPauseLandsOnLastTarget() throws {
        var bench = Bench()
        try bench.seek(to: 30_000)
        bench.core.pause(rampFrames: 0)
        try bench.seek(to: 70_000)
        bench.deck.land()
        bench.core.resume(rampFrames: 0)
        bench.render(1_000)
        #expect(bench.deck.seeks.last == 70_000)
        #expect(bench.output[1_000] == LandingDeck.sample(70_000))
    }
}
