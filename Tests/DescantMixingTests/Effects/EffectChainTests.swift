import DescantCore
import DescantTesting
import Foundation
import Synchronization
import Testing

@testable import DescantMixing

@Suite(.timeLimit(.minutes(2))) struct EffectChainTests {
    private let stereo = PCMFormat(sampleRate: 48_000, channels: 2)
    private let noise = TestSignal.noise(seed: 5, seconds: 0.5, sampleRate: 48_000, channels: 2).samples().samples

    private func entry(_ effect: EchoEffect, id: EffectID = EffectID(), feedback: Double = 0.5) throws
        -> EffectPlan.Entry
    {
        var effect = effect
        try effect.prepare(stereo, maximumFrames: EffectChain.maximumFrames)
        return EffectPlan.Entry(id: id, name: "echo", effect: effect, values: ["feedback": feedback])
    }

    private func run(_ chain: inout EffectChain, _ samples: [Float], block: Int = 480) -> [Float] {
        var samples = samples
        samples.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            for start in stride(from: 0, to: buffer.count / 2, by: block) {
                chain.process(base + start * 2, frames: min(block, buffer.count / 2 - start))
            }
        }
        return samples
    }

    @Test func emptyChainIsBitExact() {
        var chain = EffectChain(stereo)
        #expect(run(&chain, noise) == noise)
        #expect(chain.passesUntouched && chain.isAtRest && chain.remainingTail == 0)
    }

    @Test func effectsFollowEachOther() throws {
        let (first, second) = (EchoEffect(delay: 300), EchoEffect(delay: 441))
        var chain = EffectChain(stereo, plan: EffectPlan([try entry(first), try entry(second)]))
        let expected = try second.process(first.process(noise, format: stereo), format: stereo)
        #expect(run(&chain, noise) == expected)
    }

    /// The sound has pauses in which the effects come to rest, and the plan changes during them and between.
    @Test(arguments: [1, 7, 480, 5_000]) func resultDoesNotDependOnTheBlocks(block: Int) throws {
        let pause = [Float](repeating: 0, count: 2 * 40_000)
        let id = EffectID()
        let plans = [
            EffectPlan([try entry(EchoEffect(), id: id)]), EffectPlan([try entry(EchoEffect(), id: id, feedback: 0.1)]),
            EffectPlan([]), EffectPlan([try entry(EchoEffect(delay: 90)), try entry(EchoEffect(), id: id)]),
        ]
        let play = { (block: Int) -> [Float] in
            var chain = EffectChain(stereo)
            var result = run(&chain, noise, block: block)
            for plan in plans {
                chain.set(plan)
                result += run(&chain, noise + pause + noise, block: block)
            }
            return result
        }
        #expect((play(block) == play(2_048)) == true)
    }

    @Test func copyContinuesAsTheOriginal() throws {
        var chain = EffectChain(stereo, plan: EffectPlan([try entry(EchoEffect())]))
        _ = run(&chain, noise)
        var copy = chain.snapshot
        let expected = run(&chain, noise)
        #expect((run(&copy, noise) == expected) == true)
    }

    @Test func changeOfAParameterKeepsWhatSoundsAndFades() throws {
        let id = EffectID()
        var chain = EffectChain(stereo, plan: EffectPlan([try entry(EchoEffect(delay: 4_800), id: id)]))
        let impulse: [Float] = [1, 1] + [Float](repeating: 0, count: 2 * 4_000)
        _ = run(&chain, impulse)
        chain.set(EffectPlan([try entry(EchoEffect(delay: 4_800), id: id, feedback: 0.25)]))
        let tail = run(&chain, [Float](repeating: 0, count: 2 * 2_000))
        // The echo of the impulse comes with 799 of 960 frames of the fade behind it.
        let share = Float(799) / 960
        #expect(abs(tail[799 * 2] - (0.5 + (0.25 - 0.5) * share)) < 1e-6)
    }

    @Test func tailEndsAndTheEffectRests() throws {
        let effect = EchoEffect(delay: 1_000)
        var chain = EffectChain(stereo, plan: EffectPlan([try entry(effect)]))
        _ = run(&chain, noise)
        #expect(chain.remainingTail == effect.tail && !chain.isAtRest)
        let tail = run(&chain, [Float](repeating: 0, count: 2 * effect.tail))
        #expect(tail.prefix(2_000).contains { abs($0) > 0.01 } && chain.remainingTail == 0)
        _ = run(&chain, [Float](repeating: 0, count: 2 * 24_000))
        #expect(chain.isAtRest)
        let again = run(&chain, noise)
        #expect((again == (try effect.process(noise, format: stereo))) == true)
    }

    @Test func effectWithoutFiniteSamplesIsSwitchedOffAndNamed() throws {
        var fault = EchoEffect.Fault()
        fault.notFiniteFrom = 1_000
        let failures = Mutex<[EffectFailure]>([])
        let plan = EffectPlan([try entry(EchoEffect(fault: fault))]) { failure in
            failures.withLock { $0.append(failure) }
        }
        var chain = EffectChain(stereo, plan: plan)
        let result = run(&chain, noise)
        #expect(result.allSatisfy { $0.isFinite })
        #expect(Array(result[(960 * 2)...]) == Array(noise[(960 * 2)...]), "the dry sound from the faulty block on")
        #expect(failures.withLock { $0 }.map(\.name) == ["echo"])
    }
}
