import DescantContainers
import DescantCore
import DescantTagLib
import DescantTesting
import Foundation
import Testing

/// Reading, editing and writing: what the reader leaves out survives, and fields are removed alike in every container.
@Suite struct EditingTests {
    /// Values as mutagen sees them, and the names of fields.
    private static func values(_ dump: [String: String]) -> Set<String> {
        // A sum over a whole item of MP4 says nothing about its values.
        let fields = dump.filter { !$0.key.hasPrefix("raw ") }
        return Set(fields.keys).union(fields.values.flatMap { $0.split { $0 == "|" || $0 == "\0" }.map(String.init) })
    }

    /// A PNG header and noise behind it.
    private static func picture(_ noise: inout SeededGenerator) -> Data {
        let count = Int(noise.next() % 3_000) + 1
        return Data([0x89, 0x50, 0x4E, 0x47]) + Data((0..<count).map { _ in UInt8(truncatingIfNeeded: noise.next()) })
    }

    /// One edit as a person makes it; the number chooses the field.
    private static func edit(_ tags: inout TagBundle, _ noise: inout SeededGenerator, _ name: String) {
        let number = Int(noise.next() % 900) + 1
        let text = ["Neu \(number)", "Neu ø 新 \(number)"][number % 2]
        switch noise.next() % 16 {
        case 0: tags.title = text
        case 1: tags.artists = ["A \(number)", text]
        case 2: tags.album = number % 3 == 0 ? nil : text
        case 3: tags.genres = [text]
        case 4: tags.comment = text
        case 5: tags.year = 1_100 + number
        case 6: tags.trackNumber = number % 3 == 0 ? nil : number
        case 7: tags.trackTotal = number % 3 == 0 ? nil : number
        case 8: tags.discNumber = number % 3 == 0 ? nil : number
        case 9: tags.bpm = number % 3 == 0 ? nil : Double(number)
        case 10: tags.replayGain.trackGain = number % 3 == 0 ? nil : Double(number % 40) / 4 - 5
        case 11: tags.sortNames.artist = number % 3 == 0 ? nil : text
        case 12: tags.musicBrainz.releaseID = text
        case 13:
            guard let count = tags.lyrics?.count else { return }
            tags.lyrics?[number % count].text = text
        case 14: tags.artworkData = picture(&noise)
        default: editPictures(&tags, &noise, name, number)
        }
    }

    private static func editPictures(
        _ tags: inout TagBundle, _ noise: inout SeededGenerator, _ name: String, _ number: Int
    ) {
        // APE has two places for pictures only.
        guard var pictures = tags.pictures, !name.hasSuffix(".wv") else { return }
        switch number % 3 {
        case 0: pictures.append(TagPicture(data: picture(&noise), kind: .other))
        case 1: pictures.remove(at: number % pictures.count)
        default: pictures[number % pictures.count].data = picture(&noise)
        }
        tags.pictures = pictures
    }

    /// MP4 and APE have neither descriptions nor all kinds of pictures.
    private static func comparable(_ tags: TagBundle, _ name: String) -> TagBundle {
        var tags = tags
        tags.technical = nil
        if name.hasSuffix(".m4a") || name.hasSuffix(".wv") {
            tags.pictures = tags.pictures?.map { TagPicture(data: $0.data) }
            tags.artworkData = tags.pictures?.first?.data
        }
        if tags.pictures?.isEmpty == true { tags.pictures = nil }
        return tags
    }

    private static func enriched(_ name: String, in directory: TemporaryDirectory) throws -> URL {
        let file = try TaggedFiles.copy(name, in: directory)
        _ = try Mutagen.run(["enrich", file.path])
        return file
    }

