import DescantCore
import Testing

@testable import DescantMixing

/// Crossfades out of loops, and crossfades and gains that are set on a paused layer.
@Suite struct FrozenCrossfadeTests {
    private struct Bench {
        static let mix = PCMFormat(sampleRate: 48_000, channels: 1)
        var core = LayerCore(id: LayerID(rawValue: 1), mix: Bench.mix, waits: false)
        var output: [Float] = []
        private var lastID: UInt64 = 0

        mutating func deck(level: Float, frames: Int) -> QueuedDeck {
            lastID += 1
            let samples = [Float](repeating: level, count: frames)
            return QueuedDeck(
                id: DeckID(rawValue: lastID), deck: ClipDeck(samples: samples, format: Self.mix), gain: 1)
        }

        mutating func play(_ deck: QueuedDeck, entry: DeckEntry = .cut, loop: LoopPlan? = nil) {
            _ = core.play(deck, entry: entry, loop: loop)
        }

        mutating func render(_ frames: Int, block: Int = 480) {
            var left = frames
            while left > 0 {
                let count = min(block, left)
                var buffer = [Float](repeating: .nan, count: count)
                buffer.withUnsafeMutableBufferPointer { buffer in
                    guard let base = buffer.baseAddress else { return }
                    _ = core.render(into: base, frames: count, frame: Int64(output.count), stopsWhenIdle: false)
                }
                output += buffer
                left -= count
            }
        }

        var position: Double { core.status(heard: Int64(output.count)).position * 48_000 }

        /// The frames of the beginnings of crossfades, and their lengths.
        var starts: [[Int64]] {
            core.events.compactMap { event -> [Int64]? in
                if case .crossfadeStarted(_, _, let frames) = event.kind { [event.frame, frames] } else { nil }
            }
        }

        /// The frames of the ends of crossfades.
        var ends: [Int64] {
            core.events.compactMap { if case .crossfadeEnded = $0.kind { $0.frame } else { nil } }
        }
    }

    @Test(arguments: [1, 7, 480, 10_000]) func loopWithADelayGoesOnUnderACrossfade(block: Int) {
        var bench = Bench()
        bench.play(bench.deck(level: 0.5, frames: 4_800), loop: LoopPlan(passes: nil, delay: 0.05))
        bench.render(1_000, block: block)
        bench.play(
            bench.deck(level: 0.25, frames: 100_000), entry: .crossfade(0.5, curve: .linear),
            loop: LoopPlan(fadeIn: 0.1))
        bench.render(30_000, block: block)
        var worst = 0.0
        for frame in 0..<30_000 {
            let progress = min(1, Double(frame) / 24_000)
            let old: Double = (1_000 + frame) % 7_200 < 4_800 ? 0.5 : 0
            let ideal = old * (1 - progress) + 0.25 * progress
            worst = max(worst, abs(ideal - Double(bench.output[1_000 + frame])))
        }
        #expect(worst < 1e-6)
        #expect(bench.ends == [25_000])
    }

    /// A loop with a delay that is stopped during its crossfade does not start another pass.
    @Test func stopDuringTheCrossfadeStartsNoPass() {
        var bench = Bench()
        bench.play(bench.deck(level: 0.5, frames: 4_800), loop: LoopPlan(passes: nil, delay: 0.05))
        bench.render(1_000)
        bench.play(bench.deck(level: 0, frames: 100_000), entry: .crossfade(2, curve: .linear))
        bench.render(1_000)
        _ = bench.core.stop(fadeFrames: 48_000, curve: .linear)
        bench.render(60_000)
        #expect(bench.output[4_799] > 0.4)
        #expect(bench.output[4_800...].allSatisfy { $0 == 0 })
        #expect(bench.core.isIdle)
    }

    /// A crossfade that would begin in the delay waits for the next pass, and is shortened to what is left.
    @Test(arguments: [
        (LoopPlan(passes: 3), 4_800, 25_200, 4_800), (LoopPlan(passes: 2, delay: 0.05), 4_800, 17_600, 4_800),
        (LoopPlan(passes: 2, delay: 0.05), 11_000, 12_400, 10_000),
        (LoopPlan(passes: 2, delay: 0.05), 14_400, 8_000, 14_400),
    ])
    func crossfadeIntoTheFollowUpOfALoopEndsWithItsLastPass(plan: LoopPlan, asked: Int, start: Int, length: Int) {
        var bench = Bench()
        bench.play(bench.deck(level: 0.5, frames: 10_000), loop: plan)
        let next = bench.deck(level: 0.25, frames: 100_000)
        _ = bench.core.setFollowUp((next, .crossfade(Double(asked) / 48_000, curve: .linear)), isDecided: true)
        bench.render(40_000, block: 333)
        #expect(bench.starts == [[Int64(start), Int64(length)]])
        #expect(bench.ends == [Int64(start + length)])
        #expect(bench.output[(start + length)...].allSatisfy { $0 == 0.25 })
    }

    @Test func endlessLoopIsNotLeftUntilItsPassesAreCounted() {
        var bench = Bench()
        bench.play(bench.deck(level: 0.5, frames: 10_000), loop: LoopPlan(passes: nil))
        let next = bench.deck(level: 0.25, frames: 100_000)
        _ = bench.core.setFollowUp((next, .crossfade(0.1, curve: .linear)), isDecided: true)
        bench.render(55_000)
        #expect(bench.output.allSatisfy { $0 == 0.5 })
        bench.core.setLoop(LoopPlan(passes: 6))
        bench.render(10_000)
        #expect(bench.starts == [[55_200, 4_800]])
    }

    /// The frames that the gate has kept belong to the deck before.
    @Test func deckOfAPausedCrossfadeBeginsBehindTheKeptFrames() {
        var bench = Bench()
        bench.play(bench.deck(level: 0.5, frames: 40_000))
        bench.render(1_000)
        bench.core.pause(rampFrames: 480)
        bench.render(1_000)
        bench.play(bench.deck(level: 0, frames: 40_000), entry: .crossfade(0.2, curve: .linear))
        bench.core.resume(rampFrames: 480)
        bench.render(480)
        #expect(bench.position == 0)
        bench.render(480)
        #expect(abs(bench.position - 480) < 1e-6)
        #expect(bench.output[2_479] > 0.49 && bench.output[2_959] < 0.49)
    }

    /// A pause during the ramp of a resumption waits for its end. A gain that waits for the pause is reached with a ramp when the
    /// pause is cancelled.
    @Test func gainIsReachedWhenItsPauseIsCancelled() {
        var bench = Bench()
        let deck = bench.deck(level: 0.5, frames: 40_000)
        bench.play(deck)
        bench.render(1_000)
        bench.core.pause(rampFrames: 480)
        bench.render(1_000)
        bench.core.resume(rampFrames: 480)
        bench.render(100)
        bench.core.pause(rampFrames: 480)
        bench.core.setDeckGain(0.5, of: deck.id, rampFrames: 0)
        bench.core.resume(rampFrames: 480)
        bench.render(2_000)
        #expect(bench.output.last == 0.25)
        #expect(bench.core.waitingGains.isEmpty)
    }
}
