import DescantPlayback
import Testing

/// How text is divided. Every expectation is written out: the segments with a bar between them.
struct SegmentationTests {
    private func divided(_ text: String, language: String? = nil, longest: Int = 400, run: Int = 100) -> String {
        let segmenter = TextSegmenter(language: language, longestSegment: longest, longestRun: run)
        return parts(of: text, segmenter.segments(of: text)).joined(separator: "|")
    }

    private func parts(of text: String, _ segments: [TextSegment]) -> [String] {
        let bytes = Array(text.utf8)
        return segments.map { String(decoding: bytes[$0.utf8Range], as: UTF8.self) }
    }

    @Test(arguments: [
        ("One. Two! Three? Four", "One.|Two!|Three?|Four"),
        ("Dr. Smith met Mrs. Jones. They left.", "Dr. Smith met Mrs. Jones.|They left."),
        ("J. R. R. Tolkien wrote it. We read.", "J. R. R. Tolkien wrote it.|We read."),
        ("It cost 3.50 or 1,000.25 dollars. Yes.", "It cost 3.50 or 1,000.25 dollars.|Yes."),
        ("See e.g. Figure 2, i.e. No. 5. Done.", "See e.g. Figure 2, i.e. No. 5.|Done."),
        ("At 5 p.m. The bell rang.", "At 5 p.m.|The bell rang."),
        ("The U.S. Army came. In the U.S. They stayed.", "The U.S. Army came.|In the U.S.|They stayed."),
        ("He said “Go!” She went. “Why?” he asked.", "He said “Go!”|She went.|“Why?” he asked."),
        ("(It was late.) They slept.", "(It was late.)|They slept."),
        ("Wait... what? Well… Then go.", "Wait... what?|Well…|Then go."),
        ("Really?! Yes!!! No.", "Really?!|Yes!!!|No."),
        ("Read https://example.com/a.b?c=1. Then www.x.org.", "Read https://example.com/a.b?c=1.|Then www.x.org."),
        ("Mail a.b@example.com. Thanks.", "Mail a.b@example.com.|Thanks."),
        ("Done 👍. Next 👩‍👧! End", "Done 👍.|Next 👩‍👧!|End"),
        ("Version 1.2.3 is out. Use it.", "Version 1.2.3 is out.|Use it."),
    ])
    func latin(_ text: String, _ expected: String) {
        #expect(divided(text) == expected)
    }

    @Test(arguments: [
        ("今日は天気です。明日は雨！「行こう。」と言った。", "今日は天気です。|明日は雨！|「行こう。」|と言った。"),
        ("你好。我说：“走吧！”他走了？是的", "你好。|我说：“走吧！”|他走了？|是的"),
        ("مرحبا بك. كيف حالك؟ أنا بخير.", "مرحبا بك.|كيف حالك؟|أنا بخير."),
        ("यह एक है। यह दो है॥", "यह एक है।|यह दो है॥"),
        ("He said 你好。Then left. 好。", "He said 你好。|Then left.|好。"),
        ("Он ушёл. Она осталась? Да.", "Он ушёл.|Она осталась?|Да."),
    ])
    func otherScripts(_ text: String, _ expected: String) {
        #expect(divided(text) == expected)
    }

    @Test func germanOrdinalsAndAbbreviations() {
        #expect(
            divided("Am 3. Oktober kam z.B. Herr Dr. Maier. Er blieb.", language: "de-DE")
                == "Am 3. Oktober kam z.B. Herr Dr. Maier.|Er blieb.")
    }

    @Test func paragraphsListsAndLines() {
        let text = "A title\n\nFirst line\ngoes on. Second.\n- apples\n- pears\n1. one\n2) two\n"
        let segments = TextSegmenter().segments(of: text)
        #expect(
            parts(of: text, segments) == [
                "A title", "First line\ngoes on.", "Second.", "- apples", "- pears", "1. one", "2) two",
            ])
        #expect(segments.map(\.boundary) == [.paragraph, .sentence] + Array(repeating: .paragraph, count: 5))
    }

    @Test func longSentencesAreDividedAtPunctuation() {
        let text = "alpha beta, gamma delta; epsilon zeta eta theta"
        let segments = TextSegmenter(longestSegment: 26).segments(of: text)
        #expect(parts(of: text, segments) == ["alpha beta, gamma delta;", "epsilon zeta eta theta"])
        #expect(segments.map(\.beginsSentence) == [true, false])
        #expect(segments.map(\.boundary) == [.clause, .paragraph])
    }

    @Test func limitMayBeAnyNumber() {
        #expect(divided("One. Two, three.", longest: .max, run: .max) == "One.|Two, three.")
        #expect(divided("a b", longest: .min, run: .min) == "a|b")
    }

    @Test func nothingToSpeakIsNoSegment() {
        for text in ["", "   \n\n ", "...", "— ! ?", "\u{0}\u{1}\u{7}", "\u{FFFD}\u{FFFD}", "***\n***"] {
            #expect(divided(text) == "", "\(text.debugDescription)")
        }
    }

    @Test func charactersAreNotDivided() {
        let text = String(repeating: "👩‍👧", count: 40) + String(repeating: "e\u{301}", count: 40)
        let segments = TextSegmenter(longestSegment: 10, longestRun: 7).segments(of: text)
        #expect(parts(of: text, segments).joined() == text)
        let whole = Set(text.indices.map { text.utf8.distance(from: text.startIndex, to: $0) })
        for segment in segments { #expect(whole.contains(segment.utf8Range.lowerBound)) }
    }

    /// A long text, which a test run prints by its name: whole, it would fill the log.
    struct HostileText: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: String

        init(_ unit: String, times count: Int, then end: String = "") {
            testDescription = "\(count) × \(unit.debugDescription)"
            text = String(repeating: unit, count: count) + end
        }

        init(bytes: [UInt8]) {
            testDescription = "bytes that are not UTF-8"
            text = String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Offsets are exact, segments rise and do not overlap, nothing that can be spoken is lost, and none is too long.
    @Test(arguments: [
        HostileText("a", times: 100_000), HostileText("7", times: 10_000), HostileText(".", times: 5_000, then: "x"),
        HostileText("Dr. ", times: 20_000), HostileText("1. ", times: 20_000),
        HostileText(" \n", times: 50_000, then: "end"), HostileText("\u{200F}א", times: 20_000),
        HostileText("漢", times: 50_000), HostileText("(\"", times: 50_000), HostileText("a\u{301}", times: 50_000),
        HostileText(bytes: [0x61, 0xED, 0xA0, 0x80, 0x62, 0xFF, 0x2E, 0x20, 0x63]),
    ])
    func hostileTextIsDividedCompletely(_ hostile: HostileText) {
        let text = hostile.text
        let segments = TextSegmenter(longestSegment: 300, longestRun: 60).segments(of: text)
        let bytes = Array(text.utf8)
        var end = 0
        var covered = 0
        for segment in segments {
            #expect(segment.utf8Range.lowerBound >= end)
            end = segment.utf8Range.upperBound
            let part = String(decoding: bytes[segment.utf8Range], as: UTF8.self)
            #expect(part.unicodeScalars.count <= 300 + 32)
            covered += part.unicodeScalars.count { $0.properties.isAlphabetic || $0.properties.numericType != nil }
        }
        #expect(covered == text.unicodeScalars.count { $0.properties.isAlphabetic || $0.properties.numericType != nil })
    }
}
