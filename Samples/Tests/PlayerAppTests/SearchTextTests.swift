import DescantTesting
import Foundation
import Testing

@testable import PlayerApp

/// The filter compares prepared bytes. What it finds is what Foundation finds without case and diacritics.
struct SearchTextTests {
    private static let options: String.CompareOptions = [.caseInsensitive, .diacriticInsensitive]
    /// Letters that change their number when they are folded, letters that are written in two ways, and marks. Foundation takes some letters
    /// apart that it does not fold, and then finds the first part alone: "한" in "하å". Such pairs are not among them.
    private static let characters = [
        "a", "A", "e", "é", "e\u{301}", "É", "s", "S", "ß", "ẞ", "ſ", "f", "i", "ﬁ", "İ", "ı", "I", "ø", "Ø", "l", "Л",
        "й", "и\u{306}", "が", "ガ", "夜", "ก", "กำ", "ำ", "क", "कि", "ि", "👍", "👍🏽",
        "👩‍👩‍👧", "\u{200D}", "\u{301}", "\u{FE0F}", "❤️", "❤", "Å", "å", "Å", "K", "K", "ά", "α", "ς", "σ", "Σ", "ǆ", "ǅ",
        "🇩🇪",
        "🇩", "ŉ", "ʼ", "ö", "ñ", "Ａ", "ａ", "1", "-", " ", " ", "\r\n",
    ]

    private static func text(_ lengths: ClosedRange<Int>, _ random: inout SeededGenerator) -> String {
        (0..<Int.random(in: lengths, using: &random)).compactMap { _ in characters.randomElement(using: &random) }
            .joined()
    }

    @Test func findsWhatFoundationFinds() {
        var random = SeededGenerator(seed: 1)
        var found = 0
        for _ in 0..<20_000 {
            var entry = PlaylistEntry(
                url: URL(filePath: "/m/\(Self.text(0...3, &random))x.flac"), title: Self.text(0...5, &random),
                artist: Self.text(0...2, &random))
            entry.album = Bool.random(using: &random) ? Self.text(1...3, &random) : nil
            let name = entry.url.deletingPathExtension().lastPathComponent
            let searched = [entry.title, entry.artist ?? "", entry.album ?? "", name]
            let words = Self.text(1...3, &random).split(separator: " ")
            let isExpected = words.allSatisfy { word in
                searched.contains { $0.range(of: word, options: Self.options) != nil }
            }
            #expect(entry.contains(words.map(SearchText.Word.init)) == isExpected, "\(words) in \(searched)")
            if isExpected { found += 1 }
        }
        #expect(found > 1_000 && found < 19_000)
    }

    @Test func anIndexFindsWhatItsEntriesContain() {
        var random = SeededGenerator(seed: 2)
        func entry(_ random: inout SeededGenerator) -> PlaylistEntry {
            PlaylistEntry(
                url: URL(filePath: "/m/song.flac"), title: Self.text(0...5, &random), artist: Self.text(0...2, &random))
        }
        var entries = (0..<100).map { _ in entry(&random) }
        var index = SearchIndex(entries)
        var found = 0
        // All entries change many times, so that bytes without an entry are removed, too.
        for _ in 0..<200 {
            for _ in 0..<20 {
                let place = Int.random(in: entries.indices, using: &random)
                entries[place] = entry(&random)
                index.replace(at: place, by: entries[place].searchText)
            }
            let words = Self.text(1...2, &random).split(separator: " ").map(SearchText.Word.init)
            let expected = entries.indices.filter { entries[$0].contains(words) }
            #expect(index.places(containing: words, in: entries) == expected)
            found += expected.count
        }
        #expect(found > 200)
        #expect(SearchIndex([]).places(containing: [SearchText.Word("a")], in: []).isEmpty)
    }

    @Test func changedTextsAreFound() {
        var entry = PlaylistEntry(url: URL(filePath: "/m/file.flac"))
        func contains(_ word: String) -> Bool { entry.contains([SearchText.Word(Substring(word))]) }
        #expect(contains("FILE") && !contains("flac"))
        (entry.title, entry.artist, entry.album) = ("Étude", "Ann", "Record")
        for word in ["etu", "ANN", "cord", "file"] { #expect(contains(word)) }
        #expect(!contains("eann") && !contains("étudeann"))
        entry.url = URL(filePath: "/m/other.flac")
        #expect(contains("other") && !contains("file"))
    }

    @Test(arguments: [
        "/m/song.flac", "/m/a.b.c.mp3", "/m/.hidden", "/m/.hidden.flac", "/m/..flac", "/m/a..flac", "/m/dot.",
        "/m/no ending",
        "/m/a. b", "/m/a.été", "/m/été.flac", "/m/a.m-a", "/m/50%.wav", "/m/a%2Fb.wav", "/", "/m/folder.d/",
        "/m/#1.flac", "/m/é?.ogg",
        "/m/ .flac",
    ])
    func titlesAreTheNamesOfFiles(path: String) {
        let url = URL(filePath: path)
        #expect(PlaylistEntry(url: url).title == url.deletingPathExtension().lastPathComponent)
    }

    @Test(arguments: [
        "http://a.b", "http://a.b/", "http://a.b/c.mp3?x=/y.z", "http://a.b/AC%2FDC.mp3", "https://a.b/%FF.ogg",
        "file://h/x.flac",
        "file:///m/a.flac#t=1,2&id=B",
    ])
    func titlesAreTheLastPartsOfAddresses(address: String) throws {
        let url = try #require(URL(string: address))
        #expect(PlaylistEntry(url: url).title == url.deletingPathExtension().lastPathComponent)
    }
}
