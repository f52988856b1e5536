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

    @Test func escapeAloneIsAKey() {
        var parser = KeyParser()
        #expect(parser.keys(in: [0x1B]) == [.escape])
    }

    @Test func invalidSequencesAreIgnored() {
        var parser = KeyParser()
        #expect(parser.keys(in: [0xFF, 0x01, UInt8(ascii: "q")]) == [.unknown, .unknown, .character("q")])
        #expect(parser.keys(in: Array("\u{1b}[1;5Cq".utf8)) == [.unknown, .character("q")])
    }

    @Test func boundKeysHaveIntents() {
        #expect(KeyBindings.intent(for: .character(" ")) == .togglePause)
        #expect(KeyBindings.intent(for: .left) == .seek(-5))
        #expect(KeyBindings.intent(for: .character("x")) == nil)
    }
}
