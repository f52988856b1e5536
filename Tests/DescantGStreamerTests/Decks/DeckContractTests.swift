import DescantCore
import DescantGStreamer
import DescantMixing
import DescantTesting
import Foundation
import Testing

/// The contract of decks on playbin.
@Suite(.timeLimit(.minutes(5))) struct DeckContractTests {
    private static let stereo = PCMFormat(sampleRate: 48_000, channels: 2)

    private func findings(_ format: FixtureFormat, sampleRate: Int, channels: Int) async throws -> [ContractFinding] {
        let directory = try TemporaryDirectory()
        let signal = TestSignal.noise(seed: 21, seconds: 2.3, sampleRate: sampleRate, channels: channels)
        let file = try FixtureEncoder().make(signal, as: format, named: "noise", in: directory)
        var content = signal.samples()
        if channels == 1 {
            content = SampleBuffer(
                format: PCMFormat(sampleRate: sampleRate, channels: 2), samples: content.samples.flatMap { [$0, $0] })
        }
        let contract = DeckContract(content: content, tolerance: format.isLossless ? 1e-7 : nil) {
            try await GStreamerDecks().open(.url(file), mix: Self.stereo) { _ in }.deck
        }
        return try await contract.findings()
    }

    @Test(arguments: [FixtureFormat.wav(.int16), .wav(.int24), .wav(.float32), .flac(bits: 16), .flac(bits: 24)])
    func losslessFilesPassTheContract(format: FixtureFormat) async throws {
        let found = try await findings(format, sampleRate: 48_000, channels: 2)
        #expect(found == [])
    }

    @Test(arguments: [FixtureFormat.flac(bits: 16), .wav(.int16)], [8_000, 44_100, 96_000])
    func otherRatesAndMonoPassTheContract(format: FixtureFormat, sampleRate: Int) async throws {
        let found = try await findings(format, sampleRate: sampleRate, channels: 1)
        #expect(found == [])
    }

    @Test(arguments: [
        (FixtureFormat.mp3(kilobitsPerSecond: 192), 44_100), (.mp3(kilobitsPerSecond: 192), 48_000),
        (.vorbis(quality: 6), 44_100), (.vorbis(quality: 6), 48_000), (.opus(kilobitsPerSecond: 128), 48_000),
    ])
    func lossyFilesPassTheContract(format: FixtureFormat, sampleRate: Int) async throws {
        let found = try await findings(format, sampleRate: sampleRate, channels: 2)
        #expect(found == [])
    }
}
