import DescantContainers
import DescantCore
import DescantTagLib
import DescantTesting
import Foundation
import Testing

/// Writing, checked by another program: only the written fields change.
@Suite struct WritingTests {
    /// A change, and the fields that it may change by their names in mutagen.
    private struct Change {
        var name: String
        var tags: TagBundle
        var fields: [String]
    }

    private static func changes() -> [Change] {
        var totals = TagBundle(trackNumber: 8)
        totals.trackTotal = 20
        var several = TagBundle()
        several.artists = ["Eins", "Zwei"]
        several.replayGain.trackGain = 1.25
        several.lyrics = [
            LyricsLanguageVariant(languageCode: "eng", text: String(repeating: "line\n", count: 4_000) + "end")
        ]
        var pictures = TagBundle()
        pictures.pictures = [
            TagPicture(data: picture(70_000), kind: .frontCover), TagPicture(data: picture(50), kind: .leaflet),
        ]
        return [
            Change(
                name: "title", tags: TagBundle(title: "Neu ø 新"),
                fields: ["TIT2", "title", "Title", "INAM", "\u{A9}nam"]),
            Change(
                name: "track", tags: totals,
                fields: ["TRCK", "tracknumber", "tracktotal", "Track", "track", "trkn", "IPRT", "comment"]),
            Change(
                name: "several", tags: several,
                fields: [
                    "TPE1", "artist", "Artist", "\u{A9}ART", "REPLAYGAIN_TRACK_GAIN", "replaygain_track_gain",
                    "r128_track_gain", "USLT", "lyrics", "Lyrics", "\u{A9}lyr", "TXXX:REPLAYGAIN_TRACK_GAIN",
                    "----:com.apple.iTunes:replaygain_track_gain",
                ]),
            Change(
                name: "front cover", tags: TagBundle(artworkData: picture(40_000)),
                fields: ["APIC:", "picture 3", "metadata_block_picture", "Cover Art (Front)", "covr"]),
            Change(
                name: "pictures", tags: pictures,
                fields: ["APIC", "picture", "metadata_block_picture", "Cover Art", "covr"]),
        ]
    }

    /// A PNG header and noise behind it.
    private static func picture(_ count: Int) -> Data {
        var noise = SeededGenerator(seed: UInt64(count))
        return Data([0x89, 0x50, 0x4E, 0x47]) + Data((0..<count).map { _ in UInt8(truncatingIfNeeded: noise.next()) })
    }

    @Test(arguments: TaggedFiles.writable)
    func onlyTheWrittenFieldsChange(_ name: String) throws {
        let changes = Self.changes()
        let directories = try changes.map { _ in try TemporaryDirectory() }
        // Keeps the array, and with it the files, until here.
        defer { withExtendedLifetime(directories) {} }
        let files = try directories.map { try TaggedFiles.copy(name, in: $0) }
        for (file, change) in zip(files, changes) { try TagLibWriter().write(url: file, tags: change.tags) }
        let seen = try Mutagen.dump([try TaggedFiles.shared.get().file(name)] + files)
        let before = seen[0]
        for (change, after) in zip(changes, seen.dropFirst()) {
            func isForeign(_ key: String) -> Bool {
                let field = key.split(separator: " ", maxSplits: 1).last.map(String.init) ?? key
                if key.hasPrefix("raw ----") { return false }
                return !change.fields.contains { field.hasPrefix($0) || key.hasPrefix($0) }
            }
            let (old, new) = (before.filter { isForeign($0.key) }, after.filter { isForeign($0.key) })
            for key in Set(old.keys).union(new.keys).sorted() {
                #expect(old[key] == new[key], "\(name), \(change.name): \(key)")
            }
            #expect(after["sound"]?.hasPrefix("MD5=") == true && after["sound"] == before["sound"])
            #expect(before != after, "\(name), \(change.name)")
        }
    }

