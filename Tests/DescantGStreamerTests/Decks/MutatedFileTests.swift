import DescantCore
import DescantGStreamer
import DescantMixing
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// Damaged files of every usual format cause no crash, no hang and no leak.
///
/// `make test-long` makes ten thousand of them.
@Suite(.serialized, .timeLimit(.minutes(60))) struct MutatedFileTests {
    static let formats: [FixtureFormat] = [
        .wav(.int16), .flac(bits: 16), .mp3(kilobitsPerSecond: 128), .infoMP3(kilobitsPerSecond: 128),
        .aac(kilobitsPerSecond: 128), .alac, .vorbis(quality: 4), .opus(kilobitsPerSecond: 96),
    ]

    @Test(arguments: formats)
    func endWithoutCrashOrHang(format: FixtureFormat) async throws {
        let directory = try TemporaryDirectory()
        let file = try FixtureEncoder().make(.noise(seconds: 1), as: format, named: "sound", in: directory)
        let original = try Data(contentsOf: file)
        var mutator = FileMutator(
            SeededGenerator(seed: UInt64(format.fileExtension.utf8.reduce(7) { $0 * 31 + Int($1) })))
        let count = MutationCount.share(usual: 25, of: Self.formats.count + 4)
        try await play(mutator.mutate(original), format, in: directory)
        var before: ProcessUsage?
        for index in 0..<count {
            // Libraries and pools that are loaded once do not count.
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
            // Slightly more than one second, because damaged headers may announce days.
            _ = try DeckDrain.read(opened.deck, channels: 2, atMost: 60_000)
            opened.deck.seek(toFrame: 24_000)
            _ = try DeckDrain.read(opened.deck, channels: 2, atMost: 60_000)
        } catch let error as CoreError {
            #expect(error.message.contains(url.lastPathComponent), "\(error)")
        }
    }

    // MARK: Through the mixer

    /// Files of 44.1 kHz (Opus: 48 kHz) in every usual container.
    static let coded: [CodedFile] = [
        CodedFile(name: "WAV", fileExtension: "wav", arguments: ["-c:a", "pcm_s16le"]),
        CodedFile(name: "AIFF", fileExtension: "aiff", arguments: ["-c:a", "pcm_s16be"]),
        CodedFile(name: "AU", fileExtension: "au", arguments: ["-c:a", "pcm_s16be"]),
        CodedFile(name: "FLAC", fileExtension: "flac", arguments: ["-c:a", "flac"]),
        CodedFile(name: "Vorbis", fileExtension: "ogg", arguments: ["-c:a", "libvorbis"]),
        CodedFile(name: "Opus", fileExtension: "opus", arguments: ["-c:a", "libopus"], sampleRate: 48_000),
        CodedFile(name: "MP3", fileExtension: "mp3", arguments: ["-c:a", "libmp3lame"]),
        CodedFile(name: "AAC", fileExtension: "m4a", arguments: ["-c:a", "aac"]),
        CodedFile(name: "ALAC", fileExtension: "m4a", arguments: ["-c:a", "alac"]),
        CodedFile(name: "Matroska", fileExtension: "mka", arguments: ["-c:a", "libvorbis"]),
        CodedFile(name: "WavPack", fileExtension: "wv", arguments: ["-c:a", "wavpack"]),
    ]

    @Test(arguments: coded)
    func areRenderedAtAnotherRate(file: CodedFile) async throws {
        let directory = try TemporaryDirectory()
        let original = try Data(contentsOf: file.encode(seconds: 1, in: directory.url))
        var mutator = FileMutator(SeededGenerator(seed: UInt64(file.name.utf8.reduce(11) { $0 * 31 + Int($1) })))
        for _ in 0..<MutationCount.share(usual: 4, of: Self.coded.count) {
            let data = mutator.mutate(original)
            try await render(data, "damaged.\(file.fileExtension)", in: directory)
            // With checksums that are right again, so that it is not thrown away page by page.
            if file.name == "Vorbis" || file.name == "Opus" {
                try await render(EditableOggFile(data).data, "sealed.\(file.fileExtension)", in: directory)
            }
        }
    }

    @Test(arguments: ["Vorbis", "Opus"], [1 << 56, 1 << 62, Int64.max, Int64.min + 5, 1 << 40] as [Int64])
    func granulePositionsOfLastPages(name: String, added: Int64) async throws {
        let directory = try TemporaryDirectory()
        let coded = try #require(Self.coded.first { $0.name == name })
        var file = EditableOggFile(try Data(contentsOf: coded.encode(seconds: 1, in: directory.url)))
        file.setGranule(added | 44_100, of: try #require(file.pages.last))
        try await render(file.data, "granule.\(coded.fileExtension)", in: directory)
    }

    /// Names of atoms, and the distance to a number of 4 bytes.
    @Test(
        arguments: ["AAC", "ALAC"],
        [("elst", 12), ("elst", 16), ("mdhd", 16), ("mdhd", 20), ("mvhd", 16), ("stts", 16)])
    func numbersOfMP4Files(name: String, field: (name: String, offset: Int)) async throws {
        let directory = try TemporaryDirectory()
        let coded = try #require(Self.coded.first { $0.name == name })
        let original = try Data(contentsOf: coded.encode(seconds: 1, in: directory.url))
        guard let atom = original.firstRange(of: Data(field.name.utf8))?.lowerBound else { return }
        for value: [UInt8] in [[0x7F, 255, 255, 255], [0, 0, 0, 1]] {
            var data = original
            data.replaceSubrange(atom + field.offset..<atom + field.offset + 4, with: value)
            try await render(data, "number.m4a", in: directory)
        }
    }

    private func render(_ data: Data, _ name: String, in directory: TemporaryDirectory) async throws {
        let url = try directory.write(data, to: name)
        do { _ = try await OfflineMix.render(.url(url), jumps: true, limit: 96_000) } catch let error as CoreError {
            #expect(error.message.contains(name) || error.message.contains("nothing is playing"), "\(error)")
        }
    }
}
