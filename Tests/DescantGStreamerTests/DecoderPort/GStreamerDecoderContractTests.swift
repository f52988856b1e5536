import DescantGStreamer
import DescantTesting
import Testing

/// The decoder of every file that no bundle decodes keeps the rules of decoders.
@Suite(.timeLimit(.minutes(5))) struct GStreamerDecoderContractTests {
    @Test(arguments: [
        FixtureFormat.wav(.int16), .flac(bits: 16), .alac, .mp3(kilobitsPerSecond: 192), .vorbis(quality: 6),
        .opus(kilobitsPerSecond: 128),
    ])
    func itKeepsTheContract(format: FixtureFormat) throws {
        let directory = try TemporaryDirectory()
        let content = TestSignal(
            .noise(seed: 5, amplitude: 0.3), frames: 96_000, sampleRate: 48_000, channels: 2, depth: .int16
        ).samples()
        let url = try FixtureEncoder().encode(content, as: format, to: directory.file("noise.\(format.fileExtension)"))
        let fixture = DecoderFixture(url: url, content: content, tolerance: format.isLossless ? 0 : nil)
        let contract = DecoderContract(fixtures: [fixture]) { GStreamerDecoder() }
        #expect(try contract.findings() == [])
    }
}
