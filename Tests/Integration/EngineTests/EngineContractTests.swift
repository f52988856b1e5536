import Descant
import DescantTesting
import Foundation
import Testing

/// The contract of every mixing engine, on GStreamer.
@Suite(.timeLimit(.minutes(5))) struct EngineContractTests {
    private func contract(
        _ makeSource: @escaping @Sendable (SampleBuffer, String, TemporaryDirectory) throws -> AudioSource
    ) throws -> MixingEngineContract {
        let files = try TemporaryDirectory(label: "descant-sources")
        return MixingEngineContract { content, name in
            try makeSource(content, "\(name)-\(UUID().uuidString)", files)
        } makeSubject: {
            let offline = try OfflineEngine()
            return .init(engine: offline.engine) { try await offline.rendered() }
        }
    }

    @Test(arguments: MixingEngineContract.Rule.allCases)
    func withWAVEFiles(rule: MixingEngineContract.Rule) async throws {
        let contract = try contract { content, name, directory in
            .url(try FixtureEncoder().encode(content, as: .wav(.float32), to: directory.file("\(name).wav")))
        }
        let findings = await contract.check(rule)
        #expect(findings == [])
    }

    @Test(arguments: MixingEngineContract.Rule.allCases)
    func withPCMSources(rule: MixingEngineContract.Rule) async throws {
        let contract = try contract { content, name, _ in .pcm(SampleSource(content, name: name)) }
        let findings = await contract.check(rule)
        #expect(findings == [])
    }
}
