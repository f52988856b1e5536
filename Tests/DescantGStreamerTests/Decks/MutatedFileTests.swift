import DescantCore
import DescantGStreamer
import DescantMixing
import DescantTesting
import Foundation
import Testing

/// Damaged files of every usual format end in order: no crash, no hang, nothing left behind.
///
/// `make test-long` makes ten thousand of them.
@Suite(.serialized, .timeLimit(.minutes(60))) struct MutatedFileTests {
    static let formats: [FixtureFormat] = [
        .wav(.int16), .flac(bits: 16), .mp3(kilobitsPerSecond: 128), .infoMP3(kilobitsPerSecond: 128),
        .aac(kilobitsPerSecond: 128), .alac, .vorbis(quality: 4), .opus(kilobitsPerSecond: 96),
    ]

    @Test(arguments: formats)
    func endInOrder(format: FixtureFormat) async throws {
        let directory = try TemporaryDirectory()
        let file = try FixtureEncoder().make(.noise(seconds: 1), as: format, named: "sound", in: directory)
        let original = try Data(contentsOf: file)
        var mutator = FileMutator(seed: UInt64(format.fileExtension.utf8.reduce(7) { $0 * 31 + Int($1) }))
        let count = MutationCount.share(usual: 25, of: Self.formats.count + 4)
        try await play(mutator.mutate(original), format, in: directory)
        var before: ProcessUsage?
        for index in 0..<count {
            // What is loaded and pooled once does not count.
            if MutationCount.isLong, index == count / 4 { before = try ProcessUsage() }
            try await play(mutator.mutate(original), format, in: directory)
        }
        guard let before else { return }
        let after = try ProcessUsage()
        #expect(after.residentBytes - before.residentBytes < 40 << 20)
        #expect(after.descriptors - before.descriptors < 20)
    }

    private func play(_ data: Data, _ format: FixtureFormat, in directory: TemporaryDirectory) async throws {
        let url = try directory.write(data, to: "damaged.\(format.fileExtension)")
        do {
            let opened = try await GStreamerDecks().open(
                .url(url), mix: PCMFormat(sampleRate: 48_000, channels: 2)
            ) { _ in }
            defer { opened.deck.close() }
            // A second and a bit; damaged lengths may promise days.
            _ = try DeckDrain.read(opened.deck, channels: 2, atMost: 60_000)
            opened.deck.seek(toFrame: 24_000)
            _ = try DeckDrain.read(opened.deck, channels: 2, atMost: 60_000)
        } catch let error as CoreError {
            #expect(error.message.contains(url.lastPathComponent), "\(error)")
        }
    }
}
