import DescantCore
import Testing

@testable import DescantMixing

/// A layer rendered block by block, with decks of known samples.
private struct LayerBench {
    static let mix = PCMFormat(sampleRate: 48_000, channels: 1)
    var core: LayerCore
    var frame: Int64 = 0
    var output: [Float] = []
    private var lastID: UInt64 = 0

    init(waits: Bool = false) { core = LayerCore(id: LayerID(rawValue: 1), mix: Self.mix, waits: waits) }

    mutating func deck(_ samples: [Float]) -> QueuedDeck {
        lastID += 1
        return QueuedDeck(
            id: DeckID(rawValue: lastID), deck: ClipDeck(samples: samples, format: Self.mix), gain: 1)
    }

    mutating func render(_ frames: Int, block: Int = 480) {
        var left = frames
        while left > 0 {
            let count = min(block, left)
            var buffer = [Float](repeating: .nan, count: count)
            let rendered = buffer.withUnsafeMutableBufferPointer { buffer in
                buffer.baseAddress.map {
                    core.render(into: $0, frames: count, frame: frame, stopsWhenIdle: false).frames
                }
            }
            #expect(rendered == count)
            output += buffer
            frame += Int64(count)
            left -= count
        }
    }

    /// The source frame of the position that is heard when everything rendered has been.
    var sourceFrame: Int64 { Self.mix.frames(in: core.status(heard: frame).position) }

    func names() -> [String] {
        core.events.map { event in
            let text = "\(event.kind)"
            return "\(event.frame) \(text.prefix { $0 != "(" })"
        }
    }
}

private func ramp(_ count: Int, from start: Int = 0) -> [Float] {
    (start..<start + count).map { Float($0 + 1) / 65_536 }
}
private func constant(_ value: Float, _ count: Int) -> [Float] { [Float](repeating: value, count: count) }

private func worstDifference(_ samples: ArraySlice<Float>, _ ideal: [Float]) -> Float {
    var worst: Float = 0
    for (sample, wanted) in zip(samples, ideal) { worst = max(worst, abs(sample - wanted)) }
    return worst
}

@Suite struct LayerCoreTests {
    @Test(arguments: [1, 7, 480, 4_800]) func gaplessJoinKeepsEverySample(block: Int) {
        var bench = LayerBench()
        _ = bench.core.play(bench.deck(ramp(1_001)), entry: .cut, loop: nil)
        _ = bench.core.setFollowUp((bench.deck(ramp(999, from: 1_001)), .gapless), isDecided: true)
        bench.render(1_500, block: block)
        _ = bench.core.setFollowUp(nil, isDecided: true)
        bench.render(1_000, block: block)
        #expect(bench.output == ramp(2_000) + constant(0, 500))
        #expect(
            bench.names() == [
                "0 deckStarted", "1001 deckEnded", "1001 joined", "1001 deckStarted", "2000 deckEnded", "2000 idle",
            ])
    }

