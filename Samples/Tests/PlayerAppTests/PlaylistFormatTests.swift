import Foundation
import PlayerApp
import Testing

struct PlaylistFormatTests {
    private let folder = URL(fileURLWithPath: "/music/lists")

    @Test func readsPathsTitlesAndLengths() {
        let text =
            "\u{FEFF}#EXTM3U\r\n#EXTINF:125,Rain, softly\r\nrain.flac\r\n\r\n#EXTGRP:x\r\n../other/two.mp3\r\n/abs/three.ogg\r\n"
        let entries = M3UPlaylist.entries(in: text, relativeTo: folder)
        #expect(entries.map(\.url.path) == ["/music/lists/rain.flac", "/music/other/two.mp3", "/abs/three.ogg"])
        #expect(entries.map(\.title) == ["Rain, softly", "two", "three"])
        #expect(entries.map(\.duration) == [125, nil, nil])
    }

    @Test(arguments: [
        (#"-1 group-title="Rock, Pop",Radio One"#, "Radio One"),
        (#"-1 a="x,y" b="1, 2, 3", Tea, for two"#, "Tea, for two"),
        ("125,Rain, softly", "Rain, softly"), (#"125,12" Mix, long"#, #"12" Mix, long"#),
        (#"125 a="x,Title, long"#, "Title, long"),
    ])
    func titlesBeginBehindAttributes(info: String, title: String) {
        let read = M3UPlaylist.entries(in: "#EXTINF:\(info)\na.flac\n", relativeTo: folder)
        #expect(read.map(\.title) == [title])
        #expect(read.map(\.duration) == [info.hasPrefix("125") ? 125 : nil])
    }

    @Test func whatIsWrittenIsReadBack() throws {
        let folder = URL(fileURLWithPath: "/music")
        let paths = [
            "/music/a b.flac", "/music/sub/#1.flac", "/music/#2.flac", "/other/c.flac", "/music/line\nbreak.flac",
            "/music/\u{FEFF}#mark.flac", "/music/\t#tab.flac", "/music/#\u{35A}mark.flac",
        ]
        let urls = paths.map { URL(fileURLWithPath: $0) } + [try #require(URL(string: "https://example.org/x?y=1#z"))]
        let entries = urls.map { PlaylistEntry(url: $0, title: "Tea,\nfor two", artist: "Ä", duration: 61.4) }
        let text = M3UPlaylist.text(of: entries, relativeTo: folder)
        #expect(text.hasPrefix("#EXTM3U\n#EXTINF:61,Ä - Tea, for two\na b.flac\n"))
        let read = M3UPlaylist.entries(in: text, relativeTo: folder)
        #expect(
            read.map(\.url.path) == urls.map(\.path) && read.map(\.duration) == Array(repeating: 61, count: urls.count))
        #expect(
            M3UPlaylist.text(of: [PlaylistEntry(url: urls[3])], relativeTo: folder).contains("#EXTINF:-1,c\n/other/c"))
    }

    @Test(arguments: ["1e300", "99999999999999999999", "9223372036854775807"])
    func lengthsThatNoIntegerHoldsAreUnknown(length: String) throws {
        let read = PLSPlaylist.entries(in: "File1=a.flac\nLength1=\(length)\n", relativeTo: folder)
        #expect(try #require(read.first?.duration) >= 9e18)
        #expect(M3UPlaylist.text(of: read, relativeTo: folder).contains("#EXTINF:-1,a\n"))
        #expect(PLSPlaylist.text(of: read, relativeTo: folder).contains("Length1=-1\n"))
        #expect(!XSPFPlaylist.text(of: read, relativeTo: folder).contains("duration"))
    }

    @Test(arguments: ["file://server/share/a.flac", "file://server"]) func hostsOfFilesAreKept(address: String) {
        let read = M3UPlaylist.entries(in: address, relativeTo: folder)
        #expect(read.map(\.url.absoluteString) == [address])
        let copy = M3UPlaylist.entries(in: M3UPlaylist.text(of: read, relativeTo: folder), relativeTo: folder)
        #expect(copy.map(\.url) == read.map(\.url))
    }

    @Test(arguments: [
        ("https://ann:se%40cret@example.org:8000/live?a:b@c", "https://ann@example.org:8000/live?a:b@c"),
        ("http://ann:se:cret@example.org", "http://ann@example.org"),
        ("https://:secret@example.org/live#t=1", "https://example.org/live#t=1"),
        ("https://ann@example.org/a:b@c", "https://ann@example.org/a:b@c"),
    ])
    func passwordsOfAddressesAreLeftOut(address: String, shown: String) throws {
        let entries = [PlaylistEntry(url: try #require(URL(string: address)), title: "Radio")]
        let texts = [
            M3UPlaylist.text(of: entries, relativeTo: folder), PLSPlaylist.text(of: entries, relativeTo: folder),
            XSPFPlaylist.text(of: entries, relativeTo: folder),
        ]
        for text in texts { #expect(text.contains(shown) && !text.contains("cret"), "\(text)") }
    }

    @Test func keepsURLs() {
        let entries = M3UPlaylist.entries(
            in: "#EXTINF:-1,Radio\nhttps://example.org/live\nfile:///a%20b.wav", relativeTo: folder)
        #expect(entries.map(\.url.absoluteString) == ["https://example.org/live", "file:///a%20b.wav"])
        #expect(entries[0].duration == nil && entries[0].title == "Radio")
    }

    @Test func keepsUnusualFileNames() {
        let entries = M3UPlaylist.entries(in: "100% # of a?b.wav\n日本 の雨.flac", relativeTo: folder)
        #expect(entries.map(\.url.lastPathComponent) == ["100% # of a?b.wav", "日本 の雨.flac"])
    }

    @Test func readsPLSInTheOrderOfItsNumbers() {
        let text = """
            [playlist]\r
            file2=../b.mp3\r
            Title2=Two = 2\r
            File10=https://example.org/live\r
            Length10=-1\r
            File1=a b.flac\r
            Length1=61\r
            Title7=nothing\r
            File=x\r
            File99999999999999999999=y\r
            NumberOfEntries=9\r
            """
        let entries = PLSPlaylist.entries(in: text, relativeTo: folder)
        #expect(
            entries.map(\.url.absoluteString) == [
                "file:///music/lists/a%20b.flac", "file:///music/b.mp3", "https://example.org/live",
            ])
        #expect(entries.map(\.title) == ["a b", "Two = 2", "live"] && entries.map(\.duration) == [61, nil, nil])
    }

    @Test func whatIsWrittenAsPLSIsReadBack() {
        let entries = [
            PlaylistEntry(url: folder.appendingPathComponent("x=y.flac"), title: "a=b\nc", artist: "Ä", duration: 2.6),
            PlaylistEntry(url: URL(fileURLWithPath: "/other/c.flac")),
        ]
        let read = PLSPlaylist.entries(in: PLSPlaylist.text(of: entries, relativeTo: folder), relativeTo: folder)
        #expect(read.map(\.url) == entries.map(\.url))
        #expect(read.map(\.title) == ["Ä - a=b c", "c"] && read.map(\.duration) == [3, nil])
    }
}
