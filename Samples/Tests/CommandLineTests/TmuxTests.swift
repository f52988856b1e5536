import Foundation
import Glibc
import Testing

extension PlayingSuite {
    /// The terminal player in tmux, whose own screen says what a person sees.
    @Suite(.timeLimit(.minutes(5))) struct TmuxTests {
        private let shop: Workshop

        init() throws { shop = try Workshop() }

        /// Shells with job control. Of them dash leaves the terminal as a program has left it.
        private static let shells = ["bash --norc --noprofile -i", "dash -i", "zsh -f -i"]

        /// Starts a shell in tmux with the command line of a player on two tracks.
        ///
        /// - Parameters:
        ///   - shell: The shell.
        ///   - isInBackground: Whether the player begins in the background.
        private func tmux(
            _ shell: String = "bash --norc --noprofile -i", isInBackground: Bool = false
        ) async throws -> Tmux {
            let tmux = try Tmux(socket: shop.path("tmux"))
            try await tmux.start(width: 80, height: 24, "cd \(shop.folder.path); PS1='ready> ' exec \(shell)")
            try await tmux.wait("the prompt") { $0.shows("ready>") }
            try await tmux.type("stty -g > modes\n")
            for name in ["alder", "birch"] { try shop.tone("\(name).wav", seconds: 120, rate: 8_000, channels: 1) }
            let program = Program.products.appendingPathComponent("descant").path
            try await tmux.type("\(program) play --output null alder.wav birch.wav\(isInBackground ? " &" : "")\n")
            if !isInBackground { try await waitForView(tmux) }
            return tmux
        }

        private func waitForView(_ tmux: Tmux) async throws {
            try await tmux.wait("the view") { $0.shows("▶ alder") && $0.shows("▶ playing") && $0.isAlternate }
        }

        /// Waits for the shell, and checks that the terminal has the modes from before the player.
        private func checkShell(_ tmux: Tmux, status: Int) async throws {
            try await tmux.wait("the shell") { $0.shows("ready>") && !$0.isAlternate && $0.showsCursor }
            try await tmux.type("echo \"sta\"\"tus $?\"; stty -g | cmp - modes && echo \"sa\"\"me\"\n")
            try await tmux.wait("the status and the modes") { $0.shows("status \(status)\nsame") }
        }

        @Test(arguments: shells) func aPlayerInTheBackgroundComesToTheForeground(shell: String) async throws {
            let tmux = try await tmux(shell, isInBackground: true)
            // Letters that would be commands of the player.
            try await tmux.type("echo \"qn\"m\"q\"\n")
            try await tmux.wait("the shell's answer") { $0.shows("qnmq") && !$0.isAlternate && $0.showsCursor }
            try await tmux.type("jobs\n")
            try await tmux.wait("the job") { $0.shows(#/[Rr]unning/#) && !$0.isAlternate }
            try await tmux.type("fg\n")
            try await waitForView(tmux)
            try await tmux.press("m")
            try await tmux.wait("a key") { $0.shows("muted") }
            for _ in 1...2 {
                try await tmux.press("C-z")
                try await tmux.wait("the shell") {
                    $0.shows(#/Stopped|suspended/#) && !$0.isAlternate && $0.showsCursor
                }
                try await tmux.type("clear; stty -g | cmp - modes && echo \"sa\"\"me\"\n")
                try await tmux.wait("the modes") { $0.shows("same") }
                try await tmux.type("bg\nclear; jobs\n")
                try await tmux.wait("the running job") { $0.shows(#/[Rr]unning/#) && !$0.isAlternate }
                try await tmux.type("fg\n")
                try await waitForView(tmux)
            }
            try await tmux.press("n")
            try await tmux.wait("the next track") { $0.shows("▶ birch") && $0.shows("muted") }
            try await tmux.press("q")
            try await checkShell(tmux, status: 0)
        }

        @Test(arguments: shells, [(key: "C-\\", status: 131), ("C-c", 130), ("q", 0)])
        func everyEndRestoresTheTerminal(shell: String, end: (key: String, status: Int)) async throws {
            let tmux = try await tmux(shell)
            try await tmux.press(end.key)
            try await checkShell(tmux, status: end.status)
        }

        @Test func keysDoWhatTheySay() async throws {
            let tmux = try await tmux()
            try await tmux.press("?")
            try await tmux.wait("the help") { $0.shows("next and previous track") }
            try await tmux.press("Escape")
            try await tmux.wait("the playlist") { $0.shows("▶ alder") && !$0.shows("next and previous track") }
            // With Alt a key is no command.
            try await tmux.press("M-q", "M-Q", "m")
            try await tmux.wait("the key behind them") { $0.shows("muted") && $0.shows("▶ playing") }
            for _ in 0..<4 { try await tmux.press("Right") }
            try await tmux.wait("the seeks") { $0.text.contains(#/0:[2-5]\d .*●/#) }
            try await tmux.press("n")
            try await tmux.wait("the next track") { $0.shows("▶ birch") }
            try await tmux.press("n")
            try await tmux.wait("the last track that plays on") {
                $0.shows("this is the last track") && $0.shows("▶ playing")
            }
            try await tmux.resize(width: 40, height: 15)
            try await tmux.wait("the small view") { screen in
                screen.shows("▶ birch") && screen.text.split(separator: "\n").allSatisfy { $0.count <= 40 }
            }
            try await tmux.press("q")
            try await tmux.wait("the shell") { $0.shows("ready>") && !$0.isAlternate && $0.showsCursor }
            try await tmux.type("echo \"sta\"\"tus $?\"\n")
            try await tmux.wait("the status") { $0.shows("status 0") }
        }

        @Test func theShellTakesOverAndGivesBack() async throws {
            let tmux = try await tmux()
            try await tmux.press("C-z")
            try await tmux.wait("the shell") { $0.shows("Stopped") && !$0.isAlternate && $0.showsCursor }
            try await tmux.type("bg\necho \"qn\"m\"q\"\n")
            try await tmux.wait("the shell's answer") { $0.shows("qnmq") && !$0.isAlternate }
            try await tmux.type("fg\n")
            try await tmux.wait("the view again") { $0.isAlternate && $0.shows("▶ playing") }
            try await tmux.press("C-\\")
            try await checkShell(tmux, status: 131)
        }
    }
}

/// A tmux server with one window, without settings.
private final class Tmux {
    /// What the window shows.
    struct Screen {
        var text: String
        var isAlternate: Bool
        var showsCursor: Bool

        func shows(_ words: String) -> Bool { text.contains(words) }
        func shows(_ words: Regex<Substring>) -> Bool { text.contains(words) }
    }

    struct Failure: Error, CustomStringConvertible { let description: String }

    private let socket: String
    private let server: Process

    /// Starts the server. It is no daemon, which would keep what it inherits from a client open.
    init(socket: String) throws {
        self.socket = socket
        server = Program.make("tmux", ["-D", "-u", "-S", socket, "-f", "/dev/null"])
        server.standardOutput = FileHandle.nullDevice
        server.standardError = FileHandle.nullDevice
        try server.run()
    }

    /// Ends tmux and what runs in it.
    deinit {
        let end = Program.make("tmux", ["-N", "-S", socket, "kill-server"])
        end.standardOutput = FileHandle.nullDevice
        end.standardError = FileHandle.nullDevice
        try? end.run()
        end.waitUntilExit()
        // Tests block signals, and programs inherit that; this one cannot be blocked.
        if server.isRunning { kill(server.processIdentifier, SIGKILL) }
    }

    private func run(_ arguments: String...) async throws -> String {
        let answer = try await Program.run("tmux", ["-N", "-u", "-S", socket] + arguments)
        guard answer.status == 0 else { throw Failure(description: "tmux \(arguments): \(answer.errors)") }
        return answer.output
    }

    /// Opens the window.
    func start(width: Int, height: Int, _ command: String) async throws {
        while server.isRunning, (try? await run("list-sessions", "-F", "")) == nil {}
        _ = try await run("new-session", "-d", "-x", "\(width)", "-y", "\(height)", "ulimit -c 0; \(command)")
    }

    /// Types text, a line feed as the return key.
    func type(_ text: String) async throws {
        for line in text.split(separator: "\n") {
            _ = try await run("send-keys", "-l", String(line))
            try await press("Enter")
        }
    }

    /// Presses keys by tmux's names.
    func press(_ keys: String...) async throws { for key in keys { _ = try await run("send-keys", key) } }

    func resize(width: Int, height: Int) async throws {
        _ = try await run("resize-window", "-x", "\(width)", "-y", "\(height)")
    }

    /// Looks at the screen until it meets a condition.
    ///
    /// - Throws: ``Failure`` with the screen after a minute.
    func wait(_ what: String, until isDone: (Screen) -> Bool) async throws {
        let limit = ContinuousClock.now + .seconds(60)
        while true {
            let text = try await run("capture-pane", "-p")
            let flags = try await run("display-message", "-p", "#{alternate_on}#{cursor_flag}")
            let screen = Screen(
                text: text, isAlternate: flags.hasPrefix("1"), showsCursor: flags.dropFirst().hasPrefix("1"))
            if isDone(screen) { return }
            guard ContinuousClock.now < limit else {
                throw Failure(description: "\(what) never came:\n\(text)\(flags)")
            }
        }
    }
}
