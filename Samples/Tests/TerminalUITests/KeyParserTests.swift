import Testing

@testable import TerminalUI

struct KeyParserTests {
    @Test func oneReadMayContainManyKeys() {
        var parser = KeyParser()
        #expect(
            parser.keys(in: Array("n\u{1b}[C\u{1b}OD +é日\r".utf8))
                == [
                    .character("n"), .right, .left, .character(" "), .character("+"), .character("é"), .character("日"),
                    .enter,
                ])
    }

    @Test func keyMayArriveInTwoReads() {
        var parser = KeyParser()
        #expect(parser.keys(in: [0x1B, UInt8(ascii: "[")]) == [])
        #expect(parser.keys(in: [UInt8(ascii: "A"), 0xE6, 0x97]) == [.up])
        #expect(parser.keys(in: [0xA5]) == [.character("日")])
    }

    @Test func escapeAloneIsAKeyWhenNothingFollowsInTime() {
        var parser = KeyParser()
        #expect(parser.keys(in: [0x1B]) == [] && parser.isWaiting)
        #expect(parser.flush() == [.escape] && !parser.isWaiting)
        #expect(parser.keys(in: [0x1B]) == [])
        #expect(parser.keys(in: Array("[C".utf8)) == [.right] && !parser.isWaiting)
        #expect(parser.keys(in: [0x1B, 0x1B]) == [.escape])
        #expect(parser.flush() == [.escape] && parser.flush() == [])
    }

    @Test func altAndAKeyIsOneUnknownKey() {
        var parser = KeyParser()
        #expect(
            parser.keys(in: Array("\u{1b}q\u{1b}é\u{1b}\rn".utf8)) == [.unknown, .unknown, .unknown, .character("n")])
        #expect(parser.keys(in: Array("\u{1b}[".utf8)) == [])
        #expect(parser.flush() == [.unknown])
        #expect(parser.keys(in: Array("\u{1b}\u{1b}[Cn".utf8)) == [.escape, .right, .character("n")])
    }

    @Test func editingKeysAreKnown() {
        var parser = KeyParser()
        #expect(
            parser.keys(in: Array("\u{7f}\u{08}\u{1b}[3~\u{1b}[H\u{1b}OF".utf8))
                == [.backspace, .backspace, .delete, .home, .end])
    }

    @Test func invalidSequencesAreIgnored() {
        var parser = KeyParser()
        #expect(parser.keys(in: [0xFF, 0x01, UInt8(ascii: "q")]) == [.unknown, .unknown, .character("q")])
        #expect(parser.keys(in: Array("\u{1b}[1;5Cq".utf8)) == [.unknown, .character("q")])
    }

    @Test func boundKeysHaveIntents() {
        #expect(KeyBindings().intent(for: .character(" ")) == .togglePause)
        #expect(KeyBindings().intent(for: .left) == .seek(-5))
        #expect(KeyBindings().intent(for: .character("y")) == nil)
        #expect(KeyBindings().intent(for: .character("7")) == .seekToShare(0.7))
        #expect(KeyBindings().intent(for: .escape) == .dismiss)
        #expect(ReaderKeys.intent(for: .escape) == .dismiss)
        #expect(
            KeyBindings().intent(for: .unknown) == nil && KeyBindings().intent(for: .unknown, isTyping: true) == nil)
    }

    @Test func charactersAreTextWhileAPersonTypes() {
        #expect(KeyBindings().intent(for: .character("q"), isTyping: true) == .type("q"))
        #expect(KeyBindings().intent(for: .backspace, isTyping: true) == .erase)
        #expect(KeyBindings().intent(for: .enter, isTyping: true) == .accept)
        #expect(KeyBindings().intent(for: .escape, isTyping: true) == .dismiss)
        #expect(KeyBindings().intent(for: .down, isTyping: true) == .moveSelection(1))
    }
}