    @Test(arguments: TaggedFiles.writable)
    func anEditKeepsWhatTheReaderLeavesOut(_ name: String) throws {
        let directory = try TemporaryDirectory()
        let original = try Self.enriched(name, in: directory)
        let old = try TagLibReader().read(url: original)
        var files: [URL] = []
        for seed in 0..<10 {
            var noise = SeededGenerator(seed: UInt64(seed))
            let file = directory.file("\(seed)-\(name)")
            try FileManager.default.copyItem(at: original, to: file)
            var edited = old
            for _ in 0...seed % 3 { Self.edit(&edited, &noise, name) }
            let change = TagChange(from: old, to: edited)
            try TagLibWriter().write(url: file, change: change)
            let expected = try change.applied(to: old)
            let read = try TagLibReader().read(url: file)
            #expect(Self.comparable(read, name) == Self.comparable(expected, name), "\(name), seed \(seed)")
            files.append(file)
        }
        let dumps = try Mutagen.dump([try TaggedFiles.shared.get().file(name), original] + files)
        // Of two comments, the reader shows the first; the other name of a field goes when the field changes.
        let hidden = Self.values(dumps[1]).subtracting(Self.values(dumps[0]))
            .subtracting([old.comment ?? "", "ID3v2 TXXX:MUSICBRAINZ_ALBUMID"])
        #expect(!hidden.isEmpty || name == "v22.mp3", "\(name)")
        for (file, dump) in zip(files, dumps.dropFirst(2)) {
            let lost = hidden.subtracting(Self.values(dump))
            #expect(lost.isEmpty, "\(file.lastPathComponent) lost \(lost)")
            #expect(dump["sound"] == dumps[1]["sound"], "\(file.lastPathComponent)")
        }
    }

    @Test(arguments: TaggedFiles.writable)
    func writingWhatWasReadChangesNoByte(_ name: String) throws {
        let directory = try TemporaryDirectory()
        let file = try Self.enriched(name, in: directory)
        let before = try Data(contentsOf: file)
        try TagLibWriter().write(url: file, tags: try TagLibReader().read(url: file))
        #expect(try Data(contentsOf: file) == before)
    }

