import DescantCore
import DescantTesting
import Foundation
import Testing

@testable import DescantMixing

/// Effects of the mixer on an output in memory.
@Suite(.timeLimit(.minutes(2))) struct EffectTests {
    private let music = URL(fileURLWithPath: "/sounds/music")
    private let rain = URL(fileURLWithPath: "/sounds/rain")
    private let musicSound = TestSignal.noise(seed: 11, seconds: 0.5, sampleRate: 48_000, channels: 2).samples()
    private let rainSound = TestSignal.noise(seed: 12, seconds: 0.5, sampleRate: 48_000, channels: 2).samples()

    private func effects(_ manual: ManualMixingEngine) throws -> any EffectEngine {
        manual.decks.register(musicSound, for: music)
        manual.decks.register(rainSound, for: rain)
        return try #require(manual.engine as? any EffectEngine)
    }

    private func play(_ url: URL, on layer: LayerID, of engine: any MixingEngine) async throws {
        let deck = try await engine.openDeck(.url(url), gain: 1, isClip: false).id
        try await engine.play(deck, on: layer, entry: .cut, loop: nil)
        try await engine.setFollowUp(.nothing, on: layer)
    }

    @Test func effectOfALayerLeavesTheOthersAlone() async throws {
        let manual = ManualMixingEngine.offline()
        let engine = try effects(manual)
        let overlay = await engine.addLayer(.overlay)
        let echo = EchoEffect()
        try await engine.setEffects([EffectInsert("echo", echo)], at: .layer(engine.mainLayer))
        try await play(music, on: engine.mainLayer, of: engine)
        try await play(rain, on: overlay, of: engine)
        _ = try await engine.advance(frames: 30_000, untilIdle: nil)
        let silence = [Float](repeating: 0, count: 2 * 6_000)
        let expected = try echo.process(musicSound.samples + silence, format: manual.output.format)
        // The first plan of a layer that has not sounded fades in over silence.
        let layer = manual.output.rendered(of: engine.mainLayer).samples
        #expect((Array(layer[1_920..<60_000]) == Array(expected[1_920..<60_000])) == true)
        #expect(
            (manual.output.rendered(of: overlay).samples.prefix(48_000) == rainSound.samples.prefix(48_000)) == true)
    }

    @Test func tailOfALayerSoundsBehindItsEnd() async throws {
        let manual = ManualMixingEngine.offline()
        let engine = try effects(manual)
        let echo = EchoEffect(delay: 4_800)
        try await engine.setEffects([EffectInsert("echo", echo)], at: .layer(engine.mainLayer))
        try await play(music, on: engine.mainLayer, of: engine)
        let frames = try await engine.advance(frames: 480_000, untilIdle: engine.mainLayer)
        #expect(Int(frames) == musicSound.frameCount + echo.tail)
        let tail = manual.rendered.samples.dropFirst(musicSound.samples.count)
        #expect(tail.prefix(9_600).contains { abs($0) > 0.05 })
    }

    @Test func pauseFreezesTheTail() async throws {
        let manual = ManualMixingEngine.offline()
        let engine = try effects(manual)
        try await engine.setEffects([EffectInsert("echo", EchoEffect(delay: 4_800))], at: .layer(engine.mainLayer))
        try await play(music, on: engine.mainLayer, of: engine)
        _ = try await engine.advance(frames: 10_000, untilIdle: nil)
        await engine.pause(engine.mainLayer, ramp: 0)
        _ = try await engine.advance(frames: 10_000, untilIdle: nil)
        try await engine.resume(engine.mainLayer, ramp: 0)
        _ = try await engine.advance(frames: 10_000, untilIdle: nil)
        let samples = manual.rendered.samples
        let undisturbed = ManualMixingEngine.offline()
        let other = try effects(undisturbed)
        try await other.setEffects([EffectInsert("echo", EchoEffect(delay: 4_800))], at: .layer(other.mainLayer))
        try await play(music, on: other.mainLayer, of: other)
        _ = try await other.advance(frames: 20_000, untilIdle: nil)
        let expected = undisturbed.rendered.samples
        #expect(samples[20_000..<40_000].allSatisfy { $0 == 0 })
        #expect((Array(samples[..<20_000]) + Array(samples[40_000...]) == expected) == true)
    }

    @Test func effectsThatTheMixCannotUseAreRefusedByName() async throws {
        let engine = try effects(ManualMixingEngine.offline())
        var faults = [EchoEffect.Fault](repeating: EchoEffect.Fault(), count: 3)
        faults[0].preparation = .unsupported("no licence")
        faults[1].latency = 64
        faults[2].tail = -1
        for fault in faults {
            let error = await #expect(throws: CoreError.self) {
                try await engine.setEffects([EffectInsert("lexicon", EchoEffect(fault: fault))], at: .mix)
            }
            #expect(error?.message.contains("\"lexicon\"") == true, "\(String(describing: error))")
        }
        let unknown = EffectInsert("lexicon", EchoEffect(), values: ["size": 1])
        let error = await #expect(throws: CoreError.self) { try await engine.setEffects([unknown], at: .mix) }
        #expect(error?.message.contains("size") == true && error?.message.contains("feedback") == true)
        let twice = EffectInsert("echo", EchoEffect())
        await #expect(throws: CoreError.self) { try await engine.setEffects([twice, twice], at: .mix) }
        await #expect(throws: CoreError.self) {
            try await engine.setEffects([twice], at: .layer(LayerID(rawValue: 99)))
        }
        #expect(await engine.effects(at: .mix).isEmpty)
        try await engine.setEffects([twice], at: .mix)
        #expect(await engine.effects(at: .mix).map(\.id) == [twice.id])
    }

    /// An effect whose preparation waits for the test.
    private struct HangingEffect: AudioEffect {
        let mayGoOn: DispatchSemaphore
        var parameters: [EffectParameter] { [] }
        var latency: Int { 0 }
        var tail: Int { 0 }
        mutating func prepare(_ format: PCMFormat, maximumFrames: Int) { mayGoOn.wait() }
        mutating func setParameter(_ identifier: String, to value: Double) {}
        mutating func process(_ block: EffectBlock) {}
        mutating func reset() {}
    }

    @Test func aPreparationThatHangsIsGivenUpByName() async throws {
        let mayGoOn = DispatchSemaphore(value: 0)
        defer { mayGoOn.signal() }
        let insert = EffectInsert("lexicon", HangingEffect(mayGoOn: mayGoOn))
        let error = await #expect(throws: CoreError.self) {
            _ = try await EffectPreparation(insert, format: musicSound.format, limit: 0.05).effect(from: nil)
        }
        #expect(error?.code == "ioError" && error?.message.contains("\"lexicon\"") == true)
    }

    /// Damaged files and hosts give such samples. An effect would keep them, and be blamed for them.
    @Test(arguments: [Float.nan, .infinity, -.infinity, 1e30])
    func samplesThatAreNoSoundAreSilence(sample: Float) async throws {
        var (damaged, silent) = (musicSound.samples, musicSound.samples)
        for index in [0, 1_001, 9_000] { (damaged[index], silent[index]) = (sample, 0) }
        let manual = ManualMixingEngine.offline()
        let engine = try effects(manual)
        manual.decks.register(SampleBuffer(format: musicSound.format, samples: damaged), for: music)
        let echo = EchoEffect()
        let failures = engine.effectFailures.buffered(.bounded(16)).numbered
        try await engine.setEffects([EffectInsert("echo", echo)], at: .layer(engine.mainLayer))
        try await play(music, on: engine.mainLayer, of: engine)
        _ = try await engine.advance(frames: 24_000, untilIdle: nil)
        let expected = try echo.process(silent, format: manual.output.format)
        let samples = manual.output.rendered(of: engine.mainLayer).samples
        #expect((Array(samples[1_920..<48_000]) == Array(expected[1_920..<48_000])) == true)
        await engine.shutdown()
        for await failure in failures { Issue.record("\(failure.event)") }
    }

    @Test func failingEffectIsReportedOnce() async throws {
        let manual = ManualMixingEngine.offline()
        let engine = try effects(manual)
        var fault = EchoEffect.Fault()
        fault.notFiniteFrom = 0
        let insert = EffectInsert("lexicon", EchoEffect(fault: fault))
        let failures = engine.effectFailures.buffered(.bounded(16)).numbered
        try await engine.setEffects([insert], at: .layer(engine.mainLayer))
        try await play(music, on: engine.mainLayer, of: engine)
        _ = try await engine.advance(frames: 10_000, untilIdle: nil)
        #expect((Array(manual.rendered.samples) == Array(musicSound.samples.prefix(20_000))) == true)
        await engine.shutdown()
        var seen: [EffectFailure] = []
        for await failure in failures { seen.append(failure.event) }
        #expect(seen.map(\.id) == [insert.id] && seen.map(\.name) == ["lexicon"])
    }
}
