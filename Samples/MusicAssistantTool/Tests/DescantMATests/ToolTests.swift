import Foundation
import MusicAssistantTestServer
import Testing

/// The program as a real process against a real server.
@Suite(.serialized, .timeLimit(.minutes(3))) struct ToolTests {
    @Test func serverAndTokenAreStoredWithMode0600() async throws {
        try await Desk.with(isLoggedIn: false) { desk in
            let connected = try await desk.run("connect", desk.server.url)
            #expect(connected.status == 0 && connected.output.contains("descant ma login"))
            let early = try await desk.run("players")
            #expect(early.status == 1 && early.errors.contains("descant ma login"))
            let wrong = try await desk.run("login", "--user", "admin", input: "wrong\n")
            #expect(wrong.status == 1 && wrong.errors.contains("Invalid username or password"))
            let right = try await desk.run("login", "--user", "admin", input: "secret\n")
            #expect(right.status == 0 && right.output.contains("admin"))
            for name in ["music-assistant.json", "music-assistant-tokens.json"] {
                let mode = try FileManager.default.attributesOfItem(atPath: desk.file(name).path)[.posixPermissions]
                #expect((mode as? NSNumber)?.intValue == 0o600, "\(name)")
            }
            let tokens = try String(contentsOf: desk.file("music-assistant-tokens.json"), encoding: .utf8)
            #expect(tokens.contains("login-token") && !tokens.contains("secret"))
            #expect(!(right.output + right.errors + wrong.errors).contains("login-token"))
            #expect(try await desk.run("players").status == 0)
            let json = try await desk.run("login", "--user", "admin", "--json", input: "secret\n")
            #expect(json.status == 0 && JSON(text: json.output)?["user"] == "admin", "\(json)")
            #expect(!json.output.contains("login-token"))
        }
    }

    @Test func interruptedPasswordPromptRestoresTheTerminal() async throws {
        try await Desk.with(isLoggedIn: false) { desk in
            #expect(try await desk.run("connect", desk.server.url).status == 0)
            let program = Program.products.appendingPathComponent("descant-ma").path
            let input = Pipe()
            // The shell outlives the interrupt, and prints the setting as `echo` or `-echo`.
            let command = "stty echo; trap : INT; \(program) login --user admin; stty -a | grep -owe '-*echo'"
            // A test that runs in the background may ignore the signal, and its children would ignore it, too.
            let prompt = try RunningProgram(
                ["/usr/bin/env", "--default-signal=INT", "/usr/bin/script", "-qfec", command, "/dev/null"],
                home: desk.home, input: input)
            #expect(await prompt.read(to: "Password: ") != nil)
            // Ctrl-C.
            try input.fileHandleForWriting.write(contentsOf: Data([3]))
            let setting = try #require(await prompt.read(to: "echo"))
            #expect(!setting.contains("-echo"), "\(setting)")
        }
    }

    @Test func tokenIsReadFromStandardInput() async throws {
        try await Desk.with(isLoggedIn: false) { desk in
            #expect(try await desk.run("connect", desk.server.url, "--token", input: "test-token\n").status == 0)
            #expect(try await desk.run("players").output.contains("Kitchen"))
            try await desk.server.revoke("test-token")
            let revoked = try await desk.run("players")
            #expect(revoked.status == 1 && revoked.errors.contains("descant ma login"))
        }
    }

    @Test func connectWithoutTheTokenKeepsTheStoredOne() async throws {
        try await Desk.with { desk in
            let files = ["music-assistant.json", "music-assistant-tokens.json"]
            let before = try files.map { try Data(contentsOf: desk.file($0)) }
            for input in ["", "\n"] {
                let connected = try await desk.run("connect", desk.server.url, "--token", input: input)
                #expect(connected.status == 2 && connected.output.isEmpty, "\(connected)")
                #expect(connected.errors.contains("no token was given"), "\(connected)")
                #expect(try files.map { try Data(contentsOf: desk.file($0)) } == before)
            }
            #expect(try await desk.run("players").status == 0)
        }
    }

    /// A login goes to the remembered server.
    @Test func connectWithARevokedStoredTokenRemembersTheServerForALogin() async throws {
        let other = try await MusicAssistantTestServer.start()
        try await Desk.with(isLoggedIn: false) { desk in
            #expect(try await desk.run("connect", other.url, "--token", input: "test-token\n").status == 0)
            try await desk.logIn()
            try await other.revoke("test-token")
            let connected = try await desk.run("connect", other.url)
            #expect(connected.status == 0 && connected.output.contains("descant ma login"), "\(connected)")
            let tokens = try String(contentsOf: desk.file("music-assistant-tokens.json"), encoding: .utf8)
            #expect(!tokens.contains("test-token") && tokens.contains(":\(desk.server.port)"))
            #expect(try await desk.run("login", "--user", "admin", input: "secret\n").status == 0)
            try await other.forgetCommands()
            #expect(try await desk.run("players").status == 0)
            try await other.waitForCommand("players/all")
            // A token that is given with the command is not left out.
            let wrong = try await desk.run("connect", other.url, "--token", input: "test-token\n")
            #expect(wrong.status == 1, "\(wrong)")
        }
        try await other.stop()
    }

    @Test func listsAreTextOrJSON() async throws {
        try await Desk.with { desk in
            let players = try await desk.run("players")
            #expect(
                players.output.split(separator: "\n").count == 3 && players.output.contains("Porch  idle, volume 100"))
            let json = try await desk.run("players", "--json")
            #expect(JSON(text: json.output)?.array?.first?["player_id"]?.string != nil)
            let found = try await desk.run("search", "signal")
            #expect(
                found.output.contains("library://track/4") && found.output.contains("The Lanterns – Signal Lamp  3:21"))
            let none = try await desk.run("search", "zzz", "--json")
            #expect(JSON(text: none.output)?["tracks"] == [])
            #expect(try await desk.run("browse").output.contains("library://albums"))
            #expect(try await desk.run("browse", "library://albums").output.contains("Harbour Lights"))
            let raw = try await desk.run("raw", "players/get", #"{"player_id":"study"}"#)
            #expect(JSON(text: raw.output)?["name"] == "Study")
        }
    }

    @Test func playbackCommandsWork() async throws {
        try await Desk.with { desk in
            let played = try await desk.run("play", "library://album/2", "--on", "kitchen")
            #expect(played.status == 0 && played.output == "Kitchen: plays\n")
            // The player is remembered.
            let queue = try await desk.run("queue")
            #expect(queue.output.contains("Kitchen: playing  The Lanterns - Pier") && queue.output.contains("> 1"))
            #expect(try await desk.run("next", "--json").output.contains(#""done":"next""#))
            #expect(try await desk.run("queue").output.contains("> 2  The Lanterns - Signal Lamp"))
            for arguments in [["previous"], ["seek", "30"], ["seek", "+5"], ["pause"]] {
                #expect(try await Program.run(arguments, home: desk.home).status == 0)
            }
            let paused = try await desk.run("queue", "--json")
            #expect(JSON(text: paused.output)?["queue"]?["state"] == "paused")
            #expect((JSON(text: paused.output)?["queue"]?["elapsed_time"]?.double ?? 0) >= 35)
            for arguments in [
                ["resume"], ["volume", "33"], ["mute", "on"], ["power", "off"], ["group", "--add", "Study"], ["stop"],
            ] {
                let result = try await Program.run(arguments, home: desk.home)
                #expect(result.status == 0, "\(arguments): \(result.errors)")
            }
            let kitchen = try #require(try await desk.server.home.players.first { $0.id == "kitchen" })
            #expect(kitchen.volume == 33 && kitchen.isMuted && !kitchen.isPowered)
            #expect(kitchen.members == ["kitchen", "study"])
        }
    }

    @Test func watchShowsChanges() async throws {
        try await Desk.with { desk in
            // The login sent the same command, on a connection that may still be open.
            try await desk.server.forgetCommands()
            async let watched = desk.run("watch", "--json", "--count", "1")
            try await desk.server.waitForCommand("player_queues/all")
            try await desk.server.perform("players/cmd/volume_set", ["player_id": "kitchen", "volume_level": 5])
            let event = JSON(text: try await watched.output)
            #expect(event?["event"] == "player_updated" && event?["data"]?["volume_level"] == 5)
        }
    }

    @Test func errorsNameTheRemedy() async throws {
        try await Desk.with { desk in
            let unknown = try await desk.run("play", "library://track/999", "--on", "kitchen")
            #expect(unknown.status == 66 && unknown.errors.contains("descant ma search"))
            let nobody = try await desk.run("pause", "--on", "attic")
            #expect(nobody.status == 1 && nobody.errors.contains("Kitchen, Porch, Study"))
            #expect(try await desk.run("pause").errors.contains("--on PLAYER"))
            #expect(try await desk.run("volume", "200").status == 2)
            #expect(try await desk.run("raw", "info", "[]").status == 2)
            #expect(try await desk.run("frobnicate").status == 2)
            let broken = try await desk.run("connect", "ftp://x")
            #expect(broken.status == 1 && broken.errors.contains("ws://HOST:8095"))
            let help = try await desk.run("--help")
            #expect(help.status == 0 && help.output.contains("watch"))
            try await desk.server.goAway()
            let away = try await desk.run("players")
            #expect(away.status == 1 && away.errors.contains("no connection to the server"))
        }
    }

    @Test func variablesAreForOneCommand() async throws {
        let other = try await MusicAssistantTestServer.start()
        try await Desk.with { desk in
            let variables = ["DESCANT_MA_SERVER": other.url, "DESCANT_MA_TOKEN": "test-token"]
            func run(_ arguments: String...) async throws -> Int32 {
                try await Program.run(arguments, home: desk.home, environment: variables).status
            }
            #expect(try await run("play", "library://track/3", "--on", "study") == 0)
            try await desk.server.forgetCommands()
            #expect(try await desk.run("players").status == 0)
            try await desk.server.waitForCommand("players/all")
            #expect(try await desk.run("pause").errors.contains("--on PLAYER"))
            #expect(try await run("connect", other.url) == 0)
            let tokens = try String(contentsOf: desk.file("music-assistant-tokens.json"), encoding: .utf8)
            #expect(!tokens.contains("test-token"))
        }
        try await other.stop()
    }

    @Test func playerBelongsToItsServer() async throws {
        let other = try await MusicAssistantTestServer.start()
        try await Desk.with { desk in
            let connect = ["connect", other.url, "--token"]
            let changes: [(arguments: [String], input: String, variables: [String: String])] = [
                (connect, "test-token\n", [:]), (connect, "test-token\n", ["DESCANT_MA_PLAYER": "Porch"]),
                (["login", "--user", "admin"], "secret\n", ["DESCANT_MA_SERVER": other.url]),
            ]
            for change in changes {
                try await desk.logIn()
                #expect(try await desk.run("play", "library://track/3", "--on", "study").status == 0)
                let changed = try await Program.run(
                    change.arguments, home: desk.home, input: change.input, environment: change.variables)
                #expect(changed.status == 0, "\(change): \(changed.errors)")
                let stored = try String(contentsOf: desk.file("music-assistant.json"), encoding: .utf8)
                #expect(stored.contains(":\(other.port)") && !stored.contains("study"), "\(change): \(stored)")
                let unnamed = try await desk.run("pause")
                #expect(unnamed.errors.contains("--on PLAYER"), "\(change): \(unnamed.errors)")
            }
        }
        try await other.stop()
    }

    @Test func playerOfAVariableIsForOneCommand() async throws {
        try await Desk.with { desk in
            let variables = ["DESCANT_MA_PLAYER": "Study"]
            for arguments in [["play", "library://track/3"], ["connect", desk.server.url]] {
                let named = try await Program.run(arguments, home: desk.home, environment: variables)
                let unnamed = try await desk.run("pause")
                #expect(named.status == 0 && unnamed.errors.contains("--on PLAYER"), "\(arguments): \(unnamed.errors)")
            }
        }
    }

    @Test func impossibleNumbersAreWrongUsage() async throws {
        try await Desk.with { desk in
            for arguments in [
                ["playlists", "show", "Endless", "--limit=-1"], ["favorites", "--limit=-1"], ["recent", "--limit=0"],
                ["search", "x", "--limit=-1"], ["queue", "--limit=100001"], ["watch", "--count", "0"],
            ] {
                let result = try await Program.run(arguments, home: desk.home)
                #expect(result.status == 2, "\(arguments): \(result)")
            }
        }
    }

    @Test func commandWithoutServerPrintsTheRemedy() async throws {
        try await Desk.with(isLoggedIn: false) { desk in
            let result = try await desk.run("players")
            #expect(result.status == 1 && result.errors.contains("descant ma connect"))
        }
        var scenario = Scenario()
        scenario.isSetUp = false
        try await Desk.with(scenario, isLoggedIn: false) { desk in
            let result = try await desk.run("connect", desk.server.url)
            #expect(result.status == 1 && result.errors.contains("set up"))
        }
    }
}
