import PlayerApp
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

    /// Terminals put marks around a text that is pasted.
    @Test func aPastedTextIsNoKeys() {
        var parser = KeyParser()
        #expect(
            parser.keys(in: Array("n\u{1b}[200~q\u{7}é\rd\u{1b}[201~\u{1b}[C".utf8))
                == [.character("n"), .pasted("q"), .pasted("é"), .right])
        // It may come in many parts, and slowly.
        #expect(parser.keys(in: Array("\u{1b}[20".utf8)) == [])
        #expect(parser.keys(in: Array("0~a".utf8)) == [] && parser.isWaiting)
        #expect(parser.patience > KeyParser.timeLimit)
        #expect(parser.keys(in: Array("b\u{1b}[201".utf8)) == [])
        #expect(parser.keys(in: Array("~q".utf8)) == [.pasted("a"), .pasted("b"), .character("q")])
        for part in [Array("\u{1b}[200~".utf8)] + Array(repeating: Array(repeating: 0x61, count: 4_096), count: 40) {
            #expect(parser.keys(in: part) == [])
        }
        #expect(parser.keys(in: Array("\u{1b}[201~".utf8)).count > 30_000)
        // Where the end mark is lost, keys are keys again.
        #expect(parser.keys(in: Array("\u{1b}[200~ab".utf8)) == [] && parser.flush() == [.pasted("a"), .pasted("b")])
        #expect(!parser.isWaiting && parser.keys(in: Array("v".utf8)) == [.character("v")])
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

    @Test func ctrlZIsAKey() {
        var parser = KeyParser()
        #expect(parser.keys(in: Array("n\u{1a}q".utf8)) == [.character("n"), .suspend, .character("q")])
        for (isTyping, showsHelp) in [(false, false), (true, false), (false, true)] {
            #expect(KeyBindings().intent(for: .suspend, isTyping: isTyping, showsHelp: showsHelp) == nil)
        }
    }

    @Test func lettersWithCtrlAreKeys() {
        var parser = KeyParser()
        let bytes: [UInt8] = [0x02, 0x06, 0x19, UInt8(ascii: "b"), 0x08, 0x09, 0x0A, 0x0D]
        let keys: [Key] = [
            .control("b"), .control("f"), .control("y"), .character("b"), .backspace, .tab, .enter, .enter,
        ]
        #expect(parser.keys(in: bytes) == keys)
        #expect(KeyBindings.key(named: "ctrl-b") == .control("b") && KeyBindings.key(named: "ctrl-y") == .control("y"))
        for name in ["ctrl-c", "ctrl-z", "ctrl-i", "ctrl-B", "ctrl-", "ctrl-ab"] {
            #expect(KeyBindings.key(named: name) == nil, "\(name)")
        }
    }

    @Test func aPageIsWhatIsSeenOfTheList() {
        var keys = KeyBindings()
        for isTyping in [false, true] {
            #expect(keys.intent(for: .control("b"), isTyping: isTyping, page: 12) == .moveSelection(-12))
            #expect(keys.intent(for: .control("f"), isTyping: isTyping, page: 12) == .moveSelection(12))
        }
        keys.bind(.pageDown, to: .pageDown)
        #expect(keys.intent(for: .pageDown, page: 5) == .moveSelection(5))
        #expect(keys.label(.pageDown) == "PgDn" && keys.label(.pageUp) == "^B")
    }

    /// F1 to F5 there.
    @Test func functionKeysOfTheLinuxConsoleTypeNothing() {
        var parser = KeyParser()
        #expect(parser.keys(in: Array("\u{1b}[[A\u{1b}[[Eq".utf8)) == [.unknown, .unknown, .character("q")])
        let bytes = Array("\u{1b}[[B".utf8)
        for place in 1..<bytes.count {
            #expect(parser.keys(in: bytes[..<place]) == [] && parser.isWaiting, "\(place)")
            #expect(parser.keys(in: bytes[place...]) == [.unknown] && !parser.isWaiting, "\(place)")
        }
        // Alt and two brackets, with another key behind them or none.
        #expect(parser.keys(in: Array("\u{1b}[[\u{1b}[C".utf8)) == [.unknown, .right])
        #expect(parser.keys(in: Array("\u{1b}[[".utf8)) == [] && parser.flush() == [.unknown])
        #expect(parser.keys(in: Array("q".utf8)) == [.character("q")])
    }

    @Test func invalidSequencesAreIgnored() {
        var parser = KeyParser()
        #expect(parser.keys(in: [0xFF, 0x1C, UInt8(ascii: "q")]) == [.unknown, .unknown, .character("q")])
        #expect(parser.keys(in: Array("\u{1b}[1;5Cq".utf8)) == [.unknown, .character("q")])
    }

    private static let answers: [(String, TerminalAnswer)] = [
        ("\u{1b}P>|kitty(0.35.2)\u{1b}\\", .version("kitty(0.35.2)")),
        ("\u{1b}_Gi=56924;OK\u{1b}\\", .kittyPictures(true)),
        ("\u{1b}_Gi=56924;EINVAL:no q\u{1b}\\", .kittyPictures(false)),
        ("\u{1b}[?1;0;256S", .colorRegisters(256)),
        (
            "\u{1b}[?65;1;2;3;4;6;9;15;16;17;18;21;22;28;29c",
            .attributes([65, 1, 2, 3, 4, 6, 9, 15, 16, 17, 18, 21, 22, 28, 29])
        ),
    ]

    @Test(arguments: answers) func answersAreNoKeys(bytes: String, answer: TerminalAnswer) {
        var parser = KeyParser()
        #expect(parser.keys(in: Array("n\(bytes)q".utf8)) == [.character("n"), .answer(answer), .character("q")])
    }

    @Test(arguments: answers) func anAnswerMayComeInLatePartsWithoutTypingAnything(
        bytes: String, answer: TerminalAnswer
    ) {
        let bytes = Array(bytes.utf8)
        for place in 1..<bytes.count {
            var parser = KeyParser()
            parser.expectsAnswers = true
            var keys = parser.keys(in: bytes[..<place]) + parser.flush() + parser.keys(in: bytes[place...])
            #expect(keys.popLast() == .answer(answer), "\(place)")
            #expect(keys.allSatisfy { $0 == .unknown || $0 == .escape }, "\(place): \(keys)")
        }
        // Byte by byte, each too late for a key.
        var parser = KeyParser()
        parser.expectsAnswers = true
        var keys = bytes.flatMap { parser.keys(in: [$0]) + parser.flush() }
        #expect(keys.popLast() == .answer(answer) && keys.allSatisfy { $0 == .unknown || $0 == .escape }, "\(keys)")
    }

    @Test func keysBetweenAnswersAreKeys() {
        var parser = KeyParser()
        parser.expectsAnswers = true
        #expect(parser.keys(in: [0x1B]) == [] && parser.flush() == [.escape])
        #expect(parser.keys(in: Array("qc".utf8)) == [.character("q"), .character("c")])
        #expect(parser.keys(in: Array("\u{1b}_".utf8)) == [] && parser.flush() == [.unknown])
        #expect(parser.keys(in: Array("n".utf8)) == [.character("n")])
        // Alt and P, and a string that is cancelled.
        #expect(
            parser.keys(in: Array("\u{1b}Pn\u{1b}P>|x\rq".utf8)) == [
                .unknown, .character("n"), .unknown, .enter, .character("q"),
            ])
        #expect(parser.keys(in: Array("\u{1b}[?6c".utf8)) == [.answer(.attributes([6]))] && !parser.expectsAnswers)
        #expect(parser.keys(in: [0x1B]) == [] && parser.flush() == [.escape])
        #expect(parser.keys(in: Array("[".utf8)) == [.character("[")])
    }

    @Test func wrongAnswersAreIgnored() {
        var parser = KeyParser()
        for bytes in [
            "\u{1b}[6;0;0t", "\u{1b}[6;20t", "\u{1b}[6;99999;10t", "\u{1b}[?1;3;0S", "\u{1b}[?2;0;9S", "\u{1b}[6;2~",
        ] {
            #expect(parser.keys(in: Array(bytes.utf8)) == [.unknown], "\(bytes)")
        }
        let size = CellSize(width: 10, height: 20)
        #expect(parser.keys(in: Array("\u{1b}[6;20;10t".utf8)) == size.map { [.answer(.cellSize($0))] })
        // No terminator: not longer than anything waits for.
        #expect(parser.keys(in: Array("\u{1b}_G".utf8) + Array(repeating: 0x41, count: 300)) == [.unknown])
        #expect(parser.keys(in: Array("q".utf8)) == [.character("q")])
    }

    @Test func boundKeysHaveIntents() {
        #expect(KeyBindings().intent(for: .character(" ")) == .togglePause)
        #expect(KeyBindings().intent(for: .left) == .seek(-5))
        #expect(KeyBindings().intent(for: .character("y")) == nil)
        #expect(KeyBindings().intent(for: .character("i")) == .selectCurrent)
        #expect(KeyBindings().intent(for: .control("x")) == nil)
        #expect(KeyBindings().intent(for: .character("7")) == .seekToShare(0.7))
        #expect(KeyBindings().intent(for: .escape) == .dismiss)
        #expect(
            KeyBindings().intent(for: .unknown) == nil && KeyBindings().intent(for: .unknown, isTyping: true) == nil)
    }

    @Test func keysOfTheReaderMeanWhatThoseOfThePlayersDo() {
        #expect(ReaderKeys.intent(for: .escape) == .dismiss)
        #expect(ReaderKeys.intent(for: .character("m")) == .toggleMute)
        let keys: [(String, ReaderIntent)] = [
            ("[,s", .changeRate(-0.1)), ("].f", .changeRate(0.1)), ("+=", .changeVolume(0.05)),
            ("-_", .changeVolume(-0.05)), ("<", .move(.chapter, forward: false)), (">", .move(.chapter, forward: true)),
            ("p", .move(.sentence, forward: false)), ("n", .move(.sentence, forward: true)),
        ]
        for (characters, intent) in keys {
            for character in characters {
                #expect(ReaderKeys.intent(for: .character(character)) == intent, "\(character)")
            }
        }
        #expect(ReaderKeys.intent(for: .pageUp) == .move(.chapter, forward: false))
        #expect(ReaderKeys.intent(for: .pageDown) == .move(.chapter, forward: true))
    }

    @Test func charactersAreTextWhileAPersonTypes() {
        #expect(KeyBindings().intent(for: .character("q"), isTyping: true) == .type("q"))
        #expect(KeyBindings().intent(for: .backspace, isTyping: true) == .erase)
        #expect(KeyBindings().intent(for: .enter, isTyping: true) == .accept)
        #expect(KeyBindings().intent(for: .escape, isTyping: true) == .dismiss)
        #expect(KeyBindings().intent(for: .down, isTyping: true) == .moveSelection(1))
        #expect(KeyBindings().intent(for: .end, isTyping: true) == .moveSelection(.max))
        // Nobody sees what they would do to the playlist and the track.
        for key in [Key.delete, .left, .right, .pageUp, .pageDown] {
            #expect(KeyBindings().intent(for: key, isTyping: true) == nil, "\(key)")
        }
    }

    @Test func aKeyClosesHelpAndDoesNothingElse() {
        var keys = KeyBindings()
        keys.bind(.character("y"), to: .help)
        for key in [Key.character("d"), .character("5"), .delete, .enter, .right, .character("z"), .escape] {
            #expect(keys.intent(for: key, showsHelp: true) == .dismiss, "\(key)")
        }
        for key in [Key.character("?"), .character("y")] {
            #expect(keys.intent(for: key, showsHelp: true) == .toggleHelp)
        }
        #expect(keys.intent(for: .character("q"), showsHelp: true) == .quit)
        #expect(keys.intent(for: .unknown, showsHelp: true) == nil)
    }
}
