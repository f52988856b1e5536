import Descant
import DescantTesting
import Foundation
import Testing

/// The bundle on libavcodec, loaded as a host loads it.
@Suite struct LibavDecoderTests {
    private let shelf: BundleShelf
    private let registry: PluginRegistry

    init() throws {
        shelf = try BundleShelf()
        try shelf.write(BuiltLibrary.plugin("LibavDecoder"))
        registry = shelf.registry()
    }

    /// The formats of the bundle.
    static let formats: [(FixtureFormat, rate: Int)] = [
        (.mp3(kilobitsPerSecond: 192), 44_100), (.mp3(kilobitsPerSecond: 64), 22_050),
        (.infoMP3(kilobitsPerSecond: 192), 48_000), (.aac(kilobitsPerSecond: 192), 44_100),
        (.aac(kilobitsPerSecond: 256), 48_000),
        (.alac, 44_100), (.alac, 96_000), (.vorbis(quality: 6), 44_100), (.vorbis(quality: 0), 48_000),
        (.opus(kilobitsPerSecond: 128), 48_000), (.opus(kilobitsPerSecond: 256), 48_000),
    ]

    private func noise(_ format: FixtureFormat, rate: Int, frames: Int = 100_001, channels: Int = 2) throws -> (
        URL, SampleBuffer
    ) {
        let content = TestSignal(
            .noise(seed: 5, amplitude: 0.3), frames: frames, sampleRate: rate, channels: channels, depth: .int16
        ).samples()
        let url = shelf.directory.file("noise-\(UUID().uuidString.prefix(8)).\(format.fileExtension)")
        if case .aac(let kilobits) = format {
            // Bands of noise that the decoder makes anew would differ at every decoding.
            let input = shelf.directory.file("noise.wav")
            try WAVFile(content, encoding: .int16).write(to: input)
            try Tool.run(
                "ffmpeg",
                [
                    "-v", "error", "-y", "-i", input.path, "-c:a", "aac", "-aac_pns", "0", "-b:a", "\(kilobits)k",
                    url.path,
                ])
            return (url, content)
        }
        return (try FixtureEncoder().encode(content, as: format, to: url), content)
    }

    @Test(arguments: formats) func theDecoderContract(format: FixtureFormat, rate: Int) throws {
        let (url, content) = try noise(format, rate: rate)
        let fixture = DecoderFixture(url: url, content: content, tolerance: format.isLossless ? 0 : nil)
        let registry = registry
        let findings = try DecoderContract(fixtures: [fixture]) { try registry.makeDecoder("libav") }.findings()
        #expect(findings.isEmpty, "\(findings)")
    }

    // MARK: Seeking

    /// The frames after a seek, bit by bit, are those of decoding from the beginning.
    @Test(arguments: formats) func everySeekIsExact(format: FixtureFormat, rate: Int) throws {
        let (url, _) = try noise(format, rate: rate, frames: 150_007)
        let reader = try StreamReader(registry, url)
        let whole = try reader.readAll()
        #expect(whole.count == 300_014)
        // The predictors of Opus forget slowly. Those of the other codecs are right after a known number of packets.
        let tolerance: Double = if case .opus = format { 1e-4 } else { 0 }
        var generator = SeededGenerator(seed: 7)
        for frame in [0, 1, 150_006, 75_000, 1_151, 1_152, 1_153]
            + (0..<20).map({ _ in Int.random(in: 0..<150_007, using: &generator) })
        {
            try reader.seek(Double(frame) / Double(rate))
            let samples = try reader.read(5_000)
            #expect(samples.count == 2 * min(5_000, 150_007 - frame))
            let difference = LevelAnalysis.maximumDifference(
                samples, Array(whole[(2 * frame)...].prefix(samples.count)))
            #expect(difference <= tolerance, "frame \(frame)")
        }
    }

    // MARK: Other decoders

    /// The sound is that of GStreamer's decoders, frame by frame.
    @Test(arguments: formats) func samplesMatchGStreamer(format: FixtureFormat, rate: Int) throws {
        let (url, _) = try noise(format, rate: rate)
        let ours = try StreamReader(registry, url).readAll()
        let environment = AudioEnvironment(plugins: PluginRegistry(searchPath: []))
        let theirs = try StreamReader(environment.makeDecoder(), url)
        let expected = try theirs.readAll()
        #expect(ours.count == expected.count)
        let difference = LevelAnalysis.maximumDifference(ours, expected)
        // GStreamer decodes Opus to 16 bits.
        #expect(difference <= 1e-4, "\(difference)")
    }
}
