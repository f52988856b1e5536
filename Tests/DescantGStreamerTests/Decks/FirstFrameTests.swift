import DescantCore
import DescantGStreamer
import DescantMixing
import DescantTesting
import Foundation
import Testing

/// A source opens with its first frame; a source without a frame is refused.
struct FirstFrameTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func expectNoSound(_ data: Data, named name: String) async throws {
        let url = try directory.write(data, to: name)
        let error = await #expect(throws: CoreError.self, "\(name)") {
            let opened = try await GStreamerDecks().open(
                .url(url), mix: PCMFormat(sampleRate: 48_000, channels: 2)
            ) { _ in }
            opened.deck.close()
        }
        #expect(error?.code == "decodeError", "\(String(describing: error))")
        #expect(error?.message.hasPrefix(url.path) == true)
    }

    @Test func waveFileWithLessThanAFrameIsRefused() async throws {
        var file = WAVFile(TestSignal.noise(seconds: 0.1).samples(), encoding: .int16).data().prefix(46)
        file.replaceSubrange(40..<44, with: [2, 0, 0, 0])
        try await expectNoSound(file, named: "short.wav")
    }

    /// Truncated after its first packet, which is the encoder's delay.
    @Test func mp4OfEncoderDelayOnlyIsRefused() async throws {
        let file = CodedFile(
            name: "AAC", fileExtension: "m4a", arguments: ["-c:a", "aac", "-movflags", "+faststart"],
            fidelity: .within(1))
        let data = try Data(contentsOf: file.encode(seconds: 0.3, in: directory.url))
        let sizes = try #require(data.range(of: Data("stsz".utf8))).upperBound + 12
        let first = data[sizes..<sizes + 4].reduce(0) { $0 << 8 | Int($1) }
        let sound = try #require(data.range(of: Data("mdat".utf8))).upperBound
        try await expectNoSound(data.prefix(sound + first), named: "delay.m4a")
    }
}
