import Testing

@testable import PlayerIntegration

struct HighlightedTextTests {
    private func mark(_ kind: String, _ word: String, in text: String) throws -> SpokenMark {
        let range = try #require(text.range(of: word))
        return SpokenMark(
            kind: kind, text: word, start: text.utf8.distance(from: text.startIndex, to: range.lowerBound),
            end: text.utf8.distance(from: text.startIndex, to: range.upperBound), frame: 0, isEstimated: false)
    }

    @Test func everyWordAndSignIsShown() throws {
        let text = "— «Ärger»,\nsaid 3% (of them). \u{1b}[2JNext: ünder-way!  "
        var highlighted = HighlightedText(text)
        var shown: [String] = []
        shown.append(highlighted.text(at: try mark("sentence", "«Ärger»,\nsaid 3% (of them).", in: text)))
        for word in ["Ärger", "said", "3", "them"] {
            shown.append(highlighted.text(at: try mark("word", word, in: text)))
        }
        shown.append(highlighted.text(at: try mark("sentence", "Next: ünder-way!", in: text)))
        shown.append(highlighted.text(at: try mark("word", "ünder", in: text)))
        // A mark that comes late shows nothing twice.
        shown.append(highlighted.text(at: try mark("word", "Next", in: text)))
        shown.append(highlighted.rest())
        #expect(
            shown == [
                "— \n", "«Ärger»,", " said", " 3%", " (of them).", " [2J\n", "Next: ünder-", "", "way! ",
            ])
    }
}
