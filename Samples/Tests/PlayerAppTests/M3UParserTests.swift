import Foundation
import PlayerApp
import Testing

struct M3UParserTests {
    private let folder = URL(fileURLWithPath: "/music/lists")

    @Test func readsPathsTitlesAndLengths() {
        let text =
            "\u{FEFF}#EXTM3U\r\n#EXTINF:125,Rain, softly\r\nrain.flac\r\n\r\n#EXTGRP:x\r\n../other/two.mp3\r\n/abs/three.ogg\r\n"
        let entries = M3UParser.entries(in: text, relativeTo: folder)
        #expect(entries.map(\.url.path) == ["/music/lists/rain.flac", "/music/other/two.mp3", "/abs/three.ogg"])
        #expect(entries.map(\.title) == ["Rain, softly", "two", "three"])
        #expect(entries.map(\.duration) == [125, nil, nil])
    }

    @Test func whatIsWrittenIsReadBack() throws {
        let folder = URL(fileURLWithPath: "/music")
        let paths = [
            "/music/a b.flac", "/music/sub/#1.flac", "/music/#2.flac", "/other/c.flac", "/music/line\nbreak.flac",
        ]
        let urls = paths.map { URL(fileURLWithPath: $0) } + [try #require(URL(string: "https://example.org/x?y=1#z"))]
        let entries = urls.map { PlaylistEntry(url: $0, title: "Tea,\nfor two", artist: "Ä", duration: 61.4) }
        let text = M3UWriter.text(of: entries, relativeTo: folder)
        #expect(text.hasPrefix("#EXTM3U\n#EXTINF:61,Ä - Tea, for two\na b.flac\n"))
        let read = M3UParser.entries(in: text, relativeTo: folder)
        #expect(read.map(\.url.path) == urls.map(\.path) && read.map(\.duration) == Array(repeating: 61, count: 6))
        #expect(
            M3UWriter.text(of: [PlaylistEntry(url: urls[3])], relativeTo: folder).contains("#EXTINF:-1,c\n/other/c"))
    }

    @Test func keepsURLs() {
        let entries = M3UParser.entries(
            in: "#EXTINF:-1,Radio\nhttps://example.org/live\nfile:///a%20b.wav", relativeTo: folder)
        #expect(entries.map(\.url.absoluteString) == ["https://example.org/live", "file:///a%20b.wav"])
        #expect(entries[0].duration == nil && entries[0].title == "Radio")
    }

    @Test func keepsUnusualFileNames() {
        let entries = M3UParser.entries(in: "100% # of a?b.wav\n日本 の雨.flac", relativeTo: folder)
        #expect(entries.map(\.url.lastPathComponent) == ["100% # of a?b.wav", "日本 の雨.flac"])
    }
}
