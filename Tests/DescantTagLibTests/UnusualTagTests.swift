import DescantContainers
import DescantCore
import DescantTagLib
import DescantTesting
import Foundation
import Testing

/// Tags in forms that some programs write, made of bytes.
@Suite struct UnusualTagTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func file(_ name: String, _ bytes: [UInt8]) throws -> URL { try directory.write(Data(bytes), to: name) }

    private func frames(of file: URL) throws -> [ID3v2Frame] { try ID3v2Tag([UInt8](Data(contentsOf: file))).frames }

    // MARK: ID3v2

    /// iTunes leaves names of version 2.2 in tags of version 2.3, with a zero behind them.
    private func iTunesFile() throws -> URL {
        let texts = [
            ("TT2\0", "Title"), ("TP1\0", "Artist"), ("TALB", "Album"), ("TS2\0", "Album, Artist"), ("TRK\0", "3/7"),
            ("TYE\0", "1987"),
        ]
        let comment = TaggedSound.frame("COM\0", [0] + Array("eng\0Remark".utf8))
        let own = TaggedSound.frame("PRIV", Array("com.example\0data".utf8))
        let body = texts.flatMap { TaggedSound.text($0.0, $0.1) } + comment + own
        return try file("itunes.mp3", TaggedSound.tag(body + [UInt8](repeating: 0, count: 100)) + TaggedSound.sound)
    }

    @Test func namesOfVersion2InVersion3AreKept() throws {
        let file = try iTunesFile()
        let (before, oldFrames) = (try TagLibReader().read(url: file), try frames(of: file))
        #expect(before.artist == "Artist" && before.sortNames.albumArtist == "Album, Artist" && before.trackTotal == 7)
        #expect(before.comment == "Remark" && oldFrames.count == 8)
        try TagLibWriter().write(url: file, tags: TagBundle(title: "New"))
        var expected = before
        expected.title = "New"
        #expect(try TagLibReader().read(url: file) == expected)
        let newFrames = try frames(of: file)
        #expect(newFrames.map(\.id) == ["TIT2"] + oldFrames.map(\.id).dropFirst())
        #expect(newFrames.dropFirst() == oldFrames.dropFirst())
    }

    @Test func namesOfVersion2InVersion3AreReplaced() throws {
        let file = try iTunesFile()
        var tags = TagBundle(artist: "Somebody", trackNumber: 4)
        tags.year = 2_001
        tags.comment = "Other"
        try TagLibWriter().write(url: file, change: TagChange(set: tags, remove: [.albumArtistSort]))
        let read = try TagLibReader().read(url: file)
        #expect(read.artists == ["Somebody"] && read.trackNumber == 4 && read.trackTotal == 7 && read.year == 2_001)
        #expect(read.comment == "Other" && read.sortNames.albumArtist == nil)
        #expect(try frames(of: file).map(\.id) == ["TT2\0", "TPE1", "TALB", "TRCK", "TYER", "COMM", "PRIV"])
    }

    @Test(arguments: ["no?e", "T\0T2", "\0TT2"]) func bytesThatAreNoFrameAreNotLost(name: String) throws {
        let body = TaggedSound.text("TIT2", "Title") + TaggedSound.text(name, "?") + TaggedSound.text("TPE1", "Artist")
        let file = try file("invalid.mp3", TaggedSound.tag(body) + TaggedSound.sound)
        let before = try Data(contentsOf: file)
        #expect { try TagLibWriter().write(url: file, tags: TagBundle(title: "New")) } throws: {
            ($0 as? CoreError)?.code == "unsupported"
        }
        #expect(try Data(contentsOf: file) == before)
    }

    /// Version 2.4 with the flag for unsynchronisation in the header, and with or without it in the frames.
    @Test(arguments: [0, 0x02, 0x03] as [UInt8]) func unsynchronisedFramesAreReplaced(flag: UInt8) throws {
        func frame(_ name: String, _ content: [UInt8]) -> [UInt8] {
            let count = flag & 1 == 0 ? [] : TaggedSound.synchsafe(content.count)
            var guarded: [UInt8] = []
            for byte in content {
                if guarded.last == 0xFF, byte >= 0xE0 || byte == 0 { guarded.append(0) }
                guarded.append(byte)
            }
            return TaggedSound.frame(name, count + guarded, flag: flag)
        }
        /// UTF-16 with a byte order mark.
        func wide(_ text: String) -> [UInt8] {
            [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        }
        let name = wide("REPLAYGAIN_TRACK_GAIN") + [0, 0]
        let cover: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0xFF, 0, 1]
        let body =
            frame("TIT2", [1] + wide("Title")) + frame("TXXX", [1] + name + wide("-3.00 dB"))
            + frame("UFID", Array("http://musicbrainz.org\0one".utf8))
            + frame("APIC", [0] + Array("image/jpeg\0".utf8) + [3, 0] + cover)
        let tag = TaggedSound.tag(body + [UInt8](repeating: 0, count: 64), version: 4, flags: 0x80)
        let file = try file("unsynchronised.mp3", tag + TaggedSound.sound)
        let old = try TagLibReader().read(url: file)
        #expect(old.title == "Title" && old.replayGain.trackGain == -3 && old.pictures?.map(\.data) == [Data(cover)])

        let picture = TagPicture(data: Data(cover + [0xFF, 0xE1, 9]), kind: .frontCover)
        var tags = TagBundle()
        tags.pictures = [picture]
        tags.replayGain.trackGain = -6.5
        tags.musicBrainz.recordingID = "two"
        try TagLibWriter().write(url: file, tags: tags)
        let read = try TagLibReader().read(url: file)
        #expect(read.replayGain.trackGain == -6.5 && read.pictures == [picture])
        #expect(read.title == "Title" && read.musicBrainz.recordingID == "two")
        #expect(try frames(of: file).map(\.id) == ["TIT2", "TXXX", "UFID", "APIC"])
    }

    @Test func descriptionWithAZeroByteIsRefused() throws {
        let file = try iTunesFile()
        let before = try Data(contentsOf: file)
        var tags = TagBundle()
        tags.pictures = [TagPicture(data: Data([0xFF, 0xD8, 0xFF, 0xE0]), description: "one\0two")]
        #expect { try TagLibWriter().write(url: file, tags: tags) } throws: {
            ($0 as? CoreError)?.code == "invalidArgument"
        }
        #expect(try Data(contentsOf: file) == before)
    }

    // MARK: Recordings

    /// Recordings of stations begin within a frame, and other files behind zeros.
    @Test func soundThatBeginsBehindOtherBytesIsTagged() throws {
        let frame: [UInt8] = [0xFF, 0xF1, 0x50, 0x80, 25, 0x1F, 0xFC] + [UInt8](repeating: 0, count: 193)
        let frames = [[UInt8]](repeating: frame, count: 20).flatMap(\.self)
        let files: [(String, [UInt8])] = [
            ("cut.mp3", Array(TaggedSound.sound.dropFirst(100))),
            ("rest.mp3", [UInt8](repeating: 0x55, count: 300) + TaggedSound.sound),
            ("zeros.mp3", [UInt8](repeating: 0, count: 3_000) + TaggedSound.sound),
            ("cut.aac", Array(frames.dropFirst(100))),
        ]
        for (name, sound) in files {
            let file = try file(name, sound)
            try TagLibWriter().write(url: file, tags: TagBundle(title: "Title"))
            #expect(try TagLibReader().read(url: file).title == "Title")
            let bytes = [UInt8](try Data(contentsOf: file))
            #expect(bytes.starts(with: Array("ID3".utf8)) && bytes.suffix(sound.count).elementsEqual(sound), "\(name)")
        }
    }

    /// Frames of sound within another container, and a name without sound.
    @Test func bytesThatAreNoRecordingAreRefused() throws {
        let files: [(String, [UInt8])] = [
            ("film.avi", Array("RIFF".utf8) + TaggedSound.sound), ("text.mp3", [UInt8](repeating: 0x61, count: 9_000)),
        ]
        for (name, bytes) in files {
            let file = try file(name, bytes)
            #expect { try TagLibWriter().write(url: file, tags: TagBundle(title: "Title")) } throws: {
                ($0 as? CoreError)?.code == "unsupported"
            }
            #expect([UInt8](try Data(contentsOf: file)) == bytes)
        }
    }

    // MARK: FLAC

    /// The block of a picture: kind, type, description, width, height, depth, colours and data.
    private static func block(_ data: [UInt8], kind: Int) -> [UInt8] {
        func counted(_ bytes: [UInt8]) -> [UInt8] { TaggedSound.number(bytes.count) + bytes }
        return TaggedSound.number(kind) + counted(Array("image/jpeg".utf8)) + counted(Array("in a comment".utf8))
            + [UInt8](repeating: 0, count: 16) + counted(data)
    }

    /// A FLAC file without sound, with pictures in its comments: a back cover, and a picture without a kind.
    private func commentedFile() throws -> (url: URL, pictures: [TagPicture]) {
        let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 1]
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 2]
        var comment = VorbisComment()
        let block = Data(Self.block(jpeg, kind: 4)).base64EncodedString()
        comment.lines = [
            "TITLE=Title", "METADATA_BLOCK_PICTURE=\(block)", "COVERART=\(Data(png).base64EncodedString())",
            "COVERARTMIME=image/png", "METADATA_BLOCK_PICTURE=?",
        ].map { Array($0.utf8) }
        let info: [UInt8] = [16, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0x0A, 0xC4, 0x42, 0xF0] + [UInt8](repeating: 0, count: 20)
        let length = TaggedSound.number(comment.bytes.count).dropFirst()
        let url = try file(
            "comments.flac", Array("fLaC".utf8) + [0, 0, 0, 34] + info + [0x84] + length + comment.bytes)
        let pictures = [
            TagPicture(data: Data(jpeg), kind: .backCover, description: "in a comment"),
            TagPicture(data: Data(png), kind: .other),
        ]
        return (url, pictures)
    }

    @Test func picturesInCommentsOfFLACAreReplacedAndRemoved() throws {
        let (file, pictures) = try commentedFile()
        func read() throws -> [TagPicture]? { try TagLibReader().read(url: file).pictures }
        #expect(try read() == pictures)
        try TagLibWriter().write(url: file, tags: TagBundle(title: "New"))
        #expect(try read() == pictures)
        let new = TagPicture(data: Data([0xFF, 0xD8, 0xFF, 9]), kind: .backCover)
        try TagLibWriter().write(url: file, change: TagChange(pictures: [.replace(pictures[0], with: new)]))
        #expect(try read() == [new, pictures[1]])
        let added = TagPicture(data: Data([0xFF, 0xD8, 0xFF, 10]), kind: .frontCover)
        try TagLibWriter().write(url: file, change: TagChange(pictures: [.add(added)]))
        #expect(try Set(read() ?? []) == [new, pictures[1], added])
        try TagLibWriter().write(url: file, change: TagChange(pictures: [.remove(pictures[1])]))
        #expect(try Set(read() ?? []) == [new, added])
        try TagLibWriter().write(url: file, change: TagChange(remove: [.pictures]))
        #expect(try read() == nil && TagLibReader().read(url: file).title == "New")
        // What cannot be decoded is not known to be a picture.
        #expect(try Data(contentsOf: file).range(of: Data("METADATA_BLOCK_PICTURE=?".utf8)) != nil)
        #expect(try Data(contentsOf: file).range(of: Data("COVERART".utf8)) == nil)
    }

    private static func cover(_ number: UInt8) -> TagPicture {
        TagPicture(data: Data([0xFF, 0xD8, 0xFF, 0xE0, number]), kind: .frontCover)
    }

    /// A FLAC file with pictures in blocks and in an ID3v2 tag in front of the stream.
    private func frontTaggedFile(blocks: [TagPicture], inFront: [TagPicture]) throws -> URL {
        let stream = try TaggedFiles.copy("tight.flac", in: directory)
        try TagLibWriter().write(url: stream, change: TagChange(remove: [.pictures]))
        let changes = blocks.map { TagChange.Picture.add($0) }
        try TagLibWriter().write(url: stream, change: TagChange(pictures: changes))
        let type = Array("image/jpeg\0".utf8)
        let frames = inFront.flatMap { picture in
            TaggedSound.frame("APIC", [0] + type + [UInt8(picture.kind.rawValue), 0] + [UInt8](picture.data))
        }
        return try file("front.flac", TaggedSound.tag(frames) + [UInt8](Data(contentsOf: stream)))
    }

    @Test func pictureOfBothTagsOfFLACIsRemoved() throws {
        let covers = [Self.cover(1), Self.cover(2)]
        let file = try frontTaggedFile(blocks: [covers[0]], inFront: covers)
        #expect(try TagLibReader().read(url: file).pictures == [covers[0]])
        try TagLibWriter().write(url: file, change: TagChange(pictures: [.remove(covers[0])]))
        #expect(try TagLibReader().read(url: file).pictures == nil)
        #expect(try frames(of: file).isEmpty)
    }

    @Test func oneOfTwoPicturesInFrontOfFLACIsRemoved() throws {
        let covers = [Self.cover(1), Self.cover(2)]
        let file = try frontTaggedFile(blocks: [], inFront: covers)
        #expect(try TagLibReader().read(url: file).pictures == covers)
        try TagLibWriter().write(url: file, change: TagChange(pictures: [.remove(covers[0])]))
        #expect(try TagLibReader().read(url: file).pictures == [covers[1]])
        #expect(try frames(of: file).map { Data($0.content.suffix(5)) } == [covers[1].data])
        try TagLibWriter().write(url: file, change: TagChange(remove: [.artwork]))
        #expect(try TagLibReader().read(url: file).pictures == nil)
    }

    @Test func picturesInFrontOfFLACStayBesideANewOne() throws {
        let covers = [Self.cover(1), Self.cover(2)]
        let file = try frontTaggedFile(blocks: [], inFront: [covers[0]])
        try TagLibWriter().write(url: file, change: TagChange(pictures: [.add(covers[1])]))
        #expect(try TagLibReader().read(url: file).pictures == covers)
    }

    /// The last 128 bytes of an APE tag of 131 bytes begin with "TAG", as a block of ID3v1 does.
    @Test func shortAPETagBehindFLACIsKept() throws {
        var tag = APETag()
        let text = [UInt8](repeating: 0x61, count: 19)
        tag.items = [APETag.Item(name: "Title", value: text), APETag.Item(name: "Artist", value: text)]
        #expect(tag.bytes.count == 131)
        let file = try file("ape.flac", [UInt8](TaggedFiles.data("tight.flac")) + tag.bytes)
        try TagLibWriter().write(url: file, tags: TagBundle(title: "New"))
        #expect(try TagLibReader().read(url: file).title == "New")
        #expect(try Array(Data(contentsOf: file).suffix(131)) == tag.bytes)
    }

    // MARK: WAVE and AIFF

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        Array(name.utf8) + TaggedSound.number(content.count).reversed() + content
    }

    /// A WAVE file of 8,000 Hz with one channel.
    ///
    /// - Parameters:
    ///   - sound: The samples, of 8 bits.
    ///   - chunks: The announced chunks behind the sound.
    ///   - further: The bytes behind the announced end.
    private func wave(sound: [UInt8], chunks: [UInt8], further: [UInt8] = []) throws -> URL {
        let format = Self.chunk("fmt ", [1, 0, 1, 0, 0x40, 0x1F, 0, 0, 0x40, 0x1F, 0, 0, 1, 0, 8, 0])
        let content = Array("WAVE".utf8) + format + Self.chunk("data", sound) + chunks
        return try file("made.wav", Self.chunk("RIFF", content) + further)
    }

    /// INFO names no encoding: UTF-8, and otherwise the characters of Windows.
    @Test(
        arguments: [
            (Array("Caf".utf8) + [0xE9] + Array(" del Mar".utf8), "Café del Mar"), ([0x80, 0x35, 0x99], "€5™"),
            (Array("Café del Mar 海".utf8), "Café del Mar 海"),
        ] as [([UInt8], String)])
    func textOfInfoIsRead(bytes: [UInt8], text: String) throws {
        let title = bytes + [UInt8](repeating: 0, count: 1 + (bytes.count + 1) % 2)
        let list = Self.chunk("LIST", Array("INFO".utf8) + Self.chunk("INAM", title))
        let file = try wave(sound: [1, 2, 3, 4], chunks: list)
        #expect(try TagLibReader().read(url: file).title == text)
    }

    @Test func chunkBehindTheAnnouncedEndOfAIFFIsChanged() throws {
        let file = try TaggedFiles.copy("tagged.aiff", in: directory)
        var expected = try TagLibReader().read(url: file)
        var bytes = [UInt8](try Data(contentsOf: file))
        let place = try #require(bytes.indices.last { bytes[$0...].starts(with: Array("ID3 ".utf8)) })
        bytes.replaceSubrange(4..<8, with: TaggedSound.number(place - 8))
        try Data(bytes).write(to: file)
        try TagLibWriter().write(url: file, tags: TagBundle(album: "Another"))
        var read = try TagLibReader().read(url: file)
        expected.album = "Another"
        (expected.technical, read.technical) = (nil, nil)
        #expect(expected.title != nil && read == expected)
    }

    /// TagLib reads no chunk behind one with an invalid name, so the tag is written in front of it.
    @Test func bytesThatAreNoChunkStayBehindTheTag() throws {
        let junk = [UInt8](repeating: 0, count: 16)
        let file = try wave(sound: [1, 2, 3, 4], chunks: junk)
        try TagLibWriter().write(url: file, tags: TagBundle(title: "New"))
        #expect(try TagLibReader().read(url: file).title == "New")
        let bytes = [UInt8](try Data(contentsOf: file))
        #expect(bytes.suffix(16).elementsEqual(junk))
        #expect(bytes[4..<8].elementsEqual(TaggedSound.number(bytes.count - 8).reversed()))
    }

    /// TagLib finds a chunk behind one of odd length without a padding byte.
    @Test func chunkWithoutPaddingIsRefused() throws {
        let tag = TaggedSound.tag(TaggedSound.text("TIT2", "Title"))
        // From 0x20 on, "d3 " and the first byte of the size are a valid name, and TagLib takes "i" for the padding.
        #expect(tag.count < 0x20)
        let file = try wave(sound: [1, 2, 3], chunks: [], further: Self.chunk("id3 ", tag))
        let before = try Data(contentsOf: file)
        #expect(try TagLibReader().read(url: file).title == "Title")
        #expect { try TagLibWriter().write(url: file, tags: TagBundle(album: "Album")) } throws: {
            ($0 as? CoreError)?.code == "unsupported"
        }
        #expect(try Data(contentsOf: file) == before)
    }

    // MARK: Formats without ID3v2 in front

    @Test(arguments: ["tagged.wav", "tagged.aiff", "front.m4a", "small.ogg", "small.opus"])
    func tagThatTheReaderDoesNotShowIsRefused(name: String) throws {
        let tag = TaggedSound.tag(TaggedSound.text("TIT2", "x"))
        let file = try file(name, tag + [UInt8](TaggedFiles.data(name)))
        let before = try Data(contentsOf: file)
        #expect { try TagLibWriter().write(url: file, tags: TagBundle(title: "New")) } throws: {
            ($0 as? CoreError)?.code == "unsupported"
        }
        #expect(try Data(contentsOf: file) == before)
    }
}
