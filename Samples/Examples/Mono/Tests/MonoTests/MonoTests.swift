import Descant
import DescantTesting
import Testing

@Test func monoKeepsTheEffectContract() throws {
    let plugin = try BuiltPlugin("Mono")
    #expect(AudioEffectContract { try plugin.registry.makeEffect("mono") }.findings() == [])
}

@Test func monoPlaysTheMeanOnEachChannel() throws {
    let plugin = try BuiltPlugin("Mono")
    var effect = try withExtendedLifetime(plugin) { try plugin.registry.makeEffect("mono") }
    try effect.prepare(PCMFormat(sampleRate: 48_000, channels: 2), maximumFrames: 2)
    var samples: [Float] = [1, 0.5, 0, -0.5]
    samples.withUnsafeMutableBufferPointer { buffer in
        guard let start = buffer.baseAddress else { return }
        effect.process(EffectBlock(samples: start, channels: 2, frames: 2, stride: 2))
    }
    #expect(samples == [0.5, 0, 0.5, 0])
}
