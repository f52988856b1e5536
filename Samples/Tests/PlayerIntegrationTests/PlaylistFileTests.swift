import Descant
import DescantTestSupport
import DescantTesting
import Foundation
import PlayerApp
import Testing

@testable import PlayerIntegration

struct PlaylistFileTests {
    private let shelf: Shelf

    init() throws { shelf = try Shelf() }

    private func entries(_ text: String, as name: String) throws -> [PlaylistEntry] {
        try PlaylistFile.entries(of: try shelf.put(Data(text.utf8), as: name))
    }

    private func refusal(_ data: Data, as name: String) throws -> String {
        let url = try shelf.put(data, as: name)
        let error = #expect(throws: InputError.self) { try PlaylistFile.entries(of: url) }
        return error?.description ?? ""
    }

    @Test func readsXSPF() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <playlist version="1" xmlns="http://xspf.org/ns/0/"><title>List</title><trackList>
            <track><location>sub/a%20b%23.flac</location><title>Tea &amp; two</title><creator>Ä</creator>
            <album>Cups</album><duration>61500</duration><extension><location>no</location></extension></track>
            <track><title>without an address</title></track>
            <track><location> https://example.org/x?y=1 </location><duration>-3</duration></track>
            </trackList></playlist>
            """
        let read = try entries(text, as: "list.xspf")
        #expect(
            read.count == 2 && read[0].url == shelf.folder.appendingPathComponent("sub/a b#.flac").standardizedFileURL)
        #expect(read[0].title == "Tea & two" && read[0].artist == "Ä" && read[0].album == "Cups")
        #expect(read[0].duration == 61.5)
        #expect(read[1].url.absoluteString == "https://example.org/x?y=1" && read[1].duration == nil)
    }

    /// XSPF allows several addresses of one track.
    @Test func theFirstAddressOfATrackCounts() throws {
        let text = """
            <playlist version="1" xmlns="http://xspf.org/ns/0/"><trackList><track><location> </location>
            <location>one.wav</location><location>http://example.org/one.wav</location><title>A<b>x</b>&amp;B</title>
            <title>C</title></track><track><location>two.wav</location></track></trackList></playlist>
            """
        let read = try entries(text, as: "list.xspf")
        let folder = shelf.folder.standardizedFileURL.path
        #expect(read.map(\.url.path) == ["\(folder)/one.wav", "\(folder)/two.wav"])
        #expect(read.map(\.title) == ["A&B", "two"])
    }

    @Test(arguments: ["m3u", "m3u8", "pls", "xspf"])
    func whatIsWrittenIsReadBack(_ ending: String) throws {
        let list = shelf.folder.appendingPathComponent("list.\(ending)")
        let names = ["a b.flac", "sub/100% #1?.flac", "a:b.ogg", "x=y&<z>.wav", "日本 の雨.opus"]
        let urls =
            names.map { shelf.folder.appendingPathComponent($0).standardizedFileURL }
            + [URL(fileURLWithPath: "/other/c.flac"), try #require(URL(string: "https://example.org/x?y=1#z"))]
        let entries = urls.map { PlaylistEntry(url: $0, title: "]]> & \u{1}", duration: 61) }
        try Data(try PlaylistFile.text(of: entries, for: list).utf8).write(to: list)
        let read = try PlaylistFile.entries(of: list)
        #expect(read.map(\.url.absoluteString) == urls.map(\.absoluteString))
        #expect(read.map(\.duration) == Array(repeating: 61, count: urls.count))
    }

    @Test func otherEndingsAreNotWritten() {
        let error = #expect(throws: InputError.self) {
            try PlaylistFile.text(of: [], for: URL(fileURLWithPath: "/lists/mine.txt"))
        }
        #expect(error?.description == "/lists/mine.txt: use a name that ends in .m3u, .m3u8, .pls, .xspf")
    }

    @Test func readsPlaylistsInAPlaylistAndLeavesOutLoops() throws {
        try shelf.put(Data("2.wav\nouter.m3u\nend.pls\n".utf8), as: "inner.m3u")
        try shelf.put(Data("File1=3.wav\n".utf8), as: "end.pls")
        let read = try entries("1.wav\ninner.m3u\nouter.m3u\nmissing.m3u\n4.wav\n", as: "outer.m3u")
        #expect(read.map(\.url.lastPathComponent) == ["1.wav", "2.wav", "3.wav", "missing.m3u", "4.wav"])
    }

    @Test func refusesWhatIsTooLarge() throws {
        let long = try refusal(Data(repeating: 0x41, count: PlaylistFile.sizeLimit + 1), as: "long.m3u")
        #expect(long.hasSuffix("the playlist has more than 16 MiB; split it into several"))
        // Each level names the next one a hundred times.
        for level in 1...5 {
            try shelf.put(Data(String(repeating: "\(level + 1).m3u\n", count: 100).utf8), as: "\(level).m3u")
        }
        try shelf.put(Data("#EXTM3U\n".utf8), as: "6.m3u")
        let many = try refusal(Data("1.m3u\n".utf8), as: "many.m3u")
        #expect(many.hasSuffix("more than 1000 playlists lie within the playlist"))
        #expect(try refusal(Data("#EXTM3U\n".utf8), as: "empty.m3u").hasSuffix("the playlist has no entries"))
        #expect(
            try refusal(Data([0, 1, 2, 3]), as: "sound.pls").hasSuffix("the file is not text, so it is not a playlist"))
    }

    @Test(arguments: ["m3u", "pls"]) func filesAreFoundByTheNamesThatOtherPlayersWrite(_ ending: String) throws {
        for name in ["100%/My Song.wav", "100%/sub/b c.wav", "100%/50%20off.wav", "100%/50 off.wav"] {
            try shelf.put(Data([0]), as: name)
        }
        let lines = [
            "My%20Song.wav", #".\My Song.wav"#, #"sub\b%20c.wav"#, "50%20off.wav", "a%00b.wav", "not%20here.wav",
        ]
        let text = lines.enumerated().map { ending == "pls" ? "File\($0 + 1)=\($1)\n" : "\($1)\n" }.joined()
        let read = try entries(text, as: "100%/list.\(ending)")
        let folder = shelf.folder.standardizedFileURL.path + "/100%/"
        let names = ["My Song.wav", "My Song.wav", "sub/b c.wav", "50%20off.wav", "a%00b.wav", "not%20here.wav"]
        #expect(read.map(\.url.path) == names.map { folder + $0 })
        #expect(read.first?.title == "My Song")
    }

    /// macOS decomposes `ä` into a letter and an accent, other systems write one character.
    @Test(arguments: ["m3u", "pls", "xspf", "cue"], [false, true])
    func filesAreFoundInTheOtherUnicodeForm(_ ending: String, isComposed: Bool) throws {
        let (composed, decomposed) = ("\u{E4}.wav", "a\u{308}.wav")
        let (name, written) = isComposed ? (composed, decomposed) : (decomposed, composed)
        func found() throws -> [UInt8] {
            let text =
                switch ending {
                case "m3u": "\(written)\n"
                case "pls": "File1=\(written)\n"
                case "xspf": "<playlist><track><location>\(written)</location></track></playlist>"
                default: "FILE \"\(written)\" WAVE\nTRACK 01 AUDIO\nINDEX 01 00:00:00\n"
                }
            // As bytes: both forms are equal as strings.
            return Array(try #require(try entries(text, as: "list.\(ending)").first).url.lastPathComponent.utf8)
        }
        #expect(try found() == Array(written.utf8))
        try shelf.put(Data([0]), as: name)
        #expect(try found() == Array(name.utf8))
        // The name as it is written comes first.
        try shelf.put(Data([0]), as: written)
        #expect(try found() == Array(written.utf8))
    }

    @Test func everyKindOfFileThatHasTagsIsFoundInFolders() throws {
        let endings = TagReading.fileExtensions.union(["mka", "wave"])
        for ending in endings { try shelf.put(Data(), as: "Book/chapter.\(ending)") }
        try shelf.put(Data(), as: "Book/cover.jpg")
        let found = try InputExpander.localEntries(for: shelf.folder.appendingPathComponent("Book"))
        #expect(Set(found.map(\.url.pathExtension)) == endings)
    }

    @Test func inputsWithoutTracksAreLeftOutWhileOthersHaveSome() async throws {
        let environment = AudioEnvironment(plugins: PluginRegistry(searchPath: []))
        try shelf.put(Data(), as: "Scans/front.jpg")
        try shelf.put(Data("#EXTM3U\n".utf8), as: "empty.m3u")
        try shelf.put(Data("TRACK 01 AUDIO\nINDEX 01 00:00:00\n".utf8), as: "damaged.cue")
        try shelf.put(Data(), as: "Music/a.wav")
        try shelf.put(Data(), as: "cover.jpg")
        func found(_ names: [String]) async throws -> (names: [String], reasons: [String]) {
            var reasons: [String] = []
            let paths = names.map { shelf.folder.appendingPathComponent($0).path }
            let entries = try await InputExpander.entries(for: paths, in: environment) {
                reasons.append($0.description)
            }
            return (entries.map(\.url.lastPathComponent), reasons)
        }
        let some = try await found(["Scans", "Music", "empty.m3u", "damaged.cue", "cover.jpg", "missing.wav"])
        // Files that are named are reported by the player, on their lines.
        #expect(some.names == ["a.wav", "cover.jpg", "missing.wav"])
        let ends = ["no audio files in this folder", "the playlist has no entries", "INDEX 01 comes before FILE"]
        #expect(some.reasons.count == ends.count && zip(some.reasons, ends).allSatisfy { $0.hasSuffix($1) })
        let refusal = await #expect(throws: InputError.self) { try await found(["Scans", "empty.m3u"]) }
        #expect(refusal?.description.hasSuffix("the playlist has no entries") == true)
    }

    @Test func ofAllFilesOfAnAlbumTheTracksAreMeant() async throws {
        let environment = AudioEnvironment(plugins: PluginRegistry(searchPath: []))
        let sounds = ["Album/1.flac", "Album/2.WAV", "Whole/whole.flac", "Disc v.2/a.wav"]
        for name in sounds + ["Album/cover.jpg", "Album/notes.txt", "Album/log"] { try shelf.put(Data(), as: name) }
        try shelf.put(Data("1.flac\n2.WAV\n".utf8), as: "Album/album.m3u")
        try shelf.put(Data("FILE \"1.flac\" WAVE\nTRACK 01 AUDIO\nINDEX 01 00:00:00\n".utf8), as: "Album/album.cue")
        let parts = "TRACK 01 AUDIO\nINDEX 01 00:00:00\nTRACK 02 AUDIO\nINDEX 01 00:10:00\n"
        try shelf.put(Data("FILE \"whole.flac\" WAVE\n\(parts)".utf8), as: "Whole/whole.cue")
        func found(_ names: String...) async throws -> (names: [String], reasons: [String]) {
            var reasons: [String] = []
            let urls = names.map { shelf.folder.appendingPathComponent($0) }
            let entries = try await InputExpander.entries(for: urls, in: environment) {
                reasons.append($0.description)
            }
            return (entries.map(\.url.lastPathComponent), reasons)
        }
        let album = try await found(
            "Album/1.flac", "Album/2.WAV", "Album/album.cue", "Album/album.m3u", "Album/cover.jpg", "Album/log",
            "Album/missing.flac", "Album/notes.txt", "Disc v.2")
        // The player reports the missing one.
        #expect(album.names == ["1.flac", "2.WAV", "missing.flac", "a.wav"])
        #expect(album.reasons == ["3 files are left out: neither sound nor playlists"])
        // Playlists stand for the tracks that were not chosen themselves.
        let list = try await found("Album/album.m3u", "Album/cover.jpg", "Whole/whole.flac")
        #expect(list.names == ["1.flac", "2.WAV", "whole.flac"])
        #expect(list.reasons == ["1 file is left out: neither sound nor a playlist"])
        let whole = try await found("Whole/whole.flac", "Whole/whole.cue")
        #expect(whole.names == ["whole.flac", "whole.flac"] && whole.reasons.isEmpty)
        // One that names other tracks is meant, too.
        let both = try await found("Album/album.m3u", "Album/1.flac")
        #expect(both.names == ["1.flac", "2.WAV", "1.flac"])
        let sheet = try await found("Whole/whole.cue", "Disc v.2/a.wav")
        #expect(sheet.names == ["whole.flac", "whole.flac", "a.wav"])
        // What is of an unknown kind is tried.
        #expect(try await found("Album/x.webm", "Album/y.xyz").names == ["x.webm", "y.xyz"])
        let refusal = await #expect(throws: InputError.self) { try await found("Album/cover.jpg", "Album/notes.txt") }
        #expect(refusal?.description == "none of the 2 files is sound or a playlist")
        // A single file is always tried.
        #expect(try await found("Album/log").names == ["log"])
    }

    @Test func filesOfFoldersAreSortedWithoutAccentsAndCase() throws {
        let sorted = [
            "\u{C9}lan.mp3", "emil.mp3", "\u{C9}mil.mp3", "Eze.mp3", "olaf.mp3", "\u{D3}lafur 2.mp3",
            "O\u{301}lafur 10.mp3", "\u{D3}lafur 11.mp3", "Oz.mp3", "ZZ Top.mp3", "\u{65E5}.mp3",
        ]
        var random = SeededGenerator(seed: 1)
        for _ in 0..<100 {
            // As bytes: composed and decomposed letters are equal as characters.
            let found = InputExpander.sorted(sorted.shuffled(using: &random))
            #expect(found.map { Array($0.utf8) } == sorted.map { Array($0.utf8) })
        }
        for name in ["ZZ Top/1.mp3", "\u{D3}lafur Arnalds/1.mp3", "oz/1.mp3"] {
            try shelf.put(Data(), as: "Music/\(name)")
        }
        let entries = try InputExpander.localEntries(for: shelf.folder.appendingPathComponent("Music"))
        let folders = entries.map { $0.url.deletingLastPathComponent().lastPathComponent }
        #expect(folders == ["\u{D3}lafur Arnalds", "oz", "ZZ Top"])
    }

    /// Numbers count by their value, letters without case, as Foundation has it.
    @Test func pathsAreComparedAsFoundationDoes() {
        let parts = [
            "a", "A", "b", "z", "Z", "_", " ", "/", ".", "-", "0", "00", "1", "01", "2", "9", "10",
            "123456789012345678",
            "1234567890123456789012", "é", "e", "e\u{301}", "E", "f\u{307}", "ß", "ss", "日", "[", "~", "\u{301}",
        ]
        var random = SeededGenerator(seed: 1)
        for _ in 0..<20_000 {
            let texts = (0..<2).map { _ in
                (0..<Int.random(in: 0...5, using: &random)).compactMap { _ in parts.randomElement(using: &random) }
                    .joined()
            }
            let isExpected = texts[0].compare(texts[1], options: [.numeric, .caseInsensitive]) == .orderedAscending
            #expect(InputExpander.comesBefore(texts[0], texts[1]) == isExpected, "\(texts)")
        }
    }

    @Test func filesOfFoldersAreSortedByNumbers() throws {
        let shelf = try Shelf()
        let names = ["2 b.flac", "10 a.FLAC", "1.hidden.wav", "A/3.mp3", "a b/1.mp3", "a/20.mp3"]
        for name in names + [".hidden.flac", "x/.mp3", "notes.txt", "flac", "A.cue/flac"] {
            try shelf.put(Data(), as: "Music/\(name)")
        }
        let folder = shelf.folder.appendingPathComponent("Music")
        let found = try InputExpander.localEntries(for: folder).map { $0.url.path.dropFirst(folder.path.count + 1) }
        #expect(found == ["1.hidden.wav", "2 b.flac", "10 a.FLAC", "a b/1.mp3", "A/3.mp3", "a/20.mp3"])
    }

    @Test func latinLettersAreRead() throws {
        let url = try shelf.put(Data("T\u{F6}ne.wav\n".unicodeScalars.map { UInt8($0.value) }), as: "old.m3u")
        #expect(try PlaylistFile.entries(of: url).first?.url.lastPathComponent == "Töne.wav")
    }

    private static let sheet = """
        PERFORMER "Ä"\r\nFILE "a b.wav" WAVE\r\n  TRACK 01 AUDIO\r\n    TITLE "T<&>"\r\n    INDEX 01 00:00:00\r
          TRACK 02 AUDIO\r\n    INDEX 00 01:00:00\r\n    INDEX 01 01:02:10\r\nFILE "../d.cue" WAVE\r\n  TRACK 03 AUDIO\r
            INDEX 01 00:00:00\r\n
        """

    @Test func damagedSheetsAreReadOrRefused() throws {
        let list = shelf.folder.appendingPathComponent("list.cue")
        var mutator = FileMutator(SeededGenerator(seed: 7))
        var (read, refused) = (0, 0)
        for _ in 0..<2_000 {
            try mutator.mutate(Data(Self.sheet.utf8)).write(to: list)
            do {
                read += try PlaylistFile.entries(of: list).count
            } catch is InputError {
                refused += 1
            }
        }
        #expect(read > 1_000 && refused > 100)
    }

    @Test func sheetsAreFoundBesideTheirFilesAndOtherNamesToo() throws {
        let wave = try shelf.put(Data([0]), as: "real.flac")
        func file(_ name: String) throws -> URL? {
            let tracks = "TRACK 01 AUDIO\nINDEX 01 00:00:00\nTRACK 02 AUDIO\nINDEX 01 00:10:00\n"
            return try entries("FILE \(name) WAVE\n" + tracks, as: "list.cue").first?.url
        }
        for name in [#""real.wav""#, "real.flac", #""C:\Rips\real.wav""#, "/nowhere/real.ape", "sub/real.flac"] {
            #expect(try file(name)?.path == wave.path, "\(name)")
        }
        #expect(try file("missing.wav")?.lastPathComponent == "missing.wav")
        // A file with the name of the sheet is the last resort.
        let same = try shelf.put(Data([0]), as: "list.flac")
        #expect(try file("missing.wav")?.path == same.path)
    }

    private func sheet(file: String, title: String, in encoding: String.Encoding) throws -> Data {
        let text =
            "FILE \"\(file)\" WAVE\r\n  TRACK 01 AUDIO\r\n    TITLE \"\(title)\"\r\n    INDEX 01 00:00:00\r\n"
        return try #require(text.data(using: encoding))
    }

    /// GB18030 and Korean by the numbers of Core Foundation.
    @Test(arguments: [
        (String.Encoding.shiftJIS, "アルバム.wav", "ソ連の歌"), (String.Encoding(rawValue: 0x8000_0632), "专辑.wav", "歌曲"),
        (String.Encoding(rawValue: 0x8000_0422), "앨범.wav", "노래"), (.windowsCP1251, "Альбом.wav", "Песня"),
        (.windowsCP1252, "Fête.wav", "Été"),
    ])
    func sheetsInOtherEncodingsAreKnownByTheirFiles(encoding: String.Encoding, file: String, title: String) throws {
        let data = try sheet(file: file, title: title, in: encoding)
        if encoding == .shiftJIS {
            // A letter of two bytes, of which the second one is a backslash in ASCII.
            try #require(data.firstRange(of: Data([0x83, 0x5C])) != nil)
        }
        let url = try shelf.put(data, as: "other.cue")
        for name in [file, file.replacing(".wav", with: ".flac")] {
            let wave = try shelf.put(Data([0]), as: name)
            let read = try PlaylistFile.entries(of: url)
            #expect(read.map(\.url.path) == [wave.path] && read.map(\.title) == [title])
            try FileManager.default.removeItem(at: wave)
        }
    }

    @Test func sheetsWhoseFilesTellNoEncodingAreReadAsLatinLetters() throws {
        let unknown = try refusal(try sheet(file: "アル.wav", title: "ソ連の歌", in: .shiftJIS), as: "other.cue")
        #expect(
            unknown.contains("other.cue: the file ƒAƒ‹.wav does not exist. other.cue: not UTF-8; read as Latin-1"),
            "\(unknown)")
        // `êt` is a letter in Shift-JIS.
        try shelf.put(Data([0]), as: "album.wav")
        let latin = try shelf.put(
            try sheet(file: "album.wav", title: "F\u{EA}te", in: .windowsCP1252), as: "latin.cue")
        #expect(try PlaylistFile.entries(of: latin).map(\.title) == ["F\u{EA}te"])
    }

    @Test func hugeSheetsAreRefusedSoon() throws {
        let files = String(repeating: "FILE \"x.wav\" WAVE\n", count: 500_000)
        #expect(try refusal(Data(files.utf8), as: "files.cue").hasSuffix("line 1000: more than 999 files"))
        let line = "TITLE \"" + String(repeating: "a\"", count: 1_000_000)
        #expect(try refusal(Data(line.utf8), as: "line.cue").hasSuffix("the playlist has no entries"))
        let lines = String(repeating: "\n", count: 2_000_000)
        #expect(try refusal(Data(lines.utf8), as: "lines.cue").hasSuffix("the playlist has no entries"))
    }

    /// Damaged playlists have tracks or a reason, and end.
    @Test(arguments: ["m3u", "pls", "xspf"]) func damagedPlaylistsAreReadOrRefused(_ ending: String) throws {
        let list = shelf.folder.appendingPathComponent("list.\(ending)")
        let tracks = ["a b.flac", "../c.wav", "d.m3u"].map {
            PlaylistEntry(url: shelf.folder.appendingPathComponent($0), title: "T<&>", artist: "Ä", duration: 61)
        }
        let whole = Data(try PlaylistFile.text(of: tracks, for: list).utf8)
        var mutator = FileMutator(SeededGenerator(seed: 7))
        var read = 0
        for _ in 0..<2_000 {
            try mutator.mutate(whole).write(to: list)
            do {
                read += try PlaylistFile.entries(of: list).count
            } catch is InputError {
            }
        }
        #expect(read > 1_000)
    }
}
