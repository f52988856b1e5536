import DescantContainers
import DescantCore
import DescantMixing
import DescantTesting
import Foundation
import Testing

@testable import DescantGStreamer

/// The description from a FLAC file's header equals that of a pipeline.
struct FLACDescriptionTests {
    @Test func equalsThePipelinesDescription() async throws {
        let directory = try TemporaryDirectory()
        let plain = try FixtureEncoder().make(
            .noise(seconds: 1, sampleRate: 44_100), as: .flac(bits: 24), named: "plain", in: directory)
        let tagged = try directory.write(try Self.tag(Data(contentsOf: plain)), to: "tagged.flac")
        let opened = try await GStreamerDecks().open(
            .url(tagged), mix: PCMFormat(sampleRate: 44_100, channels: 2)
        ) { _ in }
        opened.deck.close()
        let described = try await GStreamerDecks().describe(.url(tagged))
        #expect(described.title == "Gymnopédie No. 1")
        #expect(described.tags.artists == ["Erik Satie", "Ann, Ben"] && described.artist == "Erik Satie, Ann, Ben")
        #expect(described.tags.year == 1_888)
        #expect(described.tags.trackNumber == 1)
        #expect(described.tags.artworkData == Self.pixel + Data("front".utf8))
        #expect(described == opened.info.track)
        #expect(try await GStreamerDecks().describe(.url(plain)).title == "plain")
    }

    @Test func damagedMetadataIsNotRead() throws {
        let directory = try TemporaryDirectory()
        let plain = try FixtureEncoder().make(
            .noise(seconds: 1, sampleRate: 8_000), as: .flac(bits: 16), named: "plain", in: directory)
        let tagged = try Self.tag(Data(contentsOf: plain))
        for length in [0, 3, 20, 41, 45, 60, 200] {
            #expect(FLACDescription.read(ArrayBytes([UInt8](tagged.prefix(length))), fallbackTitle: "x") == nil)
        }
        // Lengths inside the blocks that reach beyond them.
        for offset in 42..<240 {
            var damaged = tagged
            damaged[damaged.startIndex + offset] = 0xFF
            _ = FLACDescription.read(ArrayBytes([UInt8](damaged)), fallbackTitle: "x")
        }
    }

    /// Puts comments and two pictures behind the first block.
    private static func tag(_ file: Data) throws -> Data {
        let texts = [
            "TITLE=Gymnopédie No. 1", "ARTIST=Erik Satie", "ARTIST=Ann, Ben", "ALBUM=Trois Gymnopédies",
            "ALBUMARTIST=Various",
            "GENRE=Classical", "DATE=1888", "TRACKNUMBER=1", "DISCNUMBER=2",
        ]
        var comments = little(4) + Data("test".utf8) + little(texts.count)
        for text in texts { comments += little(text.utf8.count) + Data(text.utf8) }
        let head = 4 + 4 + 34
        return file.prefix(head) + block(4, comments) + block(6, picture(4, "back")) + block(6, picture(3, "front"))
            + file.dropFirst(head)
    }

    private static func block(_ kind: UInt8, _ body: Data) -> Data { Data([kind]) + big(body.count).dropFirst() + body }

    private static func picture(_ kind: Int, _ content: String) -> Data {
        let image = pixel + Data(content.utf8)
        return big(kind) + big(9) + Data("image/png".utf8) + big(0) + Data(count: 16) + big(image.count) + image
    }

    /// One pixel as PNG.
    private static let pixel =
        Data(
            base64Encoded:
                "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==")
        ?? Data()

    private static func big(_ number: Int) -> Data { withUnsafeBytes(of: UInt32(number).bigEndian) { Data($0) } }

    private static func little(_ number: Int) -> Data { withUnsafeBytes(of: UInt32(number).littleEndian) { Data($0) } }
}
