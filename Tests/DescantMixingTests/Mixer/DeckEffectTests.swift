import DescantCore
import DescantTesting
import Foundation
import Testing

/// Effects of single decks on an output in memory.
@Suite(.timeLimit(.minutes(2))) struct DeckEffectTests {
    private static let frames = 24_000
    private let manual = ManualMixingEngine.realTime()
    private let engine: any DeckEffectEngine
    private let first = TestSignal.noise(seed: 21, seconds: 0.5, sampleRate: 48_000, channels: 2).samples().samples
    private let second = TestSignal.noise(seed: 22, seconds: 0.5, sampleRate: 48_000, channels: 2).samples().samples
    private let echo = EchoEffect(delay: 2_400)
    private let urls = ["/sounds/first", "/sounds/second"].map { URL(fileURLWithPath: $0) }

    init() throws {
        engine = try #require(manual.engine as? any DeckEffectEngine)
        register(in: manual)
    }

    private func register(in manual: ManualMixingEngine) {
        for (url, samples) in zip(urls, [first, second]) {
            manual.decks.register(
                SampleBuffer(format: PCMFormat(sampleRate: 48_000, channels: 2), samples: samples), for: url)
        }
    }

    private func open(_ index: Int, gain: Double = 1, isClip: Bool = false) async throws -> DeckID {
        try await engine.openDeck(.url(urls[index]), gain: gain, isClip: isClip).id
    }

    /// What the echo makes of samples that silence follows.
    private func echoed(_ samples: [Float], silence: Int = 0) throws -> [Float] {
        try echo.process(
            samples + [Float](repeating: 0, count: 2 * silence), format: PCMFormat(sampleRate: 48_000, channels: 2))
    }

    private func play(_ deck: DeckID, then followUp: FollowUp = .nothing, loop: LoopPlan? = nil) async throws {
        try await engine.play(deck, on: engine.mainLayer, entry: .cut, loop: loop)
        try await engine.setFollowUp(followUp, on: engine.mainLayer)
    }

    /// Plays frames; returns all that was heard so far.
    private func heard(after frames: Int) async -> [Float] {
        await manual.output.step(frames: frames)
        return manual.rendered.samples
    }

    @Test func gainAndFadesActBehindTheEffect() async throws {
        let deck = try await open(0, gain: 0.5)
        try await engine.setEffects([EffectInsert("echo", echo)], of: deck)
        try await play(deck)
        let samples = await heard(after: 10_000)
        #expect((samples == Array(try echoed(first).prefix(20_000).map { $0 * 0.5 })) == true)
        await engine.stop(engine.mainLayer, fade: 0.1, curve: .linear)
        #expect(await heard(after: 10_000).dropFirst(2 * 14_800).allSatisfy { $0 == 0 })
    }

    @Test func echoRingsOnUnderTheNextDeck() async throws {
        let (deck, next) = (try await open(0), try await open(1))
        try await engine.setEffects([EffectInsert("echo", echo)], of: deck)
        try await play(deck, then: .deck(next, .gapless))
        let samples = await heard(after: 2 * Self.frames)
        let expected = try echoed(first, silence: Self.frames)
        let sum = zip(expected, [Float](repeating: 0, count: first.count) + second).map { $0 + $1 }
        let wrong = sum.indices.first { abs(sum[$0] - samples[$0]) > 1e-6 }
        #expect(wrong == nil)
    }

    @Test func crossfadeFadesTheEchoWithItsDeck() async throws {
        let (deck, next) = (try await open(0), try await open(1))
        try await engine.setEffects([EffectInsert("echo", echo)], of: deck)
        try await play(deck, then: .deck(next, .crossfade(0.25, curve: .linear)))
        let samples = await heard(after: Self.frames + 12_000)
        let (wet, fade) = (try echoed(first), 12_000)
        for frame in stride(from: 0, to: Self.frames, by: 7) {
            let place = frame - (Self.frames - fade)
            let share = Float(max(0, place)) / Float(fade)
            let entering = place < 0 ? 0 : second[place * 2] * share
            let expected = wet[frame * 2] * (1 - share) + entering
            #expect(abs(samples[frame * 2] - expected) < 1e-3, "frame \(frame)")
        }
        // The echo does not outlive the fade.
        #expect((Array(samples[(2 * Self.frames)...]) == Array(second[(2 * fade)..<(4 * fade)])) == true)
    }

    @Test func renderGoesOnForTheTailOfTheLastDeck() async throws {
        let manual = ManualMixingEngine.offline()
        register(in: manual)
        let engine = try #require(manual.engine as? any DeckEffectEngine)
        let deck = try await engine.openDeck(.url(urls[0]), gain: 1, isClip: false).id
        try await engine.setEffects([EffectInsert("echo", echo)], of: deck)
        try await engine.play(deck, on: engine.mainLayer, entry: .cut, loop: nil)
        try await engine.setFollowUp(.nothing, on: engine.mainLayer)
        let frames = try await engine.advance(frames: 480_000, untilIdle: engine.mainLayer)
        #expect(Int(frames) == Self.frames + echo.tail)
        let expected = try echoed(first, silence: echo.tail)
        #expect((manual.rendered.samples == expected) == true)
    }

    @Test func stopEndsWhatRings() async throws {
        let (deck, next) = (try await open(0), try await open(1))
        try await engine.setEffects([EffectInsert("echo", echo)], of: deck)
        try await play(deck, then: .deck(next, .gapless))
        _ = await heard(after: Self.frames + 1_000)
        await engine.stop(engine.mainLayer, fade: 0.01, curve: .linear)
        let samples = await heard(after: 2_000)
        #expect(samples.suffix(2 * 1_500).allSatisfy { $0 == 0 })
        #expect(samples.suffix(2 * 1_990).prefix(100).contains { $0 != 0 })
    }

    @Test func echoRingsBetweenThePassesOfALoop() async throws {
        let deck = try await open(0, isClip: true)
        try await engine.setEffects([EffectInsert("echo", echo)], of: deck)
        try await play(deck, loop: LoopPlan(passes: 2, delay: 0.2))
        let pause = 9_600
        let samples = await heard(after: 2 * Self.frames + pause)
        let expected = try echoed(first + [Float](repeating: 0, count: 2 * pause) + first)
        #expect((samples == expected) == true)
    }

    @Test func echoRingsOnAcrossASeek() async throws {
        let deck = try await open(0)
        try await engine.setEffects([EffectInsert("echo", echo)], of: deck)
        try await play(deck)
        _ = await heard(after: 8_000)
        try await engine.seek(engine.mainLayer, to: 0.4, fade: 0)
        let samples = await heard(after: 1_000)
        // The fades of a cut take 5 ms each; behind them the echo of what was before the seek sounds with the new place.
        let dry = first[(2 * 19_440)..<(2 * 19_900)]
        let heard = samples[(2 * 8_480)..<(2 * 8_940)]
        #expect(zip(dry, heard).contains { abs($0 - $1) > 0.05 })
        let before = try echoed(first).prefix(2 * 8_000)
        #expect((Array(samples.prefix(2 * 8_000)) == Array(before)) == true)
    }

    /// A click, and nothing else.
    private func register(_ name: String, frames: Int, clickAt frame: Int = 0, fault: DeckFault? = nil) -> URL {
        let url = URL(fileURLWithPath: "/sounds/\(name)")
        var samples = [Float](repeating: 0, count: 2 * frames)
        samples[2 * frame] = 0.5
        manual.decks.register(
            SampleBuffer(format: PCMFormat(sampleRate: 48_000, channels: 2), samples: samples), for: url, fault: fault)
        return url
    }

    private func click(frames: Int, at frame: Int = 0) -> [Float] {
        var samples = [Float](repeating: 0, count: 2 * frames)
        samples[2 * frame] = 0.5
        return samples
    }

    @Test func echoRingsOnWhileASeekWaitsForData() async throws {
        var fault = DeckFault()
        fault.starvesAtFrame = 20_000
        let url = register("slow", frames: 48_000, fault: fault)
        let deck = try await engine.openDeck(.url(url), gain: 1, isClip: false).id
        try await engine.setEffects([EffectInsert("echo", EchoEffect(delay: 240))], of: deck)
        try await play(deck)
        _ = await heard(after: 600)
        try await engine.seek(engine.mainLayer, to: 0.6, fade: 0)
        let samples = await heard(after: 4_000)
        let expected = try EchoEffect(delay: 240).process(
            click(frames: 4_600), format: PCMFormat(sampleRate: 48_000, channels: 2))
        #expect((samples == expected) == true)
    }

    @Test func fadesOfThePassesLeaveTheDelayBetweenThemAlone() async throws {
        let url = register("click", frames: Self.frames, clickAt: 12_000)
        let deck = try await engine.openDeck(.url(url), gain: 1, isClip: true).id
        try await engine.setEffects([EffectInsert("echo", echo)], of: deck)
        try await play(deck, loop: LoopPlan(passes: 2, delay: 0.2, fadeIn: 0.01, fadesEveryPass: true))
        let samples = await heard(after: Self.frames + 9_600)
        let expected = try echoed(click(frames: Self.frames + 9_600, at: 12_000))
        #expect((samples == expected) == true)
        #expect(await heard(after: 12_001).suffix(2).first ?? 0 >= 0.5)
    }

    @Test func aStopBetweenThePassesOfALoopIsSilent() async throws {
        let deck = try await open(0, isClip: true)
        try await play(deck, loop: LoopPlan(passes: nil, delay: 0.2))
        _ = await heard(after: Self.frames + 1_000)
        await engine.stop(engine.mainLayer, fade: 0.1, curve: .linear)
        let samples = await heard(after: 8_000)
        #expect(samples[(2 * Self.frames)...].allSatisfy { $0 == 0 })
    }

    @Test func anEffectThatIsSetBeforeTheFirstFrameSoundsAtOnce() async throws {
        let deck = try await open(0)
        await engine.pause(engine.mainLayer, ramp: 0)
        try await play(deck)
        await engine.pause(engine.mainLayer, ramp: 0)
        try await engine.setEffects([EffectInsert("echo", echo)], of: deck)
        try await engine.resume(engine.mainLayer, ramp: 0)
        let samples = await heard(after: 4_000)
        #expect((samples == Array(try echoed(first).prefix(8_000))) == true)
    }

    @Test func noMoreThanEightEndedDecksRing() async throws {
        let delay = 24_000
        for number in 0..<12 {
            let url = register("short \(number)", frames: 480)
            let deck = try await engine.openDeck(.url(url), gain: 1, isClip: false).id
            try await engine.setEffects([EffectInsert("echo", EchoEffect(delay: delay))], of: deck)
            try await play(deck)
            _ = await heard(after: 600)
        }
        let samples = await heard(after: delay)
        let echoes = (0..<12).filter { samples[2 * ($0 * 600 + delay)] != 0 }
        #expect(echoes == Array(4..<12))
    }

    @Test func effectsThatAreSetWhileADeckSoundsFadeIn() async throws {
        let deck = try await open(0)
        try await play(deck)
        let dry = await heard(after: 4_000)
        #expect((dry == Array(first.prefix(8_000))) == true)
        let insert = EffectInsert("echo", echo)
        #expect(try await engine.setEffects([insert], of: deck))
        #expect(await engine.effects(of: deck).map(\.id) == [insert.id])
        let wet = await heard(after: 8_000)
        let steps = (8_000..<16_000).map { abs(wet[$0] - first[$0]) }
        // Nothing changes at once: the echo enters with the share of a fade of 20 ms.
        #expect(steps.prefix(20).allSatisfy { $0 < 0.02 })
        #expect(steps.suffix(1_000).contains { $0 > 0.1 })
        try await engine.setEffects([], of: deck)
        _ = await heard(after: 1_000)
        let after = await heard(after: 2_000)
        #expect((Array(after.suffix(4_000)) == Array(first[26_000..<30_000])) == true)
    }

    @Test func duplicatesHaveNoEffectsAndClosedDecksAreLeftAlone() async throws {
        let deck = try await open(0, isClip: true)
        let insert = EffectInsert("echo", echo)
        try await engine.setEffects([insert], of: deck)
        let copy = try await engine.duplicateDeck(deck).id
        #expect(await engine.effects(of: copy).isEmpty)
        await engine.closeDeck(deck)
        #expect(try await engine.setEffects([insert], of: deck) == false)
        #expect(await engine.effects(of: deck).isEmpty)
        var fault = EchoEffect.Fault()
        fault.latency = 64
        await #expect(throws: CoreError.self) {
            try await engine.setEffects([EffectInsert("late", EchoEffect(fault: fault))], of: copy)
        }
    }
}
