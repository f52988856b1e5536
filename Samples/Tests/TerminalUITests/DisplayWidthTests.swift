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

    /// A vowel sign, conjuncts, one of them with a joiner, words, a vowel that is split, and a tone mark.
    @Test(arguments: [
        ("कि", 2), ("न्द", 2), ("क्षि", 3), ("क्\u{200d}ष", 2), ("नमस्ते", 4), ("தமிழ்", 4), ("கொ", 2), ("น้ำ", 2),
        ("ສຳ", 2), ("שָׁלוֹם", 4),
    ])
    func signsBesideAConsonantAddTheirColumns(text: String, columns: Int) {
        #expect(DisplayWidth.columns(of: text) == columns)
    }

    @Test(arguments: ["👍🏽", "☝🏽", "🇩🇪", "1️⃣", "❤️‍🔥", "👩‍👧", "\u{1112}\u{1161}\u{11ab}"])
    func anEmojiAndASyllableOfHangulTakeTwoColumns(text: String) {
        #expect(DisplayWidth.columns(of: text) == 2)
    }

    @Test func clippingKeepsWideCharactersWhole() {
        #expect(DisplayWidth.clip("日本の雨", to: 8) == "日本の雨")
        #expect(DisplayWidth.clip("日本の雨", to: 7) == "日本の…")
        #expect(DisplayWidth.clip("日本の雨", to: 6) == "日本…")
        #expect(DisplayWidth.clip("abc", to: 1) == "…")
        #expect(DisplayWidth.clip("abc", to: 0) == "")
        #expect(DisplayWidth.clip("क्षि गीत", to: 4) == "क्षि…")
        #expect(DisplayWidth.clip("क्षि गीत", to: 3) == "…")
    }

    @Test(arguments: 0...12)
    func fittedTextHasTheRequestedWidth(width: Int) {
        for text in ["a日b本c", "क्षि गीत", "น้ำตาล"] {
            #expect(DisplayWidth.columns(of: DisplayWidth.fit(text, to: width)) == width, "\(text)")
        }
    }

    @Test func controlCharactersAreRemoved() {
        #expect(DisplayWidth.printable("a\u{1b}[2Jb\nc\u{9b}d\u{202e}e") == "a [2Jb c d e")
    }
}