    @Test(arguments: TaggedFiles.writable)
    func mutagenReadsWhatIsWritten(_ name: String) throws {
        let directory = try TemporaryDirectory()
        let file = try TaggedFiles.copy(name, in: directory)
        var tags = TagBundle(title: "Neu ø 新", album: "L'été", year: 1987, trackNumber: 8)
        tags.artists = ["Eins", "Zwei"]
        try TagLibWriter().write(url: file, tags: tags)
        let seen = try Mutagen.dump(file)
        func value(_ names: String...) -> String? { names.lazy.compactMap { seen[$0] }.first }
        #expect(value("ID3v2 TIT2", "Vorbis title", "MP4 \u{A9}nam", "APE Title") == "Neu ø 新")
        #expect(value("ID3v2 TALB", "Vorbis album", "MP4 \u{A9}alb", "APE Album") == "L'été")
        let artists = value("ID3v2 TPE1", "Vorbis artist", "MP4 \u{A9}ART", "APE Artist")
        #expect(artists?.replacing("\0", with: "|") == "Eins|Zwei")
        #expect(value("ID3v2 TDRC", "ID3v2 TYER", "Vorbis date", "MP4 \u{A9}day", "APE Year") == "1987")
        if name.hasPrefix("v23") || name.hasPrefix("v24") {
            #expect(seen["ID3v1 title"] == "Neu ø ?" && seen["ID3v1 year"] == "1987")
            #expect(seen["APE Title"] == "Neu ø 新")
        }
    }

    @Test func tagLibKeepsTheContracts() throws {
        let files = try TaggedFiles.shared.get()
        let contract = TagWriterContract(
            files: TaggedFiles.writable.map(files.file), makeReader: { TagLibReader() }, makeWriter: { TagLibWriter() })
        for finding in try contract.findings() { Issue.record("\(finding)") }
    }

    @Test func id3VersionIsKept() throws {
        for (name, version) in [("v22.mp3", UInt8(2)), ("v23.mp3", 3), ("v24.mp3", 4)] {
            let directory = try TemporaryDirectory()
            let file = try TaggedFiles.copy(name, in: directory)
            try TagLibWriter().write(url: file, tags: TagBundle(title: "Ü"))
            #expect(Array(try Data(contentsOf: file).prefix(4)) == Array("ID3".utf8) + [version])
        }
    }

    @Test func tagThatFitsThePaddingKeepsTheFileLength() throws {
        let directory = try TemporaryDirectory()
        for name in ["padded.flac", "v22.mp3", "tagged.aiff"] {
            let file = try TaggedFiles.copy(name, in: directory)
            let writer = TagLibWriter()
            try writer.write(url: file, tags: TagBundle(title: "a title of some length"))
            let count = try Data(contentsOf: file).count
            try writer.write(url: file, tags: TagBundle(title: "another"))
            #expect(try Data(contentsOf: file).count == count, "\(name)")
        }
    }

    @Test func tagsAreAddedToAFileWithoutTags() throws {
        let directory = try TemporaryDirectory()
        let signal = TestSignal.sine(440, seconds: 0.5, sampleRate: 44_100)
        let formats: [FixtureFormat] = [
            .wav(.int16), .flac(bits: 16), .mp3(kilobitsPerSecond: 64), .aac(kilobitsPerSecond: 64), .alac,
            .vorbis(quality: 2), .opus(kilobitsPerSecond: 64),
        ]
        for (index, format) in formats.enumerated() {
            let file = try FixtureEncoder().make(signal, as: format, named: "plain\(index)", in: directory)
            let before = try Mutagen.dump(file)["sound"]
            var tags = TagBundle(
                title: "Neu", artist: "Wer", year: 2_001, trackNumber: 3, artworkData: Self.picture(9_000))
            tags.trackTotal = 4
            try TagLibWriter().write(url: file, tags: tags)
            let read = try TagLibReader().read(url: file)
            #expect(read.title == "Neu" && read.artist == "Wer" && read.year == 2_001, "\(format)")
            #expect(read.trackNumber == 3 && read.trackTotal == 4 && read.artworkData == tags.artworkData, "\(format)")
            #expect(try Mutagen.dump(file)["sound"] == before, "\(format)")
        }
    }

