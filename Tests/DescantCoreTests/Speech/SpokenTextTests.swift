import DescantCore
import Foundation
import Testing

@Suite struct SpokenTextTests {
    private func words(_ text: String) -> [String] {
        SpokenWords.ranges(in: text).map { String(decoding: Array(text.utf8)[$0], as: UTF8.self) }
    }

    @Test(arguments: [
        ("", []), (" \n…!? – ", []), ("One, two.", ["One", "two"]),
        ("“Don't” (well-known) 3.14!", ["Don't", "well-known", "3.14"]),
        ("e\u{301}t\u{E9} 👩‍👧 5€", ["e\u{301}t\u{E9}", "👩‍👧", "5€"]), ("你好。ねこ", ["你", "好", "ね", "こ"]),
        ("مرحبا بالعالم", ["مرحبا", "بالعالم"]),
        ("a\u{200F}b\u{0}c", ["a", "b", "c"]), ("x你y", ["x", "你", "y"]), ("'", []), ("\u{E000}", []),
    ])
    func wordsAreFound(text: String, expected: [String]) {
        #expect(words(text) == expected)
    }

    @Test func longRunsAreDividedAndRangesMapBack() {
        let source = "é " + String(repeating: "x", count: 130) + " 12345678901234567890 ........"
        let text = SpokenText(source, limits: .init(letters: 60, digits: 9, signs: 3))
        let parts = text.text.split(separator: " ").map(\.count)
        #expect(parts == [1, 60, 60, 10, 9, 9, 2, 3])
        #expect(text.omitted == [])
        let scalars = Array(text.text.unicodeScalars)
        for (index, scalar) in scalars.enumerated() where scalar != " " {
            let rest = source.utf8.dropFirst(text.sourceOffset(ofScalar: index))
            #expect(String(decoding: rest, as: UTF8.self).unicodeScalars.first == scalar)
        }
        #expect(text.sourceOffset(ofScalar: scalars.count) == source.utf8.count)
        #expect(text.sourceOffset(ofScalar: -1) == 0)
    }

    @Test func charactersWithoutSoundAreReported() {
        let source = "a日本b\u{FFFD}\u{0}c\u{200F}"
        let text = SpokenText(source) { $0.isASCII ? String($0) : nil }
        #expect(text.text == "a  b  c ")
        #expect(text.omitted == [1..<7, 8..<12])
        let longer = SpokenText("½x") { $0 == "½" ? "one half " : String($0) }
        #expect(longer.text == "one half x")
        #expect(longer.sourceOffset(ofScalar: 8) == 0 && longer.sourceOffset(ofScalar: 9) == 2)
    }
}
