import PlayerApp
import Testing

struct LyricsTests {
    @Test func timesAreReadAndSorted() throws {
        let lyrics = try #require(
            Lyrics(
                parsing:
                    "\u{FEFF}[ar:Someone]\r\n[by:x]\r\n[00:20.5][1:05]chorus\r\n[00:10]<00:10.00>one <00:11.50>two\r\n[00:15:25]\r\n"
            ))
        #expect(lyrics.isSynchronized)
        #expect(lyrics.lines.map(\.time) == [10, 15.25, 20.5, 65])
        #expect(lyrics.lines.map(\.text) == ["one two", "", "chorus", "chorus"])
    }

    @Test func theLineOfAPositionIsFound() throws {
        let lyrics = try #require(Lyrics(parsing: "[00:10]a\n[00:20]b\n[00:20]c"))
        #expect([0, 9.9, 10, 19.9, 20, 1e9].map(lyrics.line(at:)) == [nil, nil, 0, 0, 2, 2])
    }

    @Test func theOffsetMovesTheWordsForward() throws {
        let lyrics = try #require(Lyrics(parsing: "[offset: +500]\n[00:00.2]a\n[00:10]b"))
        #expect(lyrics.lines.map(\.time) == [0, 9.5])
        #expect(Lyrics(parsing: "[offset:x]\n[00:10]b")?.lines.first?.time == 10)
    }

    @Test func wordsWithoutTimesStayAsTheyAre() throws {
        let lyrics = try #require(Lyrics(parsing: "\n\n[Verse 1]\nIt is 10:30 <3\n\nagain\n\n"))
        #expect(!lyrics.isSynchronized && lyrics.line(at: 5) == nil)
        #expect(lyrics.lines.map(\.text) == ["[Verse 1]", "It is 10:30 <3", "", "again"])
    }

    @Test(arguments: ["", "\n \n", "[ti:only marks]", "[00:10]\n[00:20]", "[99999999999:00]", "[00:61]"])
    func nothingToReadIsNoLyrics(text: String) {
        let lyrics = Lyrics(parsing: text)
        #expect(lyrics == nil || lyrics?.isSynchronized == false, "\(String(describing: lyrics))")
    }

    @Test func manyLinesAreBounded() throws {
        let text = String(repeating: "[00:01]a\n", count: 50_000)
        #expect(try #require(Lyrics(parsing: text)).lines.count == 10_000)
    }
}
