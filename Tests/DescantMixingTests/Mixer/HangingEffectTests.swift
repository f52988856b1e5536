import DescantCore
import DescantTesting
import Dispatch
import Foundation
import Synchronization
import Testing

/// An effect that hangs while the mix is rendered.
@Suite(.timeLimit(.minutes(2))) struct HangingEffectTests {
    /// Holds a block of an effect.
    private final class Gate: Sendable {
        private let isClosed = Mutex(false)
        private let opened = DispatchSemaphore(value: 0)
        private let arrivals = AsyncStream<Void>.makeStream()

        /// Holds the next block.
        func close() { isClosed.withLock { $0 = true } }

        /// Waits until a block is held.
        func waitForBlock() async { for await _ in arrivals.stream { break } }

        /// Lets the held block pass.
        func open() { opened.signal() }

        /// Called with each block.
        func pass() {
            let holds = isClosed.withLock { isClosed in
                defer { isClosed = false }
                return isClosed
            }
            guard holds else { return }
            arrivals.continuation.yield()
            opened.wait()
        }
    }

    /// Leaves the sound as it is, and hangs where a gate says so.
    private struct GatedEffect: AudioEffect {
        let gate: Gate
        var parameters: [EffectParameter] { [] }
        var latency: Int { 0 }
        var tail: Int { 0 }
        func prepare(_ format: PCMFormat, maximumFrames: Int) throws {}
        func setParameter(_ identifier: String, to value: Double) {}
        func process(_ block: EffectBlock) { gate.pass() }
        func reset() {}
    }

    private func play(_ url: URL, on layer: LayerID, of engine: any MixingEngine) async throws {
        let deck = try await engine.openDeck(.url(url), gain: 1, isClip: false).id
        try await engine.play(deck, on: layer, entry: .cut, loop: nil)
        try await engine.setFollowUp(.nothing, on: layer)
    }

    /// No thread can be interrupted: nothing is rendered until the effect returns, and no frame is missing then.
    @Test func anEffectThatHangsSilencesTheMixUntilItReturns() async throws {
        let manual = ManualMixingEngine.realTime()
        let engine = try #require(manual.engine as? any EffectEngine)
        let overlay = await engine.addLayer(.overlay)
        var sounds: [LayerID: SampleBuffer] = [:]
        for (layer, seed) in [(engine.mainLayer, UInt64(11)), (overlay, UInt64(12))] {
            sounds[layer] = TestSignal.noise(seed: seed, seconds: 0.5, sampleRate: 48_000, channels: 2).samples()
        }
        let gate = Gate()
        try await engine.setEffects([EffectInsert("stuck", GatedEffect(gate: gate))], at: .layer(engine.mainLayer))
        for (layer, sound) in sounds {
            let url = URL(fileURLWithPath: "/sounds/\(layer.rawValue)")
            manual.decks.register(sound, for: url)
            try await play(url, on: layer, of: engine)
        }
        await manual.output.step(frames: 4_800)
        gate.close()
        let step = Task { await manual.output.step(frames: 4_800) }
        await gate.waitForBlock()
        #expect(manual.output.renderedFrames == 4_800)
        gate.open()
        #expect(await step.value == 4_800)
        for (layer, sound) in sounds {
            let samples = manual.output.rendered(of: layer).samples
            #expect((samples == Array(sound.samples.prefix(19_200))) == true)
        }
        await engine.shutdown()
    }
}
