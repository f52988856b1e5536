import Descant
import DescantTesting
import Foundation
import Testing

/// The contract suite for a voice, as its author would write the test.
@Suite struct VoiceContractExample {
    @Test(arguments: SpeechSynthesizerContract.Rule.allCases)
    func keepsTheVoiceContract(rule: SpeechSynthesizerContract.Rule) async throws {
        let folder = try TemporaryDirectory()
        try PluginBundleWriter(folder: folder.url).write(library: Bundle.main.bundleURL.appending(path: "libMorse.so"))
        let registry = PluginRegistry(searchPath: [folder.url])
        registry.scan()

        let contract = SpeechSynthesizerContract(hostileLength: 200) { try registry.makeSpeechSynthesizer("morse") }
        let findings = await contract.check(rule)
        #expect(findings.isEmpty, "\(findings)")
    }
}
