import Foundation
import PlayerApp
import Testing

@testable import TerminalUI

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct KeyCommandsTests {
    private enum Command: AppIntent {
        case remove, mute, next, forward, beginLine, type(Character), quit

        var lane: IntentLane? {
            switch self {
            case .remove: .playlist
            case .mute: .volume
            case .forward: .moves
            default: nil
            }
        }

        var delayedLane: IntentLane? { self == .next ? .moves : nil }
        var voidsWaiting: Bool { self == .next }

        var listUse: ListUse {
            switch self {
            case .remove: .namesLine
            case .beginLine: .changesKeys
            case .type: .moves
            default: .none
            }
        }
    }

    /// A state whose commands take as long as a test wants.
    private final class SlowState: InteractiveState {
        typealias Update = Int

        var notices = NoticeLog()
        var isDone = false
        let updates = AsyncStream<Int> { $0.finish() }
        /// What was begun, and what was carried out.
        private(set) var begun: [Command] = []
        private(set) var ended: [Command] = []
        private(set) var isTyping = false
        /// The commands that go on only when the gate opens.
        var slow: Command?
        private let gate = AsyncStream<Void>.makeStream()

        func perform(_ intent: Command) async throws {
            begun.append(intent)
            if intent == .beginLine { isTyping = true }
            if intent == slow { for await _ in gate.stream { break } }
            ended.append(intent)
        }

        func apply(_ update: Int) {}

        /// Lets one slow command go on.
        func pass() { gate.continuation.yield() }

        func intent(for key: Key) -> Command? {
            guard case .character(let character) = key else { return nil }
            if isTyping { return .type(character) }
            switch character {
            case "d": return .remove
            case "m": return .mute
            case "n": return .next
            case "f": return .forward
            case "/": return .beginLine
            case "q": return .quit
            default: return nil
            }
        }
    }

    private let state = SlowState()

    private func press(_ keys: String, in commands: KeyCommands<SlowState>) -> Bool {
        keys.map { commands.press(.character($0)) }.contains(true)
    }

    private func wait(for ended: [Command]) async { while state.ended != ended { await Task.yield() } }

    @Test func noKeyWaitsForASlowTrack() async {
        state.slow = .next
        let commands = KeyCommands(state) { state.intent(for: $0) }
        #expect(!press("nmn", in: commands))
        #expect(state.begun == [.next, .mute, .next])
        #expect(press("q", in: commands))
        state.pass()
        state.pass()
        await wait(for: [.mute, .quit, .next, .next])
    }

    @Test func movesAreThoseOfTheTrackThatWasChosenBefore() async {
        state.slow = .next
        let commands = KeyCommands(state) { state.intent(for: $0) }
        #expect(!press("fnff", in: commands))
        #expect(state.ended == [.forward])
        state.pass()
        await wait(for: [.forward, .next, .forward, .forward])
    }

    @Test func movesThatWaitAreNotThoseOfTheNextTrack() async {
        state.slow = .forward
        let commands = KeyCommands(state) { state.intent(for: $0) }
        #expect(!press("fffn", in: commands))
        #expect(state.begun == [.forward, .next])
        state.pass()
        await wait(for: [.next, .forward])
        state.slow = nil
        #expect(!press("f", in: commands))
        await wait(for: [.next, .forward, .forward])
    }

    @Test func keysOfTheListWaitForItsChanges() async {
        state.slow = .remove
        let commands = KeyCommands(state) { state.intent(for: $0) }
        #expect(!press("ddm", in: commands))
        #expect(state.begun == [.remove, .mute])
        state.pass()
        state.pass()
        await wait(for: [.mute, .remove, .remove])
    }

    /// The keys behind the slash are text, although it waits.
    @Test func textWaitsForTheLineItBelongsTo() async {
        state.slow = .remove
        let commands = KeyCommands(state) { state.intent(for: $0) }
        #expect(!press("dd/mqx", in: commands))
        #expect(state.begun == [.remove])
        state.pass()
        // The second removal has its line, so the text need not wait for its end.
        let begun: [Command] = [.remove, .remove, .beginLine, .type("m"), .type("q"), .type("x")]
        while state.begun != begun { await Task.yield() }
        state.pass()
        #expect(!press("m", in: commands))
        #expect(state.begun == begun + [.type("m")])
    }

    @Test func quittingDoesNotWaitForHelp() async {
        let (removal, mayEnd) = AsyncStream<Void>.makeStream()
        let player = ScriptedUpdatePlayer([]) { for await _ in removal {} }
        let entries = ["a", "b", "c"].map { PlaylistEntry(url: URL(fileURLWithPath: "/m/\($0).flac")) }
        let state = AppState(player: player, entries: entries)
        let commands = KeyCommands(state) {
            KeyBindings().intent(for: $0, isTyping: state.prompt != nil, showsHelp: state.showsHelp)
        }
        #expect("dd?q".map { commands.press(.character($0)) } == [false, false, false, true])
        mayEnd.finish()
        while !state.showsHelp { await Task.yield() }
    }
}