    @Test(arguments: FadeCurve.allCases) func crossfadeFollowsItsCurve(curve: FadeCurve) {
        var bench = LayerBench()
        let length = 9_600
        _ = bench.core.play(bench.deck(constant(0.5, 20_000)), entry: .cut, loop: nil)
        _ = bench.core.setFollowUp(
            (bench.deck(constant(0.25, 20_000)), .crossfade(Double(length) / 48_000, curve: curve)), isDecided: true)
        bench.render(20_000, block: 333)
        _ = bench.core.setFollowUp(nil, isDecided: true)
        bench.render(20_000 - length)
        var worst = 0.0
        for frame in 0..<length {
            let progress = Double(frame) / Double(length)
            let ideal = 0.5 * curve.inverseGain(at: progress) + 0.25 * curve.gain(at: progress)
            worst = max(worst, abs(ideal - Double(bench.output[20_000 - length + frame])))
        }
        #expect(worst < 1e-7)
        #expect(bench.output[20_000 - length - 1] == 0.5)
        #expect(bench.output[20_000] == 0.25)
        bench.render(1)
        #expect(bench.output.last == 0)
        #expect(
            bench.names() == [
                "0 deckStarted", "10400 crossfadeStarted", "10400 deckStarted", "20000 deckEnded",
                "20000 crossfadeEnded",
                "30400 deckEnded", "30400 idle",
            ])
    }

    @Test func remainderBelowMinimumIsJoinedWithoutGap() {
        var bench = LayerBench()
        _ = bench.core.play(bench.deck(ramp(6_000)), entry: .cut, loop: nil)
        bench.render(2_000)
        _ = bench.core.setFollowUp(
            (bench.deck(ramp(100, from: 6_000)), .crossfade(10, curve: .linear)), isDecided: true)
        bench.render(4_100)
        #expect(bench.output == ramp(6_100))
    }

    @Test func pauseWithoutRampResumesAtTheNextSample() {
        var bench = LayerBench()
        _ = bench.core.play(bench.deck(ramp(5_000)), entry: .cut, loop: nil)
        bench.render(1_000)
        bench.core.pause(rampFrames: 0)
        bench.render(700)
        bench.core.resume(rampFrames: 0)
        bench.render(1_000)
        #expect(bench.output == ramp(1_000) + constant(0, 700) + ramp(1_000, from: 1_000))
    }

    /// A pause during a fade-in waits for its end. A jump that waits for the pause must be carried out when the pause is
    /// cancelled.
    @Test func jumpIsCarriedOutWhenItsPauseIsCancelled() throws {
        var bench = LayerBench()
        _ = bench.core.play(bench.deck(ramp(40_000)), entry: .cut, loop: nil)
        bench.render(1_000)
        bench.core.pause(rampFrames: 480)
        bench.render(1_000)
        bench.core.resume(rampFrames: 480)
        bench.render(100)
        bench.core.pause(rampFrames: 480)
        try bench.core.seek(to: 20_000.0 / 48_000, fadeFrames: 480)
        bench.core.resume(rampFrames: 480)
        bench.render(4_800)
        #expect(bench.names().count { $0.hasSuffix("didSeek") } == 1)
        let position = bench.core.status(heard: bench.frame).position * 48_000
        #expect((20_000..<25_000).contains(position))
        #expect(bench.output.last == Float(position.rounded()) / 65_536)
    }

    /// A resume during the pause ramp does not end the ramp; of two jumps around it the last one is carried out.
    @Test func lastJumpAroundAPauseIsCarriedOut() throws {
        var bench = LayerBench()
        _ = bench.core.play(bench.deck(ramp(40_000)), entry: .cut, loop: nil)
        bench.render(1_000)
        bench.core.pause(rampFrames: 480)
        try bench.core.seek(to: 10_000.0 / 48_000, fadeFrames: 480)
        bench.core.resume(rampFrames: 480)
        try bench.core.seek(to: 20_000.0 / 48_000, fadeFrames: 480)
        bench.render(4_800)
        let position = bench.core.status(heard: bench.frame).position * 48_000
        #expect((20_000..<25_000).contains(position))
        #expect(bench.output.last == Float(position.rounded()) / 65_536)
    }

    /// A jump of a deck is not applied to the deck that replaces it.
    @Test func jumpIsNotAppliedToAReplacedDeck() throws {
        var bench = LayerBench()
        _ = bench.core.play(bench.deck(ramp(40_000)), entry: .cut, loop: nil)
        bench.render(1_000)
        bench.core.pause(rampFrames: 480)
        try bench.core.seek(to: 20_000.0 / 48_000, fadeFrames: 480)
        _ = bench.core.play(bench.deck(ramp(30_000)), entry: .cut, loop: nil)
        bench.render(4_800)
        bench.core.resume(rampFrames: 480)
        bench.render(4_800)
        #expect(bench.core.status(heard: bench.frame).position * 48_000 < 10_000)
    }

    /// A started deck drops the kept frames of a pause ramp and does not wait for them.
    @Test func startedDeckDropsKeptPauseFrames() {
        var bench = LayerBench()
        _ = bench.core.play(bench.deck(ramp(40_000)), entry: .cut, loop: nil)
        bench.render(1_000)
        bench.core.pause(rampFrames: 480)
        bench.render(1_000)
        bench.core.resume(rampFrames: 0)
        _ = bench.core.play(bench.deck(ramp(20_000)), entry: .cut, loop: nil)
        // With a boundary of 0 the render would never end.
        guard bench.core.gate.boundary > 0 else {
            Issue.record("nothing more can be rendered")
            return
        }
        bench.render(4_800)
        #expect(bench.output.last == Float(4_800) / 65_536)
    }

    @Test func pauseWithoutRampCompletesARunningStop() {
        var bench = LayerBench()
        _ = bench.core.play(bench.deck(ramp(40_000)), entry: .cut, loop: nil)
        bench.render(1_000)
        _ = bench.core.stop(fadeFrames: 4_800, curve: .linear)
        bench.core.pause(rampFrames: 0)
        bench.render(1_000)
        #expect(bench.core.isIdle)
        #expect(bench.names().count { $0.hasSuffix("idle") } == 1)
    }

    @Test func failedStartDropsOnlyItsOwnDeck() {
        var bench = LayerBench()
        let first = bench.deck(ramp(1_000))
        let second = bench.deck(ramp(20_000))
        _ = bench.core.play(first, entry: .cut, loop: nil)
        _ = bench.core.play(second, entry: .cut, loop: nil)
        _ = bench.core.abandon(first.id)
        bench.render(4_800)
        #expect(bench.output.last == Float(4_800) / 65_536)
        _ = bench.core.abandon(second.id)
        _ = bench.core.abandon(second.id)
        #expect(bench.names().count { $0.hasSuffix("idle") } == 1)
    }

    @Test func stopDuringAFailingStartCompletes() {
        var bench = LayerBench()
        let deck = bench.deck(ramp(1_000))
        _ = bench.core.play(deck, entry: .cut, loop: nil)
        _ = bench.core.stop(fadeFrames: 4_800, curve: .linear)
        _ = bench.core.abandon(deck.id)
        #expect(bench.core.isIdle)
        #expect(bench.names().count { $0.hasSuffix("idle") } == 1)
    }

    @Test func changeOfSpeedDoesNotChangeACrossfade() {
        var bench = LayerBench()
        _ = bench.core.play(bench.deck(constant(0, 40_000)), entry: .cut, loop: nil)
        bench.render(1_000)
        _ = bench.core.play(bench.deck(constant(1, 40_000)), entry: .crossfade(0.2, curve: .linear), loop: nil)
        bench.render(2_400)
        bench.core.setRate(1.5)
        bench.render(2_000)
        #expect(bench.output[3_400] < 0.5)
    }

    @Test func passFadesOutAfterAJumpOutOfItsFade() throws {
        var bench = LayerBench()
        _ = bench.core.play(
            bench.deck(constant(1, 4_800)), entry: .cut, loop: LoopPlan(passes: 1, delay: 0, fadeOut: 0.02))
        bench.render(4_400)
        try bench.core.seek(to: 2_400.0 / 48_000, fadeFrames: 480)
        bench.render(3_000)
        let last = try #require(bench.output.lastIndex { $0 > 0 })
        #expect(bench.output[last] < 0.01)
    }

    @Test func resumeRepeatsTheFramesOfThePauseRamp() {
        var bench = LayerBench()
        _ = bench.core.play(bench.deck(constant(0.5, 10_000)), entry: .cut, loop: nil)
        bench.render(1_000)
        bench.core.pause(rampFrames: 480)
        bench.render(2_000, block: 100)
        #expect(bench.core.status(heard: bench.frame).position == 1_000.0 / 48_000)
        bench.core.resume(rampFrames: 480)
        bench.render(10_000, block: 77)
        let fall = (0..<480).map { Float(0.5 * (1 - Double($0) / 480)) }
        let rise = (0..<480).map { Float(0.5 * Double($0) / 480) }
        let after = bench.output[3_000...]
        #expect(zip(bench.output[1_000..<1_480], fall).allSatisfy { abs($0 - $1) < 1e-6 })
        #expect(bench.output[1_480..<3_000].allSatisfy { $0 == 0 })
        #expect(zip(after.prefix(480), rise).allSatisfy { abs($0 - $1) < 1e-6 })
        // Every frame of the source was heard: 9,000 since the beginning of the pause, including the ramp.
        #expect(after.dropFirst(480).prefix(8_520).allSatisfy { $0 == 0.5 })
        #expect(after.dropFirst(9_000).allSatisfy { $0 == 0 })
    }

    /// A resumption within the ramp of a pause waits for its end; the frames of the ramp are then heard again.
    @Test(arguments: [1, 7, 480, 4_800]) func positionMovesFromTheFrameWhereAResumptionIsHeard(block: Int) {
        var bench = LayerBench()
        _ = bench.core.play(bench.deck(ramp(60_000)), entry: .cut, loop: nil)
        bench.render(1_000, block: block)
        bench.core.pause(rampFrames: 4_800)
        bench.render(960, block: block)
        bench.core.resume(rampFrames: 480)
        #expect(bench.sourceFrame == 1_000)
        bench.render(3_840, block: block)
        #expect(bench.sourceFrame == 1_000)
        bench.render(9_600, block: block)
        #expect(bench.sourceFrame == 10_600)
        #expect(bench.output.last == Float(10_600) / 65_536)
        bench.core.pause(rampFrames: 0)
        bench.render(960, block: block)
        #expect(bench.sourceFrame == 10_600)
    }

    /// A pause within the ramp of a resumption waits for its end.
    @Test(arguments: [1, 7, 480, 4_800]) func positionOfAPauseIsThatOfTheFrameWhereItIsHeard(block: Int) {
        var bench = LayerBench()
        _ = bench.core.play(bench.deck(ramp(60_000)), entry: .cut, loop: nil)
        bench.render(1_000, block: block)
        bench.core.pause(rampFrames: 0)
        bench.render(500, block: block)
        bench.core.resume(rampFrames: 4_800)
        bench.render(960, block: block)
        bench.core.pause(rampFrames: 480)
        #expect(bench.sourceFrame == 1_960)
        bench.render(3_840, block: block)
        #expect(bench.sourceFrame == 5_800)
        bench.render(4_800, block: block)
        #expect(bench.sourceFrame == 5_800)
        let pauses = bench.core.events.compactMap { event -> Double? in
            if case .paused(let position) = event.kind { (position * 48_000).rounded() } else { nil }
        }
        #expect(pauses == [1_000, 5_800])
        bench.core.resume(rampFrames: 0)
        bench.render(2_400, block: block)
        #expect(bench.sourceFrame == 8_200)
        #expect(bench.output.last == Float(8_200) / 65_536)
    }

    @Test func commandsThatAreTakenBackWithinARampDoNotMoveThePosition() {
        var bench = LayerBench()
        _ = bench.core.play(bench.deck(ramp(60_000)), entry: .cut, loop: nil)
        bench.render(1_000)
        bench.core.pause(rampFrames: 4_800)
        bench.render(960)
        bench.core.resume(rampFrames: 480)
        bench.render(960)
        bench.core.pause(rampFrames: 480)
        bench.render(4_800)
        #expect(bench.sourceFrame == 1_000)
        bench.core.resume(rampFrames: 480)
        bench.render(480)
        bench.core.pause(rampFrames: 480)
        bench.render(100)
        bench.core.resume(rampFrames: 480)
        bench.render(9_600)
        #expect(bench.sourceFrame == 11_180)
        #expect(bench.output.last == Float(11_180) / 65_536)
    }

    @Test func pauseFreezesACrossfade() {
        func play(pausing: Bool) -> [Float] {
            var bench = LayerBench()
            _ = bench.core.play(bench.deck(constant(0.5, 20_000)), entry: .cut, loop: nil)
            _ = bench.core.setFollowUp(
                (bench.deck(constant(0.25, 20_000)), .crossfade(0.2, curve: .sCurve)), isDecided: true)
            bench.render(13_000)
            if pausing {
                bench.core.pause(rampFrames: 0)
                bench.render(5_000)
                bench.core.resume(rampFrames: 0)
                bench.output.removeLast(5_000)
            }
            bench.render(10_000)
            return bench.output
        }
        #expect(play(pausing: true) == play(pausing: false))
    }

    @Test func loopIsSeamlessAndCountsPasses() {
        var bench = LayerBench()
        _ = bench.core.play(bench.deck(ramp(1_003)), entry: .cut, loop: LoopPlan(passes: 3))
        bench.render(4_000)
        #expect(bench.output == ramp(1_003) + ramp(1_003) + ramp(1_003) + constant(0, 4_000 - 3_009))
        #expect(bench.names().last == "3009 idle")
    }

    @Test func loopDelayIsSilentAndPausable() {
        var bench = LayerBench()
        _ = bench.core.play(bench.deck(ramp(1_000)), entry: .cut, loop: LoopPlan(passes: nil, delay: 0.01))
        bench.render(1_100)
        bench.core.pause(rampFrames: 0)
        bench.render(5_000)
        bench.core.resume(rampFrames: 0)
        bench.render(1_380)
        #expect(bench.output == ramp(1_000) + constant(0, 5_480) + ramp(1_000))
    }

    @Test func loopFadesLieInsideTheClip() {
        var bench = LayerBench()
        let plan = LoopPlan(passes: 2, fadeIn: 0.01, fadeOut: 0.02, fadesEveryPass: true)
        _ = bench.core.play(bench.deck(constant(1, 4_800)), entry: .cut, loop: plan)
        bench.render(9_600, block: 123)
        for pass in 0..<2 {
            let start = pass * 4_800
            #expect(bench.output[start] == 0)
            #expect(abs(bench.output[start + 240] - 0.5) < 1e-6)
            #expect(bench.output[start + 480] == 1)
            #expect(bench.output[start + 3_840] == 1)
            #expect(abs(bench.output[start + 4_320] - 0.5) < 1e-6)
            #expect(bench.output[start + 4_799] > 0)
        }
    }

    @Test func seekFadesAndLandsExactly() {
        var bench = LayerBench()
        _ = bench.core.play(bench.deck(ramp(40_000)), entry: .cut, loop: nil)
        bench.render(1_000)
        do { try bench.core.seek(to: 0.5, fadeFrames: 960) } catch { Issue.record(error) }
        bench.render(4_000)
        let source = ramp(40_000)
        #expect(abs(bench.output[1_480] - source[1_480] / 2) < 1e-6)
        #expect(bench.output[1_960] == 0)
        #expect(abs(bench.output[1_960 + 480] - source[24_480] / 2) < 1e-6)
        let heard = Array(bench.output[2_920...])
        #expect(heard == Array(source[24_960...].prefix(heard.count)))
    }

    @Test func stopFadesBothDecksOfACrossfade() {
        var bench = LayerBench()
        _ = bench.core.play(bench.deck(constant(0.5, 20_000)), entry: .cut, loop: nil)
        _ = bench.core.play(bench.deck(constant(0.5, 20_000)), entry: .crossfade(0.2, curve: .linear), loop: nil)
        bench.render(4_800)
        _ = bench.core.stop(fadeFrames: 2_400, curve: .linear)
        bench.render(4_800)
        let ideal = (0..<2_400).map { (frame: Int) -> Float in 0.5 - Float(frame) / 4_800 }
        #expect(worstDifference(bench.output[4_800..<7_200], ideal) < 1e-6)
        #expect(bench.output[7_200...].allSatisfy { $0 == 0 })
        #expect(bench.names().last == "7200 idle")
    }

    @Test func cutHasNoStep() {
        var bench = LayerBench()
        _ = bench.core.play(bench.deck(constant(0.8, 20_000)), entry: .cut, loop: nil)
        bench.render(1_000)
        _ = bench.core.play(bench.deck(constant(0, 20_000)), entry: .cut, loop: nil)
        bench.render(1_000)
        var steps: [Float] = []
        for frame in 1..<bench.output.count { steps.append(abs(bench.output[frame] - bench.output[frame - 1])) }
        #expect(steps.max() ?? 1 < 0.8 / 400)
    }

    @Test func undecidedFollowUpIsSilentUntilDecided() {
        var bench = LayerBench()
        _ = bench.core.play(bench.deck(ramp(500)), entry: .cut, loop: nil)
        bench.render(1_000)
        #expect(!bench.core.isIdle)
        _ = bench.core.setFollowUp((bench.deck(ramp(500, from: 500)), .gapless), isDecided: true)
        bench.render(500)
        #expect(bench.output == ramp(500) + constant(0, 500) + ramp(500, from: 500))
    }

    @Test func offlineLayerWaitsForTheFollowUp() {
        var bench = LayerBench(waits: true)
        _ = bench.core.play(bench.deck(ramp(500)), entry: .cut, loop: nil)
        var buffer = [Float](repeating: 0, count: 480)
        buffer.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            let blocked = bench.core.render(into: base, frames: 480, frame: 0, stopsWhenIdle: false)
            #expect(blocked.frames == 0)
            guard case .decision? = blocked.stall else { return #expect(Bool(false), "no decision was asked for") }
            _ = bench.core.setFollowUp(nil, isDecided: true)
            #expect(bench.core.render(into: base, frames: 480, frame: 0, stopsWhenIdle: true).frames == 480)
            #expect(bench.core.render(into: base, frames: 480, frame: 480, stopsWhenIdle: true).frames == 20)
        }
    }
}
