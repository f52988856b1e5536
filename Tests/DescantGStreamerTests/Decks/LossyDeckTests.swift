import DescantCore
import DescantGStreamer
import DescantMixing
import DescantTesting
import Foundation
import Testing

/// A deck delivers exactly the encoded frames of a lossy file, each at its position.
struct LossyDeckTests {
    static let formats: [(FixtureFormat, Int)] = [
        (.mp3(kilobitsPerSecond: 192), 44_100), (.mp3(kilobitsPerSecond: 192), 48_000),
        (.mp3(kilobitsPerSecond: 96), 22_050), (.vorbis(quality: 6), 44_100), (.vorbis(quality: 6), 48_000),
        (.opus(kilobitsPerSecond: 160), 48_000),
    ]

    private func fixture(_ kind: (FixtureFormat, Int), frames: Int, in directory: TemporaryDirectory) throws
        -> (URL, SampleBuffer)
    {
        let signal = TestSignal(
            .noise(seed: 3, amplitude: 0.4), frames: frames, sampleRate: kind.1, channels: 2, depth: .int16)
        return (try FixtureEncoder().make(signal, as: kind.0, named: "noise", in: directory), signal.samples())
    }

    private func open(_ url: URL) async throws -> OpenedDeck {
        try await GStreamerDecks().open(.url(url), mix: PCMFormat(sampleRate: 48_000, channels: 2), onEvent: { _ in })
    }

    @Test(arguments: formats)
    func deliversEveryEncodedFrame(kind: (FixtureFormat, Int)) async throws {
        let directory = try TemporaryDirectory()
        for frames in [100_003, 115_200, 131_072] {
            let (url, original) = try fixture(kind, frames: frames, in: directory)
            let opened = try await open(url)
            defer { opened.deck.close() }
            #expect(opened.deck.frameCount == Int64(frames), "\(kind)")
            #expect(opened.deck.isFrameCountExact, "\(kind)")
            let outcome = try DeckDrain.read(opened.deck, channels: 2)
            #expect(outcome.failure == nil)
            #expect(outcome.samples.frameCount == frames, "\(kind)")
            let middle = outcome.samples.slice(40_000..<48_192).channel(0)
            #expect(Alignment(of: middle, in: original.channel(0)).frame == 40_000, "\(kind)")
        }
    }

    @Test(arguments: formats)
    func seeksToTheFrame(kind: (FixtureFormat, Int)) async throws {
        let directory = try TemporaryDirectory()
        let (url, _) = try fixture(kind, frames: 200_003, in: directory)
        let opened = try await open(url)
        defer { opened.deck.close() }
        let whole = try DeckDrain.read(opened.deck, channels: 2).samples.channel(0)
        for target in [0, 1, 1_105, 50_000, 99_999, 150_001, 190_000] {
            opened.deck.seek(toFrame: Int64(target))
            let outcome = try DeckDrain.read(opened.deck, channels: 2, atMost: 8_192)
            #expect(outcome.firstPosition == Int64(target), "\(kind)")
            let found = Alignment(of: outcome.samples.channel(0), in: whole)
            #expect(found.frame == target, "\(kind)")
            let remainder = try DeckDrain.read(opened.deck, channels: 2)
            #expect(
                outcome.samples.frameCount + remainder.samples.frameCount == 200_003 - target, "\(kind) from \(target)")
        }
    }

    /// The comments, which hold covers, lie in front of the first sound.
    @Test(arguments: [FixtureFormat.vorbis(quality: 5), .opus(kilobitsPerSecond: 96)])
    func lengthIsExactBehindALargeCover(format: FixtureFormat) async throws {
        let directory = try TemporaryDirectory()
        let signal = TestSignal(.noise(seed: 3, amplitude: 0.4), frames: 100_003, sampleRate: 48_000)
        let part = String(repeating: "x", count: 100_000)
        let url = try FixtureEncoder().encode(
            signal.samples(), as: format,
            comments: Dictionary(uniqueKeysWithValues: (0..<13).map { ("PART\($0)", part) }),
            to: directory.file("large.\(format.fileExtension)"))
        let opened = try await open(url)
        defer { opened.deck.close() }
        #expect(opened.deck.isFrameCountExact && opened.deck.frameCount == 100_003)
    }
}
