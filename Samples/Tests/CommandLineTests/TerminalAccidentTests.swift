import Foundation
import Glibc
import Testing

extension PlayingSuite {
    /// The terminal player never ends or disturbs the shell by accident.
    @Suite struct TerminalAccidentTests {
        private let shop: Workshop

        init() throws { shop = try Workshop() }

        private func player(_ seconds: Double = 120, _ arguments: String...) throws -> TerminalProgram {
            let file = try shop.tone("a.wav", seconds: seconds, rate: 8_000, channels: 1)
            let player = try TerminalProgram(
                "descant", ["play", "--output", "null"] + arguments + [file], width: 80, height: 24)
            try player.wait("the view", until: shows("▶ a"))
            return player
        }

        // MARK: Keys

        @Test func escapeClosesWhatIsOpenAndNeverQuits() throws {
            let player = try player()
            player.type("?")
            try player.wait("the help", until: shows("next and previous track"))
            player.type("\u{1b}")
            try player.wait("the playlist", until: shows("▶ a"))
            player.type("/x")
            try player.wait("the search", until: shows("search: x"))
            player.type("\u{1b}")
            try player.wait("the playlist again", until: shows("▶ a"))
            // The first of two is an escape key with nothing to close; the second one belongs to Alt and m.
            player.type("\u{1b}\u{1b}m")
            player.type("m")
            try player.wait("the next key", until: shows("muted"))
        }

