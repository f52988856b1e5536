import Descant
import DescantTesting
import Foundation
import Testing

/// Seeks are exact and do not change the overlay.
@Suite(.timeLimit(.minutes(5))) struct SeekTests {
    private static let targets = [100_007, 12_345, 150_000, 44_100, 48_000, 99_999]
    /// How many frames the fade before a seek lasts, and the fade behind it.
    private static let fade = 240

    @Test(arguments: [FixtureFormat.wav(.int16), .flac(bits: 16)])
    func seekOfLosslessFilesIsExactAndTheOverlayUntouched(format: FixtureFormat) async throws {
        let offline = try OfflineEngine()
        // The main layer sounds on the left, the overlay on the right: each channel is one layer's own.
        let ramp = TestSignal.ramp(frames: 200_000, channels: 1).samples()
        let noise = TestSignal.noise(seed: 5, seconds: 3, channels: 1).samples()
        let main = try await offline.open(try offline.file(oneSided(ramp, right: false), format))
        let overlay = try await offline.open(try offline.file(oneSided(noise, right: true), format))
        try await offline.start(main)
        let layer = await offline.engine.addLayer(.overlay)
        try await offline.start(overlay, on: layer)
        try await offline.render(5_000)
        var starts: [Int] = []
        for target in Self.targets {
            try await offline.engine.seek(offline.main, to: Double(target) / 48_000, fade: 0)
            starts.append(try await offline.render(10_000))
        }
        let rendered = try await offline.rendered()
        #expect(rendered.channel(1) == Array(noise.samples.prefix(rendered.frameCount)))
        let left = SampleBuffer(format: PCMFormat(sampleRate: 48_000, channels: 1), samples: rendered.channel(0))
        for (index, target) in Self.targets.enumerated() {
            let landed = 5_000 + index * 10_000 + 2 * Self.fade
            let runs = RampAnalysis.runs(in: left.slice(landed..<5_000 + (index + 1) * 10_000))
            let source = Int64(target + Self.fade) % RampCode.period(channels: 1)
            #expect(runs.first?.kind == .source(source), "the seek to frame \(target)")
            #expect(runs.count <= 2 + (runs.first?.length ?? 0) / Int(RampCode.period(channels: 1)))
        }
    }

    @Test(arguments: [
        FixtureFormat.mp3(kilobitsPerSecond: 192), .vorbis(quality: 6), .opus(kilobitsPerSecond: 128),
        .infoMP3(kilobitsPerSecond: 192), .aac(kilobitsPerSecond: 192),
    ])
    func seekOfLossyFilesIsExactToASample(format: FixtureFormat) async throws {
        let offline = try OfflineEngine()
        let noise = TestSignal.noise(seed: 6, seconds: 4, channels: 1).samples()
        let deck = try await offline.open(try offline.file(noise, format))
        try await offline.start(deck)
        for target in Self.targets {
            try await offline.engine.seek(offline.main, to: Double(target) / 48_000, fade: 0)
            try await offline.render(10_000)
        }
        let rendered = try await offline.rendered().channel(0)
        for (index, target) in Self.targets.enumerated() {
            let excerpt = Array(rendered[index * 10_000 + 2 * Self.fade..<(index + 1) * 10_000])
            let found = Alignment(of: excerpt, in: noise.samples)
            #expect(abs(found.frame - (target + Self.fade)) <= 1, "the seek to frame \(target)")
            #expect(found.correlation > 0.4)
        }
    }

    private func oneSided(_ mono: SampleBuffer, right: Bool) -> SampleBuffer {
        var stereo = SampleBuffer(format: PCMFormat(sampleRate: mono.format.sampleRate, channels: 2))
        stereo.samples = mono.samples.flatMap { right ? [0, $0] : [$0, 0] }
        return stereo
    }
}
