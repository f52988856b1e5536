import DescantCore
import DescantTesting
import Foundation
import Testing

@testable import DescantMixing

/// Random commands on a layer of decks with soft edges; the output must have no step.
@Suite struct LayerFuzzTests {
    private static let mix = PCMFormat(sampleRate: 48_000, channels: 1)

    /// A steady level between soft edges of 5 ms, so that every step in the output is the mixer's own.
    private static func softEdged(_ frames: Int) -> [Float] {
        let edge = 240
        return (0..<frames).map { frame in
            let distance = min(frame, frames - 1 - frame)
            let share = min(1, Double(distance) / Double(edge))
            return Float(0.25 * (1 - cos(share * .pi)))
        }
    }

    @Test(arguments: 0..<60) func randomCommandsMakeNoStep(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var core = LayerCore(id: LayerID(rawValue: 1), mix: Self.mix, waits: false)
        var frame: Int64 = 0
        var last: Float = 0
        var lastID: UInt64 = 0
        var log: [String] = []
        func deck(_ frames: Int) -> QueuedDeck {
            lastID += 1
            let samples = Self.softEdged(frames)
            return QueuedDeck(
                id: DeckID(rawValue: lastID), deck: ClipDeck(samples: samples, format: Self.mix), gain: 1)
        }
        for _ in 0..<600 {
            let command = Command.allCases.randomElement(using: &generator) ?? .pause
            log.append("\(frame) \(command)")
            apply(command, to: &core, deck: deck, using: &generator)
            let count = Int.random(in: 1...2_000, using: &generator)
            var buffer = [Float](repeating: .nan, count: count)
            buffer.withUnsafeMutableBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return }
                let rendered = core.render(into: base, frames: count, frame: frame, stopsWhenIdle: false)
                #expect(rendered.frames == count)
            }
            for (offset, sample) in buffer.enumerated() {
                // At most three voices of 0.5 overlap, each with an edge (0.0033 per frame) and ramps (0.001 per frame).
                guard abs(sample - last) < 0.02, abs(sample) < 3 else {
                    Issue.record(
                        "seed \(seed): step of \(sample - last) at \(frame + Int64(offset)) after \(log.suffix(4))")
                    return
                }
                last = sample
            }
            frame += Int64(count)
            checkEvents(core.events, seed: seed)
            // A jump waits only for the end of a pause ramp.
            #expect(core.waitingJump == nil || core.gate.isClosing, "seed \(seed): \(log.suffix(4))")
            core.events.removeAll()
            core.released.removeAll()
        }
    }

    private enum Command: CaseIterable {
        case cut, crossfade, fadeIn, loop, next, crossfadeNext, nothing, pause, resume, stop, seek, gain, shorten
    }

    private func apply(
        _ command: Command, to core: inout LayerCore, deck makeDeck: (Int) -> QueuedDeck,
        using generator: inout SeededGenerator
    ) {
        let seconds = Double.random(in: 0...0.4, using: &generator)
        let length = Int.random(in: 600...20_000, using: &generator)
        let curve = FadeCurve.allCases.randomElement(using: &generator) ?? .linear
        switch command {
        case .cut: _ = core.play(makeDeck(length), entry: .cut, loop: nil)
        case .crossfade: _ = core.play(makeDeck(length), entry: .crossfade(seconds, curve: curve), loop: nil)
        case .fadeIn: _ = core.play(makeDeck(length), entry: .fadeIn(seconds, curve: .linear), loop: nil)
        case .loop:
            _ = core.play(
                makeDeck(length), entry: .cut, loop: LoopPlan(passes: 3, delay: seconds / 4, fadeOut: seconds / 4))
        case .next: _ = core.setFollowUp((makeDeck(length), .gapless), isDecided: true)
        case .crossfadeNext:
            _ = core.setFollowUp((makeDeck(length), .crossfade(seconds, curve: curve)), isDecided: true)
        case .nothing: _ = core.setFollowUp(nil, isDecided: true)
        case .pause: core.pause(rampFrames: 480)
        case .resume: core.resume(rampFrames: 480)
        case .stop: _ = core.stop(fadeFrames: Int64(seconds * 24_000), curve: .linear)
        case .seek:
            // A seek without a deck is refused, as documented.
            if core.current != nil { #expect(throws: Never.self) { try core.seek(to: seconds, fadeFrames: 480) } }
        case .gain: core.setGain(Double.random(in: 0...1, using: &generator), rampFrames: 480)
        case .shorten: core.shortenCrossfade(withinFrames: 960)
        }
    }

    /// Event frames never decrease, and an idle layer reports it once.
    private func checkEvents(_ events: [MixEvent], seed: UInt64) {
        for (earlier, later) in zip(events, events.dropFirst()) {
            #expect(earlier.frame <= later.frame, "seed \(seed): \(earlier) before \(later)")
            if case .idle = earlier.kind, case .idle = later.kind { Issue.record("seed \(seed): idle twice") }
        }
    }
}
