import DescantCore
import DescantGStreamer
import DescantMixing
import DescantTesting
import Foundation
import Testing

/// Opus decodes as with the reference decoder, except for the rounding to 16 bits of GStreamer 1.22.
struct OpusDecodingTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Noise that is nearly the same in both channels with one of them turned: at a low bit rate the encoder sends one channel
    /// and that the other is inverted.
    private func encode(kilobits: Int) throws -> URL {
        var content = TestSignal.noise(seed: 3, amplitude: 0.4, seconds: 2, sampleRate: 48_000).samples()
        for frame in 0..<content.frameCount { content.samples[2 * frame + 1] = content.samples[2 * frame] * -0.8 }
        return try FixtureEncoder().encode(
            content, as: .opus(kilobitsPerSecond: kilobits), to: directory.file("turned\(kilobits).opus"))
    }

    private func reference(_ url: URL) throws -> SampleBuffer {
        let output = directory.file("reference.wav")
        try CodedFile.run(["opusdec", "--quiet", "--float", url.path, output.path])
        return try WAVFile(contentsOf: output).content
    }

    private func decoded(_ url: URL) async throws -> SampleBuffer {
        let opened = try await GStreamerDecks().open(.url(url), mix: PCMFormat(sampleRate: 48_000, channels: 2)) { _ in
        }
        defer { opened.deck.close() }
        return try DeckDrain.read(opened.deck, channels: 2).samples
    }

    private func expectAgreement(_ url: URL, roundings: Float = 1) async throws {
        let (found, expected) = (try await decoded(url), try reference(url))
        #expect(found.frameCount == expected.frameCount)
        let maximum = zip(found.samples, expected.samples).map { abs($0 - $1) }.max() ?? 1
        #expect(maximum <= roundings * 1.001 / 32_768, "\(maximum)")
    }

    @Test(arguments: [16, 24, 96]) func phaseInversionIsKept(kilobits: Int) async throws {
        try await expectAgreement(encode(kilobits: kilobits))
    }

    /// The header sets half the level: -6.02 dB in steps of 1/256 dB.
    @Test func gainOfTheHeaderIsApplied() async throws {
        let url = try encode(kilobits: 96)
        var file = try Data(contentsOf: url)
        file.replaceSubrange(28 + 16..<28 + 18, with: [0xFB, 0xF9])
        OggChecksum.renew(&file, pageAt: 0, size: 47)
        try file.write(to: url)
        // Rounded once more when the gain is applied.
        try await expectAgreement(url, roundings: 2)
        let level = LevelAnalysis.peak(try await decoded(url).samples)
        #expect((0.1...0.45).contains(level))
    }
}

/// The checksum of an Ogg page, for pages that a test changes.
enum OggChecksum {
    static func renew(_ file: inout Data, pageAt start: Int, size: Int) {
        file.replaceSubrange(start + 22..<start + 26, with: [0, 0, 0, 0])
        var sum: UInt32 = 0
        for byte in file[start..<start + size] {
            sum ^= UInt32(byte) << 24
            for _ in 0..<8 { sum = sum & 0x8000_0000 == 0 ? sum << 1 : sum << 1 ^ 0x04C1_1DB7 }
        }
        withUnsafeBytes(of: sum.littleEndian) { file.replaceSubrange(start + 22..<start + 26, with: $0) }
    }
}
