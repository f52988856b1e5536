import DescantCore
import DescantTesting
import Foundation
import Testing

/// Levels and samples of the mix are those that are heard, at the time when they are.
@Suite(.timeLimit(.minutes(1))) struct MeteringTests {
    private let manual = ManualMixingEngine.rewinding(blockFrames: 6_000)
    private var engine: any MixingEngine { manual.engine }
    private let url = URL(fileURLWithPath: "/sounds/tone")

    init() {
        let format = PCMFormat(sampleRate: 48_000, channels: 2)
        let samples = (0..<96_000).flatMap { frame -> [Float] in
            let rise = Float(frame) / 96_000
            return [rise * Float(sin(Double(frame) / 17)), rise * Float(cos(Double(frame) / 23))]
        }
        manual.decks.register(SampleBuffer(format: format, samples: samples), for: url)
        manual.output.setLatency(frames: 24_000)
    }

    private func start() async throws {
        let deck = try await engine.openDeck(.url(url), gain: 1, isClip: false).id
        try await engine.play(deck, on: engine.mainLayer, entry: .cut, loop: nil)
        try await engine.setFollowUp(.nothing, on: engine.mainLayer)
    }

    @Test func nothingIsToldBeforeItIsHeard() async throws {
        let readings = engine.levels.buffered(.bounded(4_096)).numbered
        let blocks = engine.pcmTap.buffered(.bounded(4_096)).numbered
        try await start()
        await manual.output.step(frames: 48_000)
        let heard = Int64(24_000)
        await engine.shutdown()
        var levels: [Int64] = []
        for await reading in readings { levels.append(reading.event.frame) }
        var ends: [Int64] = []
        for await block in blocks { ends.append(block.event.frame + Int64(block.event.samples.count / 2)) }
        #expect(levels.allSatisfy { $0 <= heard } && levels.count == 30)
        #expect(ends.last == heard && ends.count == 32)
    }

    /// Commands render the queue again; what was told of it before is not told, and nothing is told twice.
    @Test func whatIsToldIsWhatIsHeardAfterCommands() async throws {
        let readings = engine.levels.buffered(.bounded(4_096)).numbered
        let blocks = engine.pcmTap.buffered(.bounded(4_096)).numbered
        try await start()
        for command in 0..<6 {
            await manual.output.step(frames: command == 0 ? 36_000 : 7_000)
            await engine.setGain([0.25, 1, 0][command % 3], of: engine.mainLayer, ramp: 0.01)
        }
        await manual.output.step(frames: 48_000)
        let mix = manual.output.rendered
        await engine.shutdown()
        var told: [Float] = []
        for await block in blocks {
            #expect(block.event.frame == Int64(told.count / 2), "the blocks follow each other")
            told += block.event.samples
        }
        let differing = told.indices.first { told[$0] != mix.samples[$0] }
        #expect(differing == nil && told.count > 2 * 30_000)
        var count = 0
        for await reading in readings {
            let (last, level) = (Int(reading.event.frame), reading.event.master)
            let span = mix.samples[(last - 799) * 2..<(last + 1) * 2]
            let peak = stride(from: span.startIndex, to: span.endIndex, by: 2).map { abs(mix.samples[$0]) }.max() ?? 0
            #expect(level.peak[0] == peak, "the levels at \(last)")
            count += 1
        }
        #expect(count > 30)
    }
}