    /// TagLib stops reading at a frame without content, and at one with a blank in its name.
    @Test func framesBehindOneThatEndsReadingAreRead() throws {
        func frame(_ version: UInt8, _ name: String, _ content: [UInt8]) -> [UInt8] {
            guard version == 2 else { return TaggedSound.frame(name, content) }
            return Array(name.utf8) + TaggedSound.number(content.count).dropFirst() + content
        }
        let directory = try TemporaryDirectory()
        let (short, long) = (["TT2", "TAL", "TP1"], ["TIT2", "TALB", "TPE1"])
        let cases: [(version: UInt8, names: [String], last: [UInt8])] = [
            (2, short, frame(2, "TCM", [])), (3, long, frame(3, "TCOM", [])), (3, long, frame(3, "AB C", [1])),
            (4, long, frame(4, "TCOM", [])), (4, long, TaggedSound.frame("TCOM", [0, 0, 0, 0], flag: 1)),
        ]
        for (version, names, last) in cases {
            let title = frame(version, names[0], [0] + Array("Title".utf8))
            let album = frame(version, names[1], [0] + Array("Old".utf8))
            let tag = TaggedSound.tag(title + last + album, version: version)
            let file = try directory.write(Data(tag + TaggedSound.sound), to: "last.mp3")
            try TagLibWriter().write(url: file, tags: TagBundle(artist: "Artist", album: "New"))
            let read = try TagLibReader().read(url: file)
            #expect(read.title == "Title" && read.artist == "Artist" && read.album == "New", "\(version) \(last)")
            let frames = try ID3v2Tag([UInt8](Data(contentsOf: file))).frames
            let expected = try ID3v2Tag(TaggedSound.tag(last, version: version)).frames
            #expect(frames.dropLast().map(\.id) == names && frames.suffix(1) == expected[...])
        }
    }

