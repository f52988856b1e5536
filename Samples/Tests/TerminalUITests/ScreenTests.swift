import PlayerApp
import Testing

@testable import TerminalUI

struct ScreenTests {
    @Test func textIsClippedAtTheEdge() {
        var screen = Screen(width: 6, height: 2)
        screen.put("abcdefgh", row: 0, column: 2)
        screen.put("日本語", row: 1, column: 1)
        screen.put("outside", row: 2, column: 0)
        #expect(screen.text == ["  abc…", " 日本…"])
    }

    @Test func aCharacterFillsAllItsColumns() {
        var screen = Screen(width: 6, height: 1)
        let end = screen.put("क्षि", row: 0, column: 1)
        screen.put("x", row: 0, column: end)
        #expect(end == 4 && screen.text == [" क्षिx"])
        // As a literal, the compiler takes it for two characters.
        let cells: [Character?] = [" ", "क्षि".first, nil, nil, "x", " "]
        #expect(screen.rows[0].map(\.character) == cells)
    }

    @Test func equalScreensNeedNoUpdate() {
        var screen = Screen(width: 10, height: 3)
        screen.put("hello", row: 1, column: 0, style: .strong)
        #expect(screen.update(from: screen, colors: .palette) == "")
    }

    @Test func onlyChangedRowsAreSent() {
        var before = Screen(width: 10, height: 3)
        before.put("one", row: 0, column: 0)
        var after = before
        after.put("two", row: 2, column: 0)
        let update = after.update(from: before, colors: .none)
        #expect(update.contains("two") && update.contains("\u{1b}[3;1H") && !update.contains("one"))
        #expect(after.update(from: nil, colors: .none).contains("one"))
    }

    @Test func noColorModeHasNoColorSequences() {
        var screen = Screen(width: 10, height: 1)
        screen.put("x", row: 0, column: 0, style: .critical)
        #expect(!screen.update(from: nil, colors: ColorMode(environment: ["NO_COLOR": "1"])).contains("38;"))
        #expect(screen.update(from: nil, colors: ColorMode(environment: [:])).contains("38;5;203"))
        #expect(
            screen.update(from: nil, colors: ColorMode(environment: ["COLORTERM": "truecolor"])).contains("38;2;237"))
        #expect(ColorMode(environment: ["NO_COLOR": ""]) == .palette)
    }

    @Test func pixelsHaveTheNearestColourOfTheTerminal() {
        let orange = CoverArt.Color(red: 250, green: 140, blue: 10)
        let dark = CoverArt.Color(red: 30, green: 33, blue: 31)
        let style = TextStyle.pixels(top: orange, bottom: dark)
        #expect(ColorMode.trueColor.sequence(for: style) == "\u{1b}[0;38;2;250;140;10;48;2;30;33;31m")
        #expect(ColorMode.palette.sequence(for: style) == "\u{1b}[0;38;5;208;48;5;234m")
        #expect(ColorMode.none.sequence(for: style) == "\u{1b}[0m")
    }

    @Test func themesChangeTheColours() {
        #expect(ColorMode.palette.sequence(for: .accent, theme: .terminal) == "\u{1b}[0;34m")
        #expect(ColorMode.palette.sequence(for: .accent, theme: .light) == "\u{1b}[0;38;5;25m")
        #expect(ColorMode.none.sequence(for: .accent, theme: .warm) == "\u{1b}[0m")
    }
}
