import Descant
import DescantTesting
import Foundation
import Testing

/// The programs that README and guides show do what they say.
@Suite struct ExampleTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory(label: "descant-examples") }

    @Test func theOfflineExampleRendersACrossfade() throws {
        let sources = try [300.0, 500.0].map { (frequency: Double) in
            let url = directory.file("\(Int(frequency)).wav")
            try WAVFile(TestSignal.sine(frequency, seconds: 10).samples(), encoding: .int24).write(to: url)
            return url
        }
        let output = directory.file("out.wav")
        let process = Process()
        process.executableURL = Bundle.main.bundleURL.appendingPathComponent("RenderMix")
        process.arguments = (sources + [output]).map(\.path)
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        // Two tracks of 10 s that overlap for 4 s.
        #expect(try WAVFile(contentsOf: output).content.frameCount == 16 * 48_000)
    }
}
