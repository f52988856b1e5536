import Foundation
import PlayerApp
import Testing

@testable import TerminalUI

@MainActor
struct ReaderViewTests {
    private static let paragraphs = [
        "The Mill", "The river runs past the old mill. Nobody has counted the ducks, and nobody will.",
        "日本の雨は静かに降ります。川のそばに古い水車小屋があります。", "He said so. She did not hear it.",
    ]

    private func book(_ paragraphs: [String] = paragraphs) -> Book {
        let text = paragraphs.joined(separator: "\n\n")
        var ranges: [Range<Int>] = []
        for paragraph in paragraphs {
            let start = ranges.last.map { $0.upperBound + 2 } ?? 0
            ranges.append(start..<start + paragraph.utf8.count)
        }
        var sentences: [Range<Int>] = []
        for range in ranges {
            var start = range.lowerBound
            let bytes = Array(text.utf8)[range]
            for (place, byte) in zip(range, bytes) where byte == UInt8(ascii: ".") {
                sentences.append(start..<place + 1)
                start = min(range.upperBound, place + 2)
            }
            if start < range.upperBound { sentences.append(start..<range.upperBound) }
        }
        return Book(
            title: "The Mill", language: "en", text: text, paragraphs: ranges, headings: [0], sentences: sentences,
            chapters: [Book.Chapter(title: "At the river", start: 0)])
    }

    private func state(_ book: Book, at word: String, _ more: [ReaderUpdate] = []) async throws -> ReaderState {
        let bytes = try #require(book.text.utf8.firstRange(of: word.utf8))
        let start = book.text.utf8.distance(from: book.text.startIndex, to: bytes.lowerBound)
        let reader = ScriptedReader(
            [
                .voice(engine: "flite", voice: "slt"), .rate(1.25), .activity(.playing),
                .place(start, word: start..<start + word.utf8.count), .time(10, duration: 60, isEstimated: true),
            ] + more)
        let state = ReaderState(reader: reader, book: book)
        await state.follow()
        return state
    }

    private func screen(_ state: ReaderState, _ width: Int, _ height: Int, view: ReaderView = ReaderView()) -> Screen {
        var screen = Screen(width: width, height: height)
        view.draw(state, on: &screen)
        return screen
    }

    /// The text in a style.
    private func marked(_ style: TextStyle, in screen: Screen) -> String {
        screen.rows.map { row in String(row.filter { $0.style == style }.compactMap(\.character)) }
            .joined(separator: " ").split(separator: " ").joined(separator: " ")
    }