    /// A picture is removed or replaced alone: the others keep their bytes, with what only the file knows of them.
    @Test(arguments: TaggedFiles.writable.filter { $0 != "v22.mp3" && $0 != "tagged.wv" })
    func onePictureChangesAlone(_ name: String) throws {
        let directory = try TemporaryDirectory()
        let file = try Self.enriched(name, in: directory)
        let pictures = try #require(try TagLibReader().read(url: file).pictures)
        try #require(pictures.count == 3)
        let before = try Mutagen.dump(file)
        var noise = SeededGenerator(seed: 7)
        let new = TagPicture(
            data: Self.picture(&noise), kind: pictures[2].kind, description: pictures[2].description)
        let change = TagChange(pictures: [.remove(pictures[1]), .replace(pictures[2], with: new)])
        try TagLibWriter().write(url: file, change: change)
        let after = try TagLibReader().read(url: file).pictures
        #expect(after == [pictures[0], new])
        // The values of the removed and of the replaced picture go, and the removed one's names; MP3 has it in APE, too.
        let kept = Self.values(try Mutagen.dump(file))
        #expect(Self.values(before).subtracting(kept).count <= (name.hasSuffix(".mp3") ? 5 : 3))
        #expect(throws: CoreError.self) {
            try TagLibWriter().write(url: file, change: TagChange(pictures: [.remove(pictures[1])]))
        }
    }

    @Test(arguments: TaggedFiles.writable)
    func removingThePicturesRemovesThoseOfNoFormat(_ name: String) throws {
        let directory = try TemporaryDirectory()
        let file = try Self.enriched(name, in: directory)
        try TagLibWriter().write(url: file, change: TagChange(remove: [.pictures]))
        let names = try Mutagen.dump(file).filter { $0.key.contains("APIC") || $0.key.contains("picture") }
        #expect(names.isEmpty, "\(names)")
        #expect(try TagLibReader().read(url: file).pictures == nil)
    }

    @Test(arguments: TaggedFiles.writable)
    func anEmptyTextRemovesItsField(_ name: String) throws {
        let directory = try TemporaryDirectory()
        let file = try TaggedFiles.copy(name, in: directory)
        try TagLibWriter().write(url: file, tags: TagBundle(title: "", album: " "))
        let read = try TagLibReader().read(url: file)
        #expect(read.title == nil && read.album == nil)
        let dump = try Mutagen.dump(file)
        #expect(
            !dump.keys.contains {
                $0.hasSuffix(" TIT2") || $0.lowercased().hasSuffix(" title") && !$0.hasPrefix("ID3v1")
            })
    }

    /// A value in every field, each of which is found in a dump as a word of its own.
    private static var filled: TagBundle {
        var tags = TagBundle(title: "ttl", artist: "art", album: "alb", albumArtist: "alba", genre: "New Wave")
        (tags.trackNumber, tags.trackTotal, tags.discNumber, tags.discTotal) = (65, 59, 41, 43)
        (tags.year, tags.composer, tags.bpm, tags.comment) = (1_987, "comp", 127, "rem")
        tags.replayGain = ReplayGainTags(trackGain: -3.25, trackPeak: 0.625, albumGain: -4.25, albumPeak: 0.875)
        tags.lyrics = [LyricsLanguageVariant(languageCode: nil, text: "la")]
        tags.sortNames = SortNames(title: "s1", artist: "s2", album: "s3", albumArtist: "s4", composer: "s5")
        tags.musicBrainz = MusicBrainzTags(
            recordingID: "m1", releaseTrackID: "m2", releaseID: "m3", releaseGroupID: "m4", artistIDs: ["m5"],
            albumArtistIDs: ["m6"])
        return tags
    }

    /// How other programs see the values of ``filled``; ID3v1 has the track and the genre as bytes, Opus its gains as R128.
    private static let seenAs: [TagField: Set<String>] = [
        .title: ["ttl"], .artists: ["art"], .album: ["alb"], .albumArtists: ["alba"], .genres: ["Wave", "B"],
        .year: ["1987"], .trackNumber: ["65", "A"], .trackTotal: ["59"], .discNumber: ["41"], .discTotal: ["43"],
        .composers: ["comp"], .bpm: ["127"], .comment: ["rem"], .trackGain: ["3.25", "2112"],
        .trackPeak: ["0.625000"], .albumGain: ["4.25", "2368"], .albumPeak: ["0.875000"], .lyrics: ["la"],
        .titleSort: ["s1"], .artistSort: ["s2"], .albumSort: ["s3"], .albumArtistSort: ["s4"], .composerSort: ["s5"],
        .recordingID: ["m1"], .releaseTrackID: ["m2"], .releaseID: ["m3"], .releaseGroupID: ["m4"], .artistIDs: ["m5"],
        .albumArtistIDs: ["m6"],
    ]

    /// The words and numbers in all values of a dump.
    private static func words(_ dump: [String: String]) -> Set<String> {
        Set(dump.values.flatMap { $0.split { !$0.isLetter && !$0.isNumber && $0 != "." }.map(String.init) })
    }

    /// Every field that a container holds is removed by its name, alone, whether it is a text, a number, a date, a list or a
    /// picture: for our reader and for another program.
    @Test(arguments: TaggedFiles.writable)
    func everyFieldIsRemovedAlike(_ name: String) throws {
        let directory = try TemporaryDirectory()
        let original = try TaggedFiles.copy(name, in: directory)
        try TagLibWriter().write(url: original, tags: Self.filled)
        let old = try TagLibReader().read(url: original)
        var files: [(field: TagField, url: URL)] = []
        for field in TagField.allCases {
            let change = TagChange(remove: [field])
            let expected = try change.applied(to: old)
            guard expected != old else { continue }
            let file = directory.file("\(field.rawValue)-\(name)")
            try FileManager.default.copyItem(at: original, to: file)
            try TagLibWriter().write(url: file, change: change)
            let read = try TagLibReader().read(url: file)
            #expect(Self.comparable(read, name) == Self.comparable(expected, name), "\(field) of \(name)")
            files.append((field, file))
        }
        #expect(files.map(\.field) == TagField.allCases, "\(name)")

        let dumps = try Mutagen.dump([original] + files.map(\.url)).map(Self.words)
        for (field, words) in zip(files.map(\.field), dumps.dropFirst()) {
            for (other, values) in Self.seenAs where !values.isDisjoint(with: dumps[0]) {
                let isGone = values.isDisjoint(with: words)
                #expect(isGone == (other == field), "\(other) without \(field) of \(name)")
            }
        }
        // The dump has sums instead of values of MP4's free items and of ID3's identifiers.
        #expect(Self.seenAs.values.count { !$0.isDisjoint(with: dumps[0]) } >= 19, "\(name)")
    }

    /// Nothing remains of the removed fields, no empty or zero entry either: every value left was in the file before.
    @Test(arguments: TaggedFiles.writable)
    func allFieldsTogetherLeaveNoTrace(_ name: String) throws {
        let directory = try TemporaryDirectory()
        let original = try TaggedFiles.copy(name, in: directory)
        let filled = directory.file("filled-\(name)")
        try FileManager.default.copyItem(at: original, to: filled)
        try TagLibWriter().write(url: filled, tags: Self.filled)
        try TagLibWriter().write(url: filled, change: TagChange(remove: Set(TagField.allCases)))
        #expect(try TagLibReader().read(url: filled).isEmpty)
        let dumps = try Mutagen.dump([original, filled])
        let old = Set(dumps[0].filter { !$0.key.hasPrefix("ID3v1") }.values)
        for (key, value) in dumps[1] {
            // The block of ID3v1 has fixed places; 255 is not a genre.
            let isCleared = key.hasPrefix("ID3v1") && ["", "\u{FF}"].contains(value)
            #expect(isCleared || old.contains(value), "\(key): \(value)")
        }
        // mutagen hides frames that are empty.
        let bytes = try Data(contentsOf: filled)
        let names = "TIT2 TPE1 TALB TRCK TPOS TCON TBPM TYER TDRC TT2\0 TRK\0 TYE\0"
        let frames = names.split(separator: " ").map { Data($0.utf8) }
        #expect(frames.filter { bytes.range(of: $0) != nil } == [], "\(name)")
    }

    /// The month and the day belong to their year: they go with it, stay beside the same year and never join another one.
    @Test(arguments: TaggedFiles.writable)
    func aDateIsOneValue(_ name: String) throws {
        let directory = try TemporaryDirectory()
        let original = try TaggedFiles.copy(name, in: directory)
        let changes = [
            TagChange(remove: [.year]), TagChange(set: TagBundle(year: 1_987)), TagChange(set: TagBundle(year: 2_019)),
        ]
        let files = try changes.enumerated().map { index, change in
            let file = directory.file("\(index)-\(name)")
            try FileManager.default.copyItem(at: original, to: file)
            try TagLibWriter().write(url: file, change: change)
            return file
        }
        let words = try Mutagen.dump(files).map(Self.words)
        let parts: Set<String> = ["05", "03", "0305", "1530"]
        #expect(words[0].isDisjoint(with: parts.union(["2019"])))
        #expect(words[1].isDisjoint(with: parts.union(["2019"])) && words[1].contains("1987"))
        // The fixture of ID3v2.2 has no date.
        let isKept = try Data(contentsOf: files[2]) == Data(contentsOf: original)
        #expect(isKept == (name != "v22.mp3"))
    }

    // MARK: Numbers and totals

    @Test func aNumberThatIsATextOutlivesItsTotal() throws {
        let directory = try TemporaryDirectory()
        let tag = TaggedSound.tag(TaggedSound.text("TRCK", "A3/12"))
        let file = try directory.write(Data(tag + TaggedSound.sound), to: "side.mp3")
        try TagLibWriter().write(url: file, change: TagChange(remove: [.trackTotal]))
        let changed = try ID3v2Tag([UInt8](Data(contentsOf: file)))
        #expect(changed.frames.map { $0.texts(in: 3) } == [["A3"]])
    }

    /// The new ID3v2 tag hides the number in the APE tag, and would hide the total.
    @Test func aTotalInAnAPETagStaysBesideANewNumber() throws {
        let directory = try TemporaryDirectory()
        for (old, new) in [(["Track=3/12"], ["4/12"]), (["Track=3", "TOTALTRACKS=12"], ["4", "12"])] {
            var tag = APETag()
            tag.items = old.map { item in
                let parts = item.split(separator: "=")
                return APETag.Item(name: String(parts[0]), value: Array(parts[1].utf8))
            }
            let file = try directory.write(Data(TaggedSound.sound + tag.bytes), to: "total.mp3")
            try TagLibWriter().write(url: file, tags: TagBundle(trackNumber: 4))
            let read = try TagLibReader().read(url: file)
            #expect(read.trackNumber == 4 && read.trackTotal == 12)
            let bytes = [UInt8](try Data(contentsOf: file))
            let changed = try APETag(in: ArrayBytes(bytes), endingAt: bytes.count)
            #expect(changed?.items.map { String(decoding: $0.value, as: UTF8.self) } == new)
        }
    }

    /// The new comment hides the number in front, and would hide the total.
    @Test func aTotalInFrontOfFLACStaysBesideANewNumber() throws {
        let directory = try TemporaryDirectory()
        let stream = try TaggedFiles.copy("tight.flac", in: directory)
        try TagLibWriter().write(url: stream, change: TagChange(remove: [.trackNumber, .trackTotal]))
        let tag = TaggedSound.tag(TaggedSound.text("TRCK", "3/12"))
        let file = try directory.write(Data(tag + [UInt8](Data(contentsOf: stream))), to: "front.flac")
        #expect(try TagLibReader().read(url: file).trackTotal == 12)
        try TagLibWriter().write(url: file, tags: TagBundle(trackNumber: 4))
        let read = try TagLibReader().read(url: file)
        #expect(read.trackNumber == 4 && read.trackTotal == 12)
    }

    // MARK: Compression

    /// Bytes in the format of zlib (RFC 1950), in one block that is stored as it is.
    private static func deflated(_ bytes: [UInt8]) -> [UInt8] {
        let header: [UInt8] = [0x78, 0x01, 0x01]
        let length = [UInt8(bytes.count & 0xFF), UInt8(bytes.count >> 8)]
        let complement = length.map { ~$0 }
        var (first, second) = (1, 0)
        for byte in bytes {
            first = (first + Int(byte)) % 65_521
            second = (second + first) % 65_521
        }
        return header + length + complement + bytes + TaggedSound.number(second << 16 | first)
    }

    /// TagLib inflates frames; so the writer finds the old value in a compressed one, and leaves others alone.
    @Test(arguments: [3, 4] as [UInt8]) func compressedFramesAreReplaced(version: UInt8) throws {
        func frame(_ name: String, _ content: [UInt8]) -> [UInt8] {
            let compressed = TaggedSound.number(content.count) + Self.deflated(content)
            return TaggedSound.frame(name, compressed, flag: version == 3 ? 0x80 : 0x09)
        }
        let texts = ["REPLAYGAIN_TRACK_GAIN\0-3.00 dB", "Mood\0calm"].map { frame("TXXX", [0] + Array($0.utf8)) }
        let body =
            frame("COMM", [0] + Array("eng\0old".utf8)) + texts.flatMap(\.self)
            + frame("UFID", Array("http://musicbrainz.org\0one".utf8))
        let directory = try TemporaryDirectory()
        let file = try directory.write(
            Data(TaggedSound.tag(body, version: version) + TaggedSound.sound), to: "compressed.mp3")
        let old = try TagLibReader().read(url: file)
        #expect(old.comment == "old" && old.replayGain.trackGain == -3 && old.musicBrainz.recordingID == "one")
        let oldFrames = try ID3v2Tag([UInt8](Data(contentsOf: file))).frames

        var tags = TagBundle()
        tags.comment = "new"
        tags.replayGain.trackGain = 6.5
        tags.musicBrainz.recordingID = "two"
        try TagLibWriter().write(url: file, tags: tags)
        let read = try TagLibReader().read(url: file)
        #expect(read.comment == "new" && read.replayGain.trackGain == 6.5 && read.musicBrainz.recordingID == "two")
        let newFrames = try ID3v2Tag([UInt8](Data(contentsOf: file))).frames
        #expect(newFrames.map(\.id) == oldFrames.map(\.id) && newFrames[2] == oldFrames[2])
    }

    @Test func removingFromAFileWithoutTagsLeavesIt() throws {
        let directory = try TemporaryDirectory()
        let signal = TestSignal.sine(440, seconds: 0.2, sampleRate: 44_100)
        for (index, format) in [FixtureFormat.wav(.int16), .mp3(kilobitsPerSecond: 64), .alac].enumerated() {
            let file = try FixtureEncoder().make(signal, as: format, named: "plain\(index)", in: directory)
            let before = try Data(contentsOf: file)
            try TagLibWriter().write(url: file, change: TagChange(remove: [.title, .year, .comment]))
            #expect(try Data(contentsOf: file) == before, "\(format)")
        }
    }
}