    /// MP4 has 16 bits for a number, which readers take as signed, and no decimals for a tempo.
    @Test func numbersThatMP4CannotHoldAreRefused() throws {
        let directory = try TemporaryDirectory()
        let file = try TaggedFiles.copy("front.m4a", in: directory)
        let before = try Data(contentsOf: file)
        let numbers: [WritableKeyPath<TagBundle, Int?>] = [\.trackNumber, \.trackTotal, \.discNumber, \.discTotal]
        var changes = [TagBundle](repeating: TagBundle(), count: numbers.count + 2)
        for (place, path) in numbers.enumerated() { changes[place][keyPath: path] = 40_000 }
        (changes[4].bpm, changes[5].bpm) = (127.5, 0.4)
        for tags in changes {
            #expect { try TagLibWriter().write(url: file, tags: tags) } throws: { error in
                (error as? CoreError)?.code == "invalidArgument"
            }
            #expect(try Data(contentsOf: file) == before)
        }
        var highest = TagBundle(trackNumber: 32_767)
        highest.trackTotal = 32_767
        try TagLibWriter().write(url: file, tags: highest)
        let read = try TagLibReader().read(url: file)
        #expect(read.trackNumber == 32_767 && read.trackTotal == 32_767)
    }

    // MARK: Pages of Ogg

    /// The offsets of the pages of a file.
    private static func pages(of bytes: [UInt8]) -> [Int] {
        var (offsets, offset) = ([Int](), 0)
        while let page = OggPage(bytes, at: offset) {
            offsets.append(offset)
            offset += page.size
        }
        return offsets
    }

    /// Longer comments change the numbers of the pages behind them, and with the numbers the checksums.
    @Test func aDamagedPageOfOggStaysDamaged() throws {
        let directory = try TemporaryDirectory()
        var bytes = [UInt8](try TaggedFiles.data("small.ogg"))
        bytes[bytes.count - 1] ^= 1
        let file = try directory.write(Data(bytes), to: "damaged.ogg")
        try TagLibWriter().write(url: file, tags: TagBundle(artworkData: Self.picture(70_000)))
        let changed = [UInt8](try Data(contentsOf: file))
        let offsets = Self.pages(of: changed)
        #expect(offsets.count > Self.pages(of: bytes).count)
        #expect(offsets.enumerated().allSatisfy { OggPage(changed, at: $0.element)?.sequence == UInt32($0.offset) })
        #expect(offsets.map { OggPage(intactIn: changed, at: $0) != nil } == offsets.map { $0 != offsets.last })
    }

    /// A Vorbis file whose comments lie on 100,000 pages of one segment.
    private static func fileOfManyPages() throws -> [UInt8] {
        let bytes = [UInt8](try TaggedFiles.data("small.ogg"))
        let first = try #require(OggPage(bytes))
        var (offset, assembler, packets) = (0, OggPacketAssembler(), [ArraySlice<UInt8>]())
        while packets.count < 3, let page = OggPage(bytes, at: offset) {
            packets += assembler.packets(of: page, body: bytes.dropFirst(offset + page.headerSize))
            offset += page.size
        }
        try #require(packets.count == 3)
        var comment = try VorbisComment(packets[1].dropFirst(7))
        comment.lines.append(Array("FOREIGN=".utf8) + [UInt8](repeating: 0x78, count: 100_000 * 255))
        let packet = packets[1].prefix(7) + comment.bytes
        var (file, rest, sequence) = (Array(bytes.prefix(first.size)), packet, UInt32(1))
        func append(_ lacing: [UInt8], _ body: ArraySlice<UInt8>) {
            let page = OggPage(
                flags: sequence == 1 ? 0 : 1, granule: lacing.count == 1 ? OggPage.noGranule : 0, serial: first.serial,
                sequence: sequence, lacing: lacing)
            file += page.bytes(sealing: body) + body
            sequence += 1
        }
        while rest.count >= 255 {
            append([255], rest.prefix(255))
            rest = rest.dropFirst(255)
        }
        let setup = packets[2]
        let lacing = [UInt8](repeating: 255, count: setup.count / 255) + [UInt8(setup.count % 255)]
        append([UInt8(rest.count)] + lacing, rest + setup)
        return file + bytes[offset...]
    }

    /// The time limit detects only that the comments are copied for each of their pages, which takes minutes.
    @Test(.timeLimit(.minutes(2))) func commentsOnManyPagesAreWritten() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(Data(try Self.fileOfManyPages()), to: "pages.ogg")
        try TagLibWriter().write(url: file, tags: TagBundle(title: "New"))
        #expect(try TagLibReader().read(url: file).title == "New")
        #expect(Self.pages(of: [UInt8](try Data(contentsOf: file))).count < 1_000)
    }

    @Test(arguments: TaggedFiles.readOnly)
    func containersThatCannotBeWrittenAreRefused(_ name: String) throws {
        let directory = try TemporaryDirectory()
        let file = try TaggedFiles.copy(name, in: directory)
        #expect { try TagLibWriter().write(url: file, tags: TagBundle(title: "Neu")) } throws: { error in
            (error as? CoreError)?.code == "unsupported"
        }
        #expect(try Data(contentsOf: file) == TaggedFiles.data(name))
    }

    /// A file with the first bytes of a known format that cannot be read is not changed.
    @Test(arguments: ["frame.bin", "page.ogg"])
    func unreadableFileIsNotChanged(_ name: String) throws {
        let directory = try TemporaryDirectory()
        let begin: [UInt8] = name == "frame.bin" ? [0xff, 0xfb, 0x90, 0x64] : Array("OggS".utf8)
        let data = Data(begin) + Data(repeating: 0x55, count: 3_000)
        let file = try directory.write(data, to: name)
        #expect(throws: CoreError.self) { try TagLibReader().read(url: file) }
        let error = #expect(throws: CoreError.self) {
            try TagLibWriter().write(url: file, tags: TagBundle(title: "Neu"))
        }
        #expect(error?.message.contains(file.path) == true)
        #expect(try Data(contentsOf: file) == data)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == [name])
    }

    /// An item count of 4 × 10⁹ in an APE tag does not cause a long loop.
    @Test(.timeLimit(.minutes(1))) func impossibleItemCountOfAPETagIsBounded() throws {
        let directory = try TemporaryDirectory()
        var data = try TaggedFiles.data("tagged.wv")
        let footer = data.count - 32
        data.replaceSubrange(footer + 16..<footer + 20, with: [0xff, 0xff, 0xff, 0xff])
        let file = try directory.write(data, to: "count.wv")
        do {
            try TagLibWriter().write(url: file, tags: TagBundle(title: "Neu"))
        } catch {
            #expect(try Data(contentsOf: file) == data)
        }
    }
}
