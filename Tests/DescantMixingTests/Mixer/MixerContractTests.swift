import DescantCore
import DescantTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct MixingEngineContractTests {
    /// The mixer on sources in memory; `blockFrames` are rendered at once.
    private func contract(blockFrames: Int) -> MixingEngineContract {
        MixingEngineContract { content, name in
            .pcm(SampleSource(content, name: name))
        } makeSubject: {
            let manual = ManualMixingEngine.offline(blockFrames: blockFrames)
            return .init(engine: manual.engine) { manual.rendered }
        }
    }

    @Test(arguments: MixingEngineContract.Rule.allCases)
    func mixerKeeps(rule: MixingEngineContract.Rule) async {
        let findings = await contract(blockFrames: 480).check(rule)
        #expect(findings == [])
    }

    @Test(arguments: MixingEngineContract.Rule.allCases)
    func mixerKeepsContractWithOddBlockLengths(rule: MixingEngineContract.Rule) async {
        let findings = await contract(blockFrames: 4_799).check(rule)
        #expect(findings == [])
    }
}

/// Calls that a mixer refuses after its shutdown.
@Suite(.timeLimit(.minutes(2))) struct ShutdownTests {
    private let url = URL(fileURLWithPath: "/sounds/ramp")

    @Test func openAfterShutdownIsRefused() async throws {
        let manual = ManualMixingEngine.offline()
        manual.decks.register(TestSignal.ramp(frames: 1_000).samples(), for: url)
        await manual.engine.shutdown()
        let error = await #expect(throws: CoreError.self) {
            _ = try await manual.engine.openDeck(.url(url), gain: 1, isClip: false)
        }
        #expect(error?.code == "invalidState")
    }

    @Test(arguments: [false, true])
    func openDuringShutdownIsRefusedAndClosed(isClip: Bool) async throws {
        let manual = ManualMixingEngine.offline()
        var fault = DeckFault()
        fault.opensOnRelease = true
        manual.decks.register(TestSignal.ramp(frames: 1_000).samples(), for: url, fault: fault)
        let opening = Task { try await manual.engine.openDeck(.url(url), gain: 1, isClip: isClip) }
        let limit = ContinuousClock.now + .seconds(60)
        while manual.decks.openedNames.isEmpty, ContinuousClock.now < limit { await Task.yield() }
        await manual.engine.shutdown()
        manual.decks.release(url.path)
        let error = await #expect(throws: CoreError.self) { _ = try await opening.value }
        #expect(error?.code == "invalidState")
        #expect(manual.decks.openDeckCount == 0)
    }
}
