import Foundation
import MusicAssistantTestServer
import Testing

/// `descant ma watch` over the restarts of a server.
@Suite(.serialized, .timeLimit(.minutes(3))) struct WatchTests {
    @Test func listContinuesAfterServerRestart() async throws {
        try await Desk.with { desk in
            let watch = try desk.start("watch")
            #expect(await watch.read(to: "Kitchen: idle, volume 100\n") != nil)
            try await desk.server.perform("players/cmd/volume_set", ["player_id": "kitchen", "volume_level": 5])
            #expect(await watch.read(to: "Kitchen: idle, volume 5\n") != nil)
            try await desk.server.goAway()
            #expect(await watch.read(to: "Kitchen: waiting for the server\n") != nil)
            try await desk.server.perform("players/cmd/volume_set", ["player_id": "kitchen", "volume_level": 6])
            try await desk.server.comeBack()
            #expect(await watch.read(to: "Kitchen: idle, volume 6\n") != nil)
            try await desk.server.perform("players/cmd/volume_mute", ["player_id": "kitchen", "muted": true])
            #expect(await watch.read(to: "Kitchen: idle, volume 6, muted\n") != nil)
        }
    }

    @Test func eventsContinueAfterServerRestart() async throws {
        try await Desk.with { desk in
            try await desk.server.forgetCommands()
            let watch = try desk.start("watch", "--json", "--count", "2")
            try await desk.server.waitForCommand("player_queues/all")
            try await desk.server.perform("players/cmd/volume_set", ["player_id": "kitchen", "volume_level": 5])
            #expect(await watch.read(to: #""volume_level":5"#) != nil)
            try await desk.server.goAway(saying: nil)
            #expect(await watch.read(to: #""data":"lost""#) != nil)
            try await desk.server.comeBack()
            #expect(await watch.read(to: #""data":"back""#) != nil)
            try await desk.server.perform("players/cmd/volume_set", ["player_id": "kitchen", "volume_level": 6])
            #expect(await watch.read(to: #""volume_level":6"#) != nil)
        }
    }

    @Test func revokedTokenEndsWatch() async throws {
        try await Desk.with(isLoggedIn: false) { desk in
            #expect(try await desk.run("connect", desk.server.url, "--token", input: "test-token\n").status == 0)
            try await desk.server.forgetCommands()
            async let watched = desk.run("watch")
            try await desk.server.waitForCommand("player_queues/all")
            try await desk.server.revoke("test-token")
            let end = try await watched
            #expect(end.status == 1 && end.errors.contains("descant ma login"), "\(end.errors)")
        }
    }

    @Test func positionAdvancesOnATerminal() async throws {
        try await Desk.with { desk in
            #expect(try await desk.run("play", "library://track/3", "--on", "kitchen").status == 0)
            let program = Program.products.appendingPathComponent("descant-ma").path
            let watch = try RunningProgram(
                ["/usr/bin/script", "-qfec", "\(program) watch", "/dev/null"], home: desk.home,
                environment: ["TERM": "xterm"])
            let first = try #require(await watch.read(to: " / 4:00"))
            #expect(first.contains("Kitchen: playing, volume 100, The Lanterns - Pier"))
            let position = try #require(Self.position(first))
            var latest = position
            while latest < position + 2, let more = await watch.read(to: " / 4:00") {
                latest = Self.position(more) ?? latest
            }
            #expect(latest >= position + 2)
        }
    }

    @Test func wideCharactersFitTheTerminal() async throws {
        var scenario = Scenario()
        scenario.home = SimulatedHome(players: [SimulatedPlayer("one", String(repeating: "台", count: 60))])
        try await Desk.with(scenario) { desk in
            let program = Program.products.appendingPathComponent("descant-ma").path
            let watch = try RunningProgram(
                ["/usr/bin/script", "-qfec", "\(program) watch", "/dev/null"], home: desk.home,
                environment: ["TERM": "xterm"])
            let drawn = try #require(await watch.read(to: "\u{1b}[J"))
            // 80 columns, two for each character. Two drawings may arrive at once.
            let first = try #require(drawn.firstRange(of: "\u{1b}[J").map { drawn[..<$0.lowerBound] })
            #expect((30...39).contains(first.count { $0 == "台" }), "\(drawn)")
        }
    }

    /// The last position of a text such as `Pier  0:07 / 4:00`, in seconds.
    private static func position(_ text: String) -> Int? {
        guard let match = text.matches(of: /(\d+):(\d\d) \/ 4:00/).last else { return nil }
        return (Int(match.1) ?? 0) * 60 + (Int(match.2) ?? 0)
    }
}