    @Test func standardScreenShowsAllParts() async throws {
        let shown = screen(try await state(book(), at: "counted"), 62, 20)
        #expect(
            shown.text == [
                "  ♫ The Mill                             flite · slt · 1.25×", "  At the river", "",
                "  The Mill", "",
                "  The river runs past the old mill. Nobody has counted the",
                "  ducks, and nobody will.", "",
                "  日本の雨は静かに降ります。川のそばに古い水車小屋がありま",
                "  す。", "", "  He said so. She did not hear it.", "", "", "", "", "",
                "  ▶ 25% ━━━━━━━━━━●───────────────────────────── ≈ 0:40 left",
                "",
                "  space pause · ←→ sentence · ↑↓ paragraph · [] speed · e e…",
            ], "\(shown.text.joined(separator: "\n"))")
        #expect(marked(.selected, in: shown) == "counted")
        #expect(marked(.strong, in: shown) == "Nobody has the ducks, and nobody will.")
    }

    @Test func smallScreenShowsTheText() async throws {
        let shown = screen(try await state(book(), at: "counted"), 40, 10)
        #expect(
            shown.text == [
                "  ♫ The Mill       flite · slt · 1.25×",
                "  The river runs past the old mill.", "  Nobody has counted the ducks, and",
                "  nobody will.", "",
                "  日本の雨は静かに降ります。川のそばに", "  古い水車小屋があります。",
                "  ▶ 25% ━━━━●───────────── ≈ 0:40 left", "",
                "  space pause · ←→ sentence · ↑↓ para…",
            ], "\(shown.text.joined(separator: "\n"))")
    }

    @Test(arguments: [(1, 1), (2, 2), (5, 3), (7, 4), (20, 6), (40, 10), (60, 12), (80, 24), (200, 60)])
    func nothingIsDrawnOutsideTheScreen(width: Int, height: Int) async throws {
        for word in ["The", "counted", "日本", "hear"] {
            for line in screen(try await state(book(), at: word), width, height).text {
                #expect(DisplayWidth.columns(of: line) <= width)
            }
        }
    }

    /// The page does not move until the sentence leaves it; then the whole sentence is visible, with some lines above it.
    @Test func sentenceStaysVisible() async throws {
        let book = book(
            (1...80).map { "Paragraph \($0) is short. It has a word\($0) in it, and some more words behind it." })
        let view = ReaderView()
        var tops: [String] = []
        for number in 1...80 {
            let shown = screen(try await state(book, at: "word\(number) "), 40, 24, view: view)
            let text = marked(.strong, in: shown) + marked(.selected, in: shown)
            #expect(text.contains("It has a") && text.contains("behind it."), "\(shown.text)")
            let page = shown.text[3...18].joined(separator: "\n")
            if tops.last != page { tops.append(page) }
        }
        #expect((10...40).contains(tops.count), "\(tops.count) pages")
    }

    /// When a sentence is longer than the page, its present word is visible.
    @Test func longSentenceKeepsTheWordVisible() async throws {
        let book = book([(1...300).map { "word\($0)" }.joined(separator: " ") + " ."])
        let view = ReaderView()
        for number in [1, 50, 120, 299] {
            let shown = screen(try await state(book, at: "word\(number) "), 30, 9, view: view)
            #expect(marked(.selected, in: shown).hasPrefix("word\(number)"), "\(shown.text)")
        }
    }

    @Test func helpReplacesTheText() async throws {
        let state = try await state(book(), at: "counted")
        await state.send(.toggleHelp)
        let text = screen(state, 80, 24).text.joined(separator: "\n")
        #expect(text.contains("next engine, at the same word") && !text.contains("ducks"))
    }

    @Test func mutedStandsInThePlaceOfTheVolume() async throws {
        let state = try await state(book(), at: "counted")
        #expect(screen(state, 80, 24).text.joined().contains("vol 100%"))
        await state.send(.toggleMute)
        let text = screen(state, 80, 24).text.joined()
        #expect(text.contains("left  muted") && !text.contains("vol"))
    }

    @Test func fallbackGlyphsAreASCII() async throws {
        let state = try await state(book(["One. Two."]), at: "Two")
        let signs = screen(state, 80, 24, view: ReaderView(glyphs: .ascii)).text.dropLast().joined()
        #expect(signs.filter { !$0.isASCII }.isEmpty, "\(signs)")
    }

    @Test func knownDurationIsNotMarkedAsEstimate() async throws {
        let state = try await state(book(), at: "counted", [.time(10, duration: 60, isEstimated: false)])
        let text = screen(state, 80, 24).text.joined()
        #expect(text.contains(" 0:40 left") && !text.contains("≈"))
    }

    @Test func eachSentenceIsALine() async throws {
        var (lines, notes): ([String], [String]) = ([], [])
        let state = try await state(book(), at: "counted", [.notice(Notice(.warning, "mind\u{1b}[2J"))])
        let reader = PlainReader(state: state, write: { lines.append($0) }, note: { notes.append($0) })
        try reader.report()
        try reader.report()
        #expect(lines == ["Nobody has counted the ducks, and nobody will."])
        #expect(notes == ["mind [2J", "read by flite slt", "playing, 25%", "chapter: At the river"])
    }

    @Test func linesEndWithAFailure() async throws {
        let state = try await state(
            book(), at: "counted", [.notice(Notice(.error, "the voice is gone")), .activity(.failed)])
        var isStopped = false
        let reader = PlainReader(state: state, write: { _ in }, note: { _ in })
        let ending = try await reader.run { isStopped = true }
        #expect(ending == .failed("the voice is gone") && isStopped)
    }

    /// When lines cannot be written, the reading ends and its place is stored.
    @Test func writeErrorEndsTheReading() async throws {
        struct Full: Error {}
        var isStopped = false
        let reader = PlainReader(
            state: try await state(book(), at: "counted"), write: { _ in throw Full() }, note: { _ in })
        await #expect(throws: Full.self) { try await reader.run { isStopped = true } }
        #expect(isStopped)
    }
}
