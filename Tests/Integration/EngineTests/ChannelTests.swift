import Descant
import DescantTesting
import Foundation
import Testing

/// The output has the channels of its configuration.
@Suite(.timeLimit(.minutes(5))) struct ChannelTests {
    /// A different tone in every channel, from 400 Hz in steps of 200 Hz.
    private func tones(channels: Int) -> SampleBuffer {
        let each = (0..<channels).map { TestSignal.sine(400 + 200 * Double($0), seconds: 0.5, channels: 1).samples() }
        var mix = SampleBuffer(format: PCMFormat(sampleRate: 48_000, channels: channels))
        mix.samples = (0..<24_000).flatMap { frame in each.map { $0.samples[frame] } }
        return mix
    }

    private func render(_ content: SampleBuffer, channels: Int) async throws -> SampleBuffer {
        let offline = try OfflineEngine(format: PCMFormat(sampleRate: 48_000, channels: channels))
        let file = offline.directory.file("tones.wav")
        try WAVFile(content, encoding: .int24).write(to: file, extensible: content.format.channels > 2)
        try await offline.start(try await offline.open(file))
        #expect(try await offline.renderToIdle() == content.frameCount)
        return try await offline.rendered()
    }

    private func level(_ frequency: Double, in samples: [Float]) -> Double {
        ToneFit(frequency: frequency, in: samples, frames: 0..<24_000, sampleRate: 48_000).amplitude
    }

    @Test(arguments: [1, 2, 6, 8])
    func channelsOfTheMixAreBitExact(channels: Int) async throws {
        let content = tones(channels: channels)
        #expect(try await render(content, channels: channels) == content)
    }

    @Test func monoSoundsInBothChannels() async throws {
        let rendered = try await render(tones(channels: 1), channels: 2)
        for channel in 0..<2 { #expect(abs(level(400, in: rendered.channel(channel)) - 0.25) < 1e-3) }
    }

    @Test func stereoIsAveragedToMono() async throws {
        let rendered = try await render(tones(channels: 2), channels: 1)
        for frequency in [400.0, 600] { #expect(abs(level(frequency, in: rendered.channel(0)) - 0.125) < 1e-3) }
    }

    @Test func surroundIsDownmixedToStereo() async throws {
        let rendered = try await render(tones(channels: 6), channels: 2)
        let (left, right) = (rendered.channel(0), rendered.channel(1))
        #expect(level(400, in: left) > 0.05 && level(400, in: right) < 1e-3, "front left")
        #expect(level(600, in: right) > 0.05 && level(600, in: left) < 1e-3, "front right")
        #expect(abs(level(800, in: left) - level(800, in: right)) < 1e-3 && level(800, in: left) > 0.03, "centre")
        #expect(LevelAnalysis.peak(rendered.samples) <= 1)
    }
}
