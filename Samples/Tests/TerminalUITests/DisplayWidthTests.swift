import Testing

@testable import TerminalUI

struct DisplayWidthTests {
    @Test(arguments: [
        ("abc", 3), ("日本の雨", 8), ("e\u{301}tude", 5), ("한글", 4), ("♫", 1), ("🎵", 2), ("👩‍🎤", 2), ("❤️", 2), ("", 0),
        ("Ｆｕｌｌ", 8),
    ])
    func wideAndCombiningCharactersAreCounted(text: String, columns: Int) {
        #expect(DisplayWidth.columns(of: text) == columns)
    }

    @Test func clippingKeepsWideCharactersWhole() {
        #expect(DisplayWidth.clip("日本の雨", to: 8) == "日本の雨")
        #expect(DisplayWidth.clip("日本の雨", to: 7) == "日本の…")
        #expect(DisplayWidth.clip("日本の雨", to: 6) == "日本…")
        #expect(DisplayWidth.clip("abc", to: 1) == "…")
        #expect(DisplayWidth.clip("abc", to: 0) == "")
    }

    @Test(arguments: 0...12)
    func fittedTextHasTheRequestedWidth(width: Int) {
        #expect(DisplayWidth.columns(of: DisplayWidth.fit("a日b本c", to: width)) == width)
    }

    @Test func controlCharactersAreRemoved() {
        #expect(DisplayWidth.printable("a\u{1b}[2Jb\nc\u{9b}d\u{202e}e") == "a [2Jb c d e")
    }
}
