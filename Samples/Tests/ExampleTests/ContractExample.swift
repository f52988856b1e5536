import Descant
import DescantTesting
import Foundation
import Testing

/// The contract suite for the smallest decoder, as its author would write the test.
@Suite struct ContractExample {
    @Test func keepsTheDecoderContract() throws {
        let folder = try TemporaryDirectory()
        try PluginBundleWriter(folder: folder.url).write(library: Bundle.main.bundleURL.appending(path: "libHum.so"))
        let registry = PluginRegistry(searchPath: [folder.url])
        registry.scan()

        let file = try folder.write(Data("440".utf8), to: "a.hum")
        let tone = TestSignal.sine(440, amplitude: 0.2, seconds: 10, channels: 1, depth: .float).samples()
        let contract = DecoderContract(
            fixtures: [DecoderFixture(url: file, content: tone, tolerance: 1e-6)],
            detectsTruncation: false  // A truncated text is a valid, shorter text.
        ) { try registry.makeDecoder("hum") }
        let findings = try contract.findings()
        #expect(findings.isEmpty, "\(findings)")
    }
}
