import Descant
import DescantTesting
import Foundation
import Testing

@Test func tapeKeepsTheOutputContract() throws {
    let plugin = try BuiltPlugin("Tape")
    let file = plugin.folder.file("tape.f32")
    setenv("TAPE_FILE", file.path, 1)
    let format = PCMFormat(sampleRate: 48_000, channels: 2)
    let contract = AudioOutputContract(formats: [format]) {
        .init(output: try plugin.registry.makeOutput("tape")) {
            let samples = try Data(contentsOf: file).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
            return SampleBuffer(format: format, samples: samples)
        }
    }
    #expect(try contract.findings() == [])
}
