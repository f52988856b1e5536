import Descant
import DescantTesting
import Foundation
import Testing

/// The code that README and guides show does what they say.
@Suite struct ExampleTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory(label: "descant-examples") }

    /// The folder in which this run's products lie.
    private var products: URL { Bundle.main.bundleURL }

    @Test func theSmallestDecoderKeepsTheContract() throws {
        let bundles = directory.file("bundles")
        try PluginBundleWriter(folder: bundles).write(library: products.appendingPathComponent("libHumDecoder.so"))
        let registry = PluginRegistry(searchPath: [bundles])
        registry.scan()

        let file = try directory.write(Data("440\n".utf8), to: "a.hum")
        let stream = try registry.open(file)
        stream.decoder.close(stream.handle)
        #expect(stream.identifier == "hum" && stream.plugin == "org.example.hum")

        let tone = TestSignal.sine(440, amplitude: 0.2, seconds: 10, channels: 1, depth: .float).samples()
        let fixture = DecoderFixture(url: file, content: tone, tolerance: 1e-6)
        let contract = DecoderContract(fixtures: [fixture], detectsTruncation: false) {
            try registry.makeDecoder("hum")
        }
        let findings = try contract.findings()
        #expect(findings.isEmpty, "\(findings)")
    }

    @Test func theOfflineExampleRendersACrossfade() throws {
        let sources = try [300.0, 500.0].map { (frequency: Double) in
            let url = directory.file("\(Int(frequency)).wav")
            try WAVFile(TestSignal.sine(frequency, seconds: 10).samples(), encoding: .int24).write(to: url)
            return url
        }
        let output = directory.file("out.wav")
        let process = Process()
        process.executableURL = products.appendingPathComponent("RenderMix")
        process.arguments = (sources + [output]).map(\.path)
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        // Two tracks of 10 s that overlap for 4 s.
        #expect(try WAVFile(contentsOf: output).content.frameCount == 16 * 48_000)
    }
}
