import Descant
import DescantTesting
import Foundation
import Testing

@Test func humKeepsTheDecoderContract() throws {
    let plugin = try BuiltPlugin("Hum")
    let file = try plugin.folder.write(Data("440".utf8), to: "a.hum")
    let tone = TestSignal.sine(440, amplitude: 0.2, seconds: 2, channels: 1, depth: .float).samples()
    let fixture = DecoderFixture(url: file, content: tone, tolerance: 1e-6)
    // A truncated text is a valid, shorter text.
    let contract = DecoderContract(fixtures: [fixture], detectsTruncation: false) {
        try plugin.registry.makeDecoder("hum")
    }
    #expect(try contract.findings() == [])
}
