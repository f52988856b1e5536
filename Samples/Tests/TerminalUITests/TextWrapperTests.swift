import Testing

@testable import TerminalUI

struct TextWrapperTests {
    private func lines(_ text: String, _ width: Int) -> [String] {
        let bytes = Array(text.utf8)
        return TextWrapper(width: width).lines(of: text).map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    @Test func linesBreakAtSpacesAndHyphens() {
        #expect(lines("one two three", 7) == ["one two", "three"])
        #expect(lines("one  two", 3) == ["one", "two"])
        #expect(lines("well-known ducks", 6) == ["well-", "known", "ducks"])
        #expect(lines("a\nb  \n\nc", 5) == ["a", "b", "", "c"])
        #expect(lines("", 5) == [""])
        #expect(lines("   ", 2) == [""])
    }

    @Test func longWordsAreBrokenAnywhere() {
        #expect(lines("ab incomprehensible c", 6) == ["ab", "incomp", "rehens", "ible c"])
        #expect(lines("日", 1) == ["日"])
    }

    @Test func ideographsTakeTwoColumnsAndKeepTheirMarks() {
        #expect(lines("日本の雨。静か", 8) == ["日本の", "雨。静か"])
        for line in lines("日本の雨は「静か」に、降ります。", 6) {
            #expect(
                !line.hasPrefix("。") && !line.hasPrefix("、") && !line.hasPrefix("」") && !line.hasSuffix("「"), "\(line)")
            #expect(DisplayWidth.columns(of: line) <= 6)
        }
    }

    @Test func combiningMarksAndEmojiStayWhole() {
        #expect(lines("cafe\u{301} cafe\u{301}", 4) == ["cafe\u{301}", "cafe\u{301}"])
        #expect(lines("👩‍👧👩‍👧👩‍👧", 4) == ["👩‍👧👩‍👧", "👩‍👧"])
    }

    @Test func wordsOfConsonantsWithSignsStayWhole() {
        #expect(lines("गीत कि हिन्दी", 6) == ["गीत कि", "हिन्दी"])
        #expect(lines("தமிழ் கொடி", 6) == ["தமிழ்", "கொடி"])
    }

    @Test(arguments: [1, 2, 3, 7, 40])
    func noTextIsLost(width: Int) {
        let text =
            "Ein längerer Satz — mit 日本語、“quotes” and 👩‍👧 emoji, cafe\u{301}, שלום עולם, and supercalifragilistic words."
        let kept = lines(text, width).joined().filter { !$0.isWhitespace }
        #expect(kept == text.filter { !$0.isWhitespace })
        for line in lines(text, width) { #expect(DisplayWidth.columns(of: line) <= max(width, 2)) }
    }
}
