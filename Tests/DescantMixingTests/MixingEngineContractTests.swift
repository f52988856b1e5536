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
    func mixerKeepsInOddBlocks(rule: MixingEngineContract.Rule) async {
        let findings = await contract(blockFrames: 4_799).check(rule)
        #expect(findings == [])
    }
}
