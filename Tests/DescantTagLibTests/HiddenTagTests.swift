import DescantContainers
import DescantCore
import DescantTagLib
import DescantTesting
import Foundation
import Testing

/// Tags that look like others, or lie where a writer could miss them: nothing of them is lost.
@Suite struct HiddenTagTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func file(_ name: String, _ bytes: [UInt8]) throws -> URL { try directory.write(Data(bytes), to: name) }

    /// The sound of a WavPack file, without its tags.
    private func wavPack() throws -> [UInt8] {
        let url = try TaggedFiles.copy("tagged.wv", in: directory)
        try TagLibWriter().write(url: url, change: TagChange(from: try TagLibReader().read(url: url), to: TagBundle()))
        let bytes = [UInt8](try Data(contentsOf: url))
        let tag = try APETag(in: ArrayBytes(bytes), endingAt: bytes.count)
        return Array(bytes.dropLast(tag?.oldCount ?? 0))
    }

    /// Its last 128 bytes begin with the last letters of "APETAGEX", as a block of ID3v1 does.
    @Test func anAPETagOf131BytesIsNoID3v1() throws {
        var tag = APETag()
        tag.items = [("Title", 19), ("Artist", 19)].map {
            APETag.Item(name: $0, value: [UInt8](repeating: 0x61, count: $1))
        }
        #expect(tag.bytes.count == 131)
        let file = try file("short.wv", try wavPack() + tag.bytes)
        try TagLibWriter().write(url: file, tags: TagBundle(album: "Album"))
        let read = try TagLibReader().read(url: file)
        let text = String(repeating: "a", count: 19)
        #expect(read.title == text && read.artists == [text] && read.album == "Album")
    }

    @Test func aHeaderOfAPEThatIsOnlyAnnouncedIsSound() throws {
        let sound = try wavPack()
        var tag = APETag()
        tag.items = [APETag.Item(name: "Title", value: Array("Old".utf8))]
        let file = try file("headless.wv", sound + tag.bytes.dropFirst(32))
        try TagLibWriter().write(url: file, tags: TagBundle(title: "New"))
        #expect(try TagLibReader().read(url: file).title == "New")
        #expect([UInt8](try Data(contentsOf: file)).starts(with: sound))
    }

    /// A program that adds a chunk without raising the length of the file.
    @Test func aChunkBehindTheAnnouncedEndIsChanged() throws {
        let url = try TaggedFiles.copy("tagged.wav", in: directory)
        var bytes = [UInt8](try Data(contentsOf: url))
        let before = try TagLibReader().read(url: url)
        let place = try #require(
            bytes.indices.last {
                bytes[$0...].starts(with: Array("id3 ".utf8)) || bytes[$0...].starts(with: Array("ID3 ".utf8))
            })
        #expect(before.title != nil)
        bytes.replaceSubrange(4..<8, with: TaggedSound.number(place - 8).reversed())
        try Data(bytes).write(to: url)
        try TagLibWriter().write(url: url, tags: TagBundle(album: "Another"))
        var expected = before
        expected.album = "Another"
        var read = try TagLibReader().read(url: url)
        (expected.technical, read.technical) = (nil, nil)
        #expect(read == expected)
    }

    @Test func coversOfAPEAreTakenForWhatTheyAre() throws {
        let covers = [TagPicture.Kind.frontCover, .backCover].map { kind in
            TagPicture(
                data: Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, kind == .backCover ? 1 : 2]), kind: kind)
        }
        let file = try file("covers.wv", try wavPack())
        try TagLibWriter().write(url: file, change: TagChange(pictures: [.add(covers[1])]))
        #expect(try TagLibReader().read(url: file).pictures?.map(\.kind) == [.backCover])
        try TagLibWriter().write(url: file, change: TagChange(pictures: [.add(covers[0])]))
        let both = try #require(try TagLibReader().read(url: file).pictures)
        #expect(both.count == 2)
        let front = try #require(both.first { $0.kind == .frontCover })
        try TagLibWriter().write(url: file, change: TagChange(pictures: [.remove(front)]))
        #expect(try TagLibReader().read(url: file).pictures?.map(\.kind) == [.backCover])
    }

    // MARK: Numbers and totals

    private static var twelve: TagBundle {
        var tags = TagBundle()
        tags.trackTotal = 12
        return tags
    }

    @Test(arguments: [("A3", "A3/12"), ("07/9", "07/12"), ("/9", "/12")])
    func theOtherHalfOfAPairStays(old: String, new: String) throws {
        let file = try file("pair.mp3", TaggedSound.tag(TaggedSound.text("TRCK", old)) + TaggedSound.sound)
        try TagLibWriter().write(url: file, tags: Self.twelve)
        let frame = try ID3v2Tag([UInt8](Data(contentsOf: file))).frames.first { $0.id == "TRCK" }
        #expect(frame.map { String(decoding: $0.content.drop { $0 < 0x20 }, as: UTF8.self) } == new)
    }

    @Test func theOtherHalfOfAPairMayBeInAnotherTag() throws {
        var block = Array("TAG".utf8) + [UInt8](repeating: 0, count: 125)
        block[126] = 5
        let file = try file("other.mp3", TaggedSound.sound + block)
        #expect(try TagLibReader().read(url: file).trackNumber == 5)
        try TagLibWriter().write(url: file, tags: Self.twelve)
        let read = try TagLibReader().read(url: file)
        #expect(read.trackNumber == 5 && read.trackTotal == 12)
    }

    @Test func bothHalvesOfAPairAreRemovedFromEachTag() throws {
        var tag = APETag()
        tag.items = [APETag.Item(name: "Track", value: Array("3/12".utf8))]
        let file = try file("both.mp3", TaggedSound.tag(TaggedSound.text("TRCK", "3")) + TaggedSound.sound + tag.bytes)
        let before = try TagLibReader().read(url: file)
        #expect(before.trackNumber == 3 && before.trackTotal == nil)
        try TagLibWriter().write(url: file, change: TagChange(remove: [.trackNumber, .trackTotal]))
        let read = try TagLibReader().read(url: file)
        #expect(read.trackNumber == nil && read.trackTotal == nil)
    }

    /// An MP4 file with tags whose first atom of a name has the length 0.
    private func movie(withoutLengthOf atom: String) throws -> [UInt8] {
        var bytes = [UInt8](try TaggedFiles.data("front.m4a"))
        let name = try #require(bytes.indices.first { bytes[$0...].starts(with: Array(atom.utf8)) })
        bytes.replaceSubrange(name - 4..<name, with: [0, 0, 0, 0])
        return bytes
    }

    /// The length 0 stands for "to the end of the file": TagLib finds nothing behind it, neither the old tags nor new ones.
    @Test func tagsBehindAnAtomWithoutLengthAreNotWrittenTwice() throws {
        let bytes = try movie(withoutLengthOf: "dinf")
        let file = try file("endless.m4a", bytes)
        #expect(try TagLibReader().read(url: file).title == nil)
        let error = #expect(throws: CoreError.self) {
            try TagLibWriter().write(url: file, tags: TagBundle(title: "New"))
        }
        #expect(error?.code == "decodeError" && error?.message.contains("without its title") == true)
        #expect([UInt8](try Data(contentsOf: file)) == bytes)
    }

    /// A reader that looks for MPEG audio finds the tag behind bytes that are none, and a new tag in front of them would hide it.
    @Test func aTagBehindOtherBytesIsNotHidden() throws {
        let bytes = [0xFF, 0xFB, 0x90] + [UInt8](repeating: 0, count: 61) + [UInt8](try TaggedFiles.data("v23.mp3"))
        let file = try file("late.mp3", bytes)
        try #require(try TagLibReader().read(url: file).album != nil)
        let error = #expect(throws: CoreError.self) {
            try TagLibWriter().write(url: file, tags: TagBundle(title: "New"))
        }
        #expect(error?.code == "decodeError" && error?.message.contains("reads back without its") == true)
        #expect([UInt8](try Data(contentsOf: file)) == bytes)
    }

    /// A write that moves the sound gives an atom without length one, and readers then see the fields that it hid.
    @Test func removedFieldsDoNotReappear() throws {
        let bytes = try movie(withoutLengthOf: "hdlr")
        let file = try file("endless.m4a", bytes)
        #expect(try TagLibReader().read(url: file).genres == nil)
        let long = TagBundle(title: String(repeating: "Title ", count: 5_000))
        let error = #expect(throws: CoreError.self) {
            try TagLibWriter().write(url: file, change: TagChange(set: long, remove: [.genres]))
        }
        #expect(error?.code == "decodeError" && error?.message.contains("reads back with its genre") == true)
        #expect([UInt8](try Data(contentsOf: file)) == bytes)
        try TagLibWriter().write(url: file, tags: long)
        #expect(try TagLibReader().read(url: file).genres != nil)
    }
}