        @Test func anArrowKeyMayComeInTwoReads() throws {
            let player = try player()
            for _ in 0..<10 { try player.type(parts: ["\u{1b}", "[C"]) }
            // Each moves by 5 s. A test that was held up between the two parts may have lost some.
            try player.wait("the seeks") { screen in screen.text.contains { $0.contains(#/0:[2-5]\d .*●|1:\d\d .*●/#) }
            }
        }

        @Test func altAndAKeyIsNoCommand() throws {
            let player = try player()
            player.type("\u{1b}q\u{1b}Q")
            player.type("m")
            try player.wait("the next key", until: shows("muted"))
        }

        // MARK: The end of the playlist

        @Test func nextOnTheLastTrackPlaysOn() throws {
            let player = try player()
            player.type("n")
            try player.wait("the reason", until: shows("this is the last track"))
            player.type("m")
            try player.wait("the next key", until: shows("muted"))
            #expect(player.screen.text.contains { $0.contains("▶ playing") })
        }

        @Test func thePlayerStaysOpenAtTheEnd() throws {
            // Long, so that it does not end a second time before the last key on a busy machine.
            let player = try player(40)
            try player.wait("the length", until: shows("0:40"))
            player.type("9")
            try player.wait("the end", until: shows("the playlist has ended"))
            player.type(" ")
            try player.wait("the track again", until: shows("▶ playing"))
            player.type("q")
            #expect(try player.finish() == 0)
            #expect(!player.isRaw && !player.screen.isAlternateScreen)
        }

        @Test func thePlayerQuitsAtTheEndWhenAskedTo() throws {
            let player = try player(1, "--quit-at-end")
            #expect(try player.finish() == 0)
            #expect(!player.isRaw && !player.screen.isAlternateScreen)
        }

        // MARK: The shell

        private var program: String { Program.products.appendingPathComponent("descant").path }

        /// Waits until the player has left the terminal to the shell, with the status 0.
        private func waitForEnd(in shell: TerminalProgram) throws {
            try shell.wait("the shell again") { !$0.isAlternateScreen && shows("ready>")($0) }
            shell.type("echo \"sta\"\"tus $?\"\n")
            try shell.wait("the status", until: shows("status 0"))
        }

        @Test func theBackgroundIsLeftToTheShell() throws {
            let file = try shop.tone("a.wav", seconds: 2, rate: 8_000, channels: 1)
            let shell = try TerminalProgram.shell()
            shell.type("\(program) play --output null \(file) &\n")
            // Letters that would be commands of the player.
            shell.type("echo \"qn\"m\"q\"\n")
            try shell.wait("the shell's answer", until: shows("qnmq"))
            #expect(!shell.screen.usedAlternateScreen && !shell.screen.isCursorHidden)
            // In the background it ends with the playlist.
            // By its process: a job whose end the shell has reported has no job number any more.
            shell.type("wait $!; echo \"sta\"\"tus $?\"\n")
            try shell.wait("the end", until: shows("status 0"))
            #expect(!shell.screen.usedAlternateScreen)
        }

        /// Standard input is then another one.
        @Test(arguments: ["echo FILE | xargs PLAYER", "echo FILE | while read name; do PLAYER \"$name\"; done"])
        func keysComeFromTheTerminalWhateverStandardInputIs(command: String) throws {
            let file = try shop.tone("a.wav", seconds: 120, rate: 8_000, channels: 1)
            let shell = try TerminalProgram.shell()
            shell.type(
                command.replacingOccurrences(of: "FILE", with: file)
                    .replacingOccurrences(of: "PLAYER", with: "\(program) play --output null") + "\n")
            try shell.wait("the view", until: shows("▶ a"))
            shell.type("m")
            try shell.wait("the answer to a key", until: shows("muted"))
            shell.type("q")
            try waitForEnd(in: shell)
        }

        /// The script itself may read what is typed.
        @Test func whatAScriptStartsInTheBackgroundTakesNoKeys() throws {
            let file = try shop.tone("a.wav", seconds: 1, rate: 8_000, channels: 1)
            let shell = try TerminalProgram.shell()
            shell.type("sh -c '\(program) play --output null \(file) & wait'; echo \"sta\"\"tus $?\"\n")
            try shell.wait("the end", until: shows("status 0"))
            #expect(!shell.screen.usedAlternateScreen)
        }

        @Test func ctrlZAndBgAndFgWork() throws {
            let file = try shop.tone("a.wav", seconds: 120, rate: 8_000, channels: 1)
            let shell = try TerminalProgram.shell()
            shell.type("\(program) play --output null \(file)\n")
            try shell.wait("the view", until: shows("▶ a"))
            shell.type("\u{1a}")
            try shell.wait("the shell") { !$0.isAlternateScreen && !$0.isCursorHidden && shows("ready>")($0) }
            shell.type("bg\n")
            shell.type("echo \"qn\"m\"q\"\n")
            try shell.wait("the shell's answer", until: shows("qnmq"))
            shell.type("jobs -r | wc -l | tr 1 y\n")
            // Behind it may stand what the view had there: the emulator has one screen.
            try shell.wait("the running job") { $0.text.contains { $0.hasPrefix("y") } }
            #expect(!shell.screen.isAlternateScreen)
            shell.type("fg\n")
            try shell.wait("the view again") { $0.isAlternateScreen && shows("▶ playing")($0) }
            shell.type("q")
            // What is typed before the player has ended is the player's.
            try waitForEnd(in: shell)
        }

        /// The shell waits for the script, which waits for the player, as `make` does.
        @Test(arguments: ["sh -c 'PLAYER; :'", "sh -c 'sh -c \"PLAYER; :\"; :'"])
        func ctrlZLeavesTheTerminalAlsoInAScript(command: String) throws {
            let file = try shop.tone("a.wav", seconds: 120, rate: 8_000, channels: 1)
            let shell = try TerminalProgram.shell()
            let player = "\(program) play --output null \(file)"
            shell.type(command.replacingOccurrences(of: "PLAYER", with: player) + "\n")
            try shell.wait("the view", until: shows("▶ a"))
            shell.type("\u{1a}")
            try shell.wait("the shell") { !$0.isAlternateScreen && !$0.isCursorHidden && shows("ready>")($0) }
            #expect(!shell.screen.isMouseReported)
            shell.type("fg\n")
            try shell.wait("the view again") { $0.isAlternateScreen && shows("▶ playing")($0) }
            shell.type("m")
            try shell.wait("the answer to a key", until: shows("muted"))
            shell.type("q")
            try waitForEnd(in: shell)
        }

        /// A terminal window and `ssh` start programs and scripts without a shell that could continue them.
        @Test(arguments: [[], ["sh", "-c", "\"$@\"; exit $?", "sh"]] as [[String]])
        func ctrlZDoesNotStopWhatNobodyContinues(starter: [String]) throws {
            let file = try shop.tone("a.wav", seconds: 120, rate: 8_000, channels: 1)
            let terminal = try TerminalProgram(
                "setsid", ["--ctty", "--wait"] + starter + [program, "play", "--output", "null", file], width: 80,
                height: 24)
            try terminal.wait("the view", until: shows("▶ a"))
            terminal.type("\u{1a}")
            terminal.type("m")
            try terminal.wait("the answer to a key", until: shows("muted"))
            terminal.type("q")
            #expect(try terminal.finish() == 0)
        }

        /// A player that was started in the background has its view when the shell gives it the terminal.
        @Test func whatBeganInTheBackgroundComesToTheForeground() throws {
            let file = try shop.tone("a.wav", seconds: 120, rate: 8_000, channels: 1)
            let shell = try TerminalProgram.shell()
            shell.type("\(program) play --output null \(file) &\n")
            shell.type("echo \"qn\"m\"q\"\n")
            try shell.wait("the shell's answer", until: shows("qnmq"))
            #expect(!shell.screen.usedAlternateScreen)
            shell.type("fg\n")
            try shell.wait("the view") { $0.isAlternateScreen && shows("▶ a")($0) && shows("▶ playing")($0) }
            shell.type("q")
            try waitForEnd(in: shell)
        }

        @Test func ctrlBackslashRestoresTheTerminal() throws {
            let file = try shop.tone("a.wav", seconds: 120, rate: 8_000, channels: 1)
            let shell = try TerminalProgram.shell()
            shell.type("ulimit -c 0; \(program) play --output null \(file)\n")
            try shell.wait("the view", until: shows("▶ a"))
            shell.type("\u{1c}")
            // What is typed before the shell has the terminal may be lost.
            try shell.wait("the shell") { screen in
                !screen.isAlternateScreen && !screen.isCursorHidden
                    && screen.text.contains { $0.trimmingCharacters(in: .whitespaces) == "ready>" }
            }
            shell.type("echo \"sta\"\"tus $?\"\n")
            try shell.wait("the status", until: shows("status 131"))
        }
    }
}

/// Whether a screen shows a text.
func shows(_ text: String) -> (TerminalEmulator) -> Bool {
    { screen in screen.text.contains { $0.contains(text) } }
}

/// The position that a screen of the player shows, in seconds.
func shownPosition(_ screen: TerminalEmulator) -> Int? {
    screen.text.lazy.compactMap { $0.firstMatch(of: #/(\d+):(\d\d) [━─┼]*●/#) }.first
        .flatMap { match in Int(match.1).flatMap { minutes in Int(match.2).map { minutes * 60 + $0 } } }
}
