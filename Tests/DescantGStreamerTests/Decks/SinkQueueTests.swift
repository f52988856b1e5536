import DescantCore
import DescantMixing
import DescantTesting
import Foundation
import Testing

@testable import DescantGStreamer

/// The queue of a deck holds 0.75 s for every block length.
struct SinkQueueTests {
    /// Blocks of 4,096 frames at three rates, and packets of 960.
    static let formats: [(FixtureFormat, sampleRate: Int, buffers: Int)] = [
        (.flac(bits: 16), 44_100, 8), (.flac(bits: 16), 192_000, 35), (.flac(bits: 16), 8_000, 4),
        (.opus(kilobitsPerSecond: 96), 48_000, 37),
    ]

    @Test(arguments: formats)
    func limitDependsOnTheLengthOfBlocks(kind: (format: FixtureFormat, sampleRate: Int, buffers: Int)) async throws {
        let directory = try TemporaryDirectory()
        let url = try FixtureEncoder().make(
            .noise(seconds: 2, sampleRate: kind.sampleRate), as: kind.format, named: "noise", in: directory)
        let opened = try await GStreamerDecks().open(.url(url), mix: PCMFormat(sampleRate: 48_000, channels: 2)) { _ in
        }
        defer { opened.deck.close() }
        let deck = try #require(opened.deck as? PlaybinDeck)
        #expect(try DeckDrain.read(deck, channels: 2).failure == nil)
        #expect(deck.pipeline.sink.int("max-buffers") == kind.buffers)
    }
}
