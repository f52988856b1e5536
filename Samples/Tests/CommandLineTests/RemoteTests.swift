import DescantTestSupport
import DescantTesting
import Foundation
import Testing

extension PlayingSuite {
    /// `descant play` under `playerctl`, which is what a desktop's media keys call.
    @Suite struct RemoteTests {
        private let shop: Workshop
        private let bus: PrivateBus

        init() throws {
            shop = try Workshop()
            bus = try PrivateBus()
        }

        private var environment: [String: String] {
            ["DBUS_SESSION_BUS_ADDRESS": bus.address, "XDG_RUNTIME_DIR": shop.folder.path]
        }

        /// Starts the player on three tones.
        private func start(_ arguments: [String] = [], seconds: Double = 40) throws -> Process {
            let tones = try (1...3).map {
                try shop.tone("\($0).wav", seconds: seconds, rate: 8_000, channels: 1)
            }
            let process = Program.make(
                "descant", ["play", "--headless", "--output", "null"] + arguments + tones, environment: environment)
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            return process
        }

        @discardableResult
        private func playerctl(_ arguments: String...) async throws -> String {
            let result = try await Program.run("playerctl", arguments, environment: environment)
            return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
                + (result.status == 0 ? "" : " failed: \(result.errors)")
        }

        /// The names of the players on the bus, one a line.
        private func players() async throws -> String {
            let result = try await Program.run("playerctl", ["--list-all"], environment: environment)
            return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
        }

        @Test func whatAnotherProgramAddsCannotBeUndone() async throws {
            let files = try ["a", "b", "other"].map {
                try shop.tone("\($0).wav", seconds: 120, rate: 8_000, channels: 1)
            }
            let player = try TerminalProgram(
                "descant", ["play", "--output", "null", files[0], files[1]], width: 80, height: 24,
                environment: environment)
            try player.wait("the view") { shows("▶ playing")($0) && shows("1/2")($0) }
            player.type("J")
            try player.wait("the move", until: shows("2/2"))
            try await playerctl("--player", "descant", "open", "file://\(files[2])")
            try player.wait("the opened track", until: shows("▶ other"))
            player.type("u")
            try player.wait("the reason", until: shows("nothing to undo"))
        }

        @Test func tracksOfASheetHaveItsNames() async throws {
            try shop.tone("album.wav", seconds: 120, rate: 8_000, channels: 1)
            let sheet = try shop.file(
                "album.cue",
                """
                PERFORMER "The Band"
                TITLE "The Album"
                FILE "album.wav" WAVE
                  TRACK 01 AUDIO
                    TITLE "One"
                    PERFORMER "A Guest"
                    INDEX 01 00:00:00
                  TRACK 02 AUDIO
                    TITLE "Two"
                    INDEX 01 01:00:00
                """)
            let process = Program.make(
                "descant", ["play", "--headless", "--output", "null", sheet], environment: environment)
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            defer { process.terminate() }
            while try await playerctl("status") != "Playing", process.isRunning {}
            let names = ["metadata", "--format", "{{artist}} - {{album}} - {{title}}"]
            #expect(try await playerctl(names[0], names[1], names[2]) == "A Guest - The Album - One")
            #expect(try await playerctl("next") == "")
            #expect(try await playerctl(names[0], names[1], names[2]) == "The Band - The Album - Two")
        }

        @Test func everyCommandOfPlayerctlWorks() async throws {
            let process = try start()
            // Each question takes some milliseconds.
            while try await players() != "descant", process.isRunning {}
            while try await playerctl("status") != "Playing", process.isRunning {}
            #expect(try await playerctl("status") == "Playing")
            #expect(try await playerctl("pause") == "")
            #expect(try await playerctl("status") == "Paused")
            #expect(try await playerctl("play") == "")
            #expect(try await playerctl("status") == "Playing")
            #expect(try await playerctl("play-pause") == "")
            #expect(try await playerctl("status") == "Paused")
            #expect(try await playerctl("metadata", "xesam:title") == "1")
            #expect(try await playerctl("next") == "")
            #expect(try await playerctl("metadata", "--format", "{{title}} {{duration(mpris:length)}}") == "2 0:40")
            #expect(try await playerctl("previous") == "")
            #expect(try await playerctl("metadata", "xesam:title") == "1")
            #expect(try await playerctl("position", "10") == "")
            #expect(try await playerctl("position") == "10.000000")
            #expect(try await playerctl("position", "5+") == "")
            #expect(try await playerctl("position") == "15.000000")
            #expect(try await playerctl("position", "20-") == "")
            #expect(try await playerctl("position") == "0.000000")
            #expect(try await playerctl("volume", "0.5") == "")
            #expect(try await playerctl("volume") == "0.500000")
            for mode in ["Track", "Playlist", "None"] {
                #expect(try await playerctl("loop", mode) == "")
                #expect(try await playerctl("loop") == mode)
            }
            for mode in ["On", "Off"] {
                #expect(try await playerctl("shuffle", mode) == "")
                #expect(try await playerctl("shuffle") == mode)
            }
            #expect(try await playerctl("open", try shop.tone("4.wav", seconds: 40, rate: 8_000, channels: 1)) == "")
            #expect(try await playerctl("metadata", "xesam:title") == "4")
            #expect(try await playerctl("stop") == "")
            #expect(try await playerctl("status") == "Stopped")
            #expect(try await playerctl("play") == "")
            #expect(try await playerctl("status") == "Playing")
            try await quit()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            #expect(try await players() == "")
        }

        @Test func eachArtistIsPublished() async throws {
            let tags = [
                "ARTIST=Ann", "ARTIST=Ben, the younger", "ALBUMARTIST=Cea", "ALBUMARTIST=Dan", "GENRE=Rain",
                "GENRE=Tea",
            ]
            let file = try shop.flac("a.flac", seconds: 40, rate: 8_000, channels: 1, tags: tags)
            let process = Program.make(
                "descant", ["play", "--headless", "--output", "null", file], environment: environment)
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            defer { process.terminate() }
            while try await playerctl("status") != "Playing", process.isRunning {}
            // playerctl joins lists.
            let reply = try await Program.run(
                "dbus-send",
                [
                    "--session", "--print-reply=literal", "--dest=org.mpris.MediaPlayer2.descant",
                    "/org/mpris/MediaPlayer2",
                    "org.freedesktop.DBus.Properties.Get", "string:org.mpris.MediaPlayer2.Player", "string:Metadata",
                ], environment: environment)
            let words = reply.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            for list in [
                "artist variant array [ Ann Ben, the younger ]", "albumArtist variant array [ Cea Dan ]",
                "genre variant array [ Rain Tea ]",
            ] {
                #expect(words.contains("xesam:\(list)"), "\(words)")
            }
        }

        private func quit() async throws {
            try await Program.run(
                "dbus-send",
                [
                    "--bus=\(bus.address)", "--print-reply", "--dest=org.mpris.MediaPlayer2.descant",
                    "/org/mpris/MediaPlayer2", "org.mpris.MediaPlayer2.Quit",
                ])
        }

        @Test func whatTheCommandLineTakesCanBeOpened() async throws {
            let process = try start()
            defer { if process.isRunning { process.terminate() } }
            while try await playerctl("status") != "Playing", process.isRunning {}
            try FileManager.default.createDirectory(atPath: shop.path("more of it"), withIntermediateDirectories: true)
            for name in ["x", "y"] { try shop.tone("more of it/\(name).wav", seconds: 40, rate: 8_000, channels: 1) }
            #expect(try await playerctl("open", shop.path("more of it")) == "")
            #expect(try await playerctl("metadata", "xesam:title") == "x")
            #expect(try await playerctl("next") == "")
            #expect(try await playerctl("metadata", "xesam:title") == "y")
            try shop.tone("z.wav", seconds: 40, rate: 8_000, channels: 1)
            #expect(try await playerctl("open", try shop.file("list.m3u", "z.wav\n")) == "")
            #expect(try await playerctl("metadata", "xesam:title") == "z")
            let near = shop.path("z.wav")
            let far = try Data(contentsOf: URL(fileURLWithPath: shop.path("z.wav")))
            // What was in the playlist before is still there.
            #expect(try await playerctl("next") == "")
            #expect(try await playerctl("metadata", "xesam:title") == "2")
            try FileManager.default.createDirectory(atPath: shop.path("empty"), withIntermediateDirectories: true)
            #expect(try await playerctl("open", shop.path("empty")).contains("no audio files"))
            let server = try LoopbackWebServer { request in
                request.path == "/radio.pls"
                    ? WebAnswer(body: Data("File1=far.wav\nTitle1=Far\nFile2=file://\(near)\n".utf8))
                    : request.path == "/far.wav" ? .file(far, for: request) : WebAnswer(status: 404)
            }
            #expect(try await playerctl("open", server.url("/radio.pls").absoluteString) == "")
            #expect(try await playerctl("metadata", "xesam:title") == "Far")
            // The playlist on the web has opened no file of this computer.
            #expect(try await playerctl("next") == "")
            #expect(try await playerctl("metadata", "xesam:title") == "3")
            #expect(try await playerctl("open", server.url("/radio.m3u").absoluteString).contains("HTTP status 404"))
            // What is opened is played, also by a paused player.
            for opened in ["more of it", "more of it/x.wav"] {
                #expect(try await playerctl("pause") == "")
                #expect(try await playerctl("open", shop.path(opened)) == "")
                #expect(try await playerctl("status") == "Playing")
                #expect(try await playerctl("metadata", "xesam:title") == "x")
            }
        }

        /// A playlist that loads slowly is there when it has come, and does not sound when the player was paused meanwhile.
        @Test func aPauseWhileAPlaylistLoadsHolds() async throws {
            let process = try start()
            defer { if process.isRunning { process.terminate() } }
            while try await playerctl("status") != "Playing", process.isRunning {}
            let far = try Data(contentsOf: URL(fileURLWithPath: shop.tone("far.wav", seconds: 40, rate: 8_000)))
            var servers: [LoopbackWebServer] = []
            defer { for server in servers { server.stop() } }
            var isOpened = false
            // A server that is silent for some seconds is given up; when a busy machine needs them, it is asked again.
            for _ in 0..<5 where !isOpened {
                #expect(try await playerctl("play") == "")
                let gate = WebGate()
                let server = try LoopbackWebServer { request in
                    request.path == "/radio.pls"
                        ? WebAnswer(body: Data("File1=far.wav\nTitle1=Far\n".utf8), ending: .hold(after: 4, gate))
                        : .file(far, for: request)
                }
                servers.append(server)
                let opening = Program.make(
                    "playerctl", ["open", server.url("/radio.pls").absoluteString], environment: environment)
                try opening.run()
                while server.requests.isEmpty, opening.isRunning { await Task.yield() }
                #expect(try await playerctl("pause") == "")
                #expect(try await playerctl("status") == "Paused")
                gate.open()
                opening.waitUntilExit()
                isOpened = opening.terminationStatus == 0
            }
            try #require(isOpened)
            while try await playerctl("metadata", "xesam:title") != "Far", process.isRunning {}
            #expect(try await playerctl("status") == "Paused")
            #expect(try await playerctl("play") == "")
            #expect(try await playerctl("status") == "Playing")
            #expect(try await playerctl("metadata", "xesam:title") == "Far")
        }

        @Test func spaceStartsAgainAfterAStopFromAfar() async throws {
            let file = try shop.tone("a.wav", seconds: 120, rate: 8_000, channels: 1)
            let player = try TerminalProgram(
                "descant", ["play", "--output", "null", file], width: 80, height: 24, environment: environment)
            try player.wait("the view", until: shows("▶ playing"))
            while try await players() != "descant", player.process.isRunning {}
            for _ in 0..<2 {
                #expect(try await playerctl("stop") == "")
                try player.wait("the stop", until: shows("■ stopped"))
                player.type(" ")
                try player.wait("the track again", until: shows("▶ playing"))
            }
            #expect(try await playerctl("loop", "Playlist") == "")
            #expect(try await playerctl("shuffle", "On") == "")
            try player.wait("the modes", until: shows("repeat all · shuffle"))
        }

        @Test func aPlayerOnAChosenEngineIsCommanded() async throws {
            let process = try start(["--engine", "gstreamer"])
            defer { if process.isRunning { process.terminate() } }
            // Each question takes some milliseconds.
            while try await players() != "descant", process.isRunning {}
            while try await playerctl("status") != "Playing", process.isRunning {}
            #expect(try await playerctl("metadata", "--format", "{{title}} {{duration(mpris:length)}}") == "1 0:40")
            #expect(try await playerctl("play-pause") == "")
            #expect(try await playerctl("status") == "Paused")
            #expect(try await playerctl("position", "10") == "")
            #expect(try await playerctl("position") == "10.000000")
            #expect(try await playerctl("position", "5+") == "")
            #expect(try await playerctl("position") == "15.000000")
            #expect(try await playerctl("play-pause") == "")
            #expect(try await playerctl("status") == "Playing")
            #expect(try await playerctl("pause") == "")
            #expect(try await playerctl("status") == "Paused")
            #expect(try await playerctl("stop") == "")
            #expect(try await playerctl("status") == "Stopped")
            // The next input does not begin because this one was stopped.
            #expect(try await playerctl("play") == "")
            #expect(try await playerctl("status") == "Playing")
            #expect(try await playerctl("metadata", "xesam:title") == "1")
            #expect(try await playerctl("open", try shop.tone("4.wav", seconds: 40, rate: 8_000, channels: 1)) == "")
            #expect(try await playerctl("status") == "Playing")
            #expect(try await playerctl("metadata", "xesam:title") == "4")
            try FileManager.default.createDirectory(atPath: shop.path("more"), withIntermediateDirectories: true)
            try shop.tone("more/5.wav", seconds: 0.5, rate: 8_000, channels: 1)
            try shop.tone("more/6.wav", seconds: 40, rate: 8_000, channels: 1)
            #expect(try await playerctl("open", shop.path("more")) == "")
            // The second one of the folder follows by itself. Each question takes some milliseconds.
            while try await playerctl("metadata", "xesam:title") != "6", process.isRunning {}
            #expect(try await playerctl("status") == "Playing")
            try await quit()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            #expect(try await players() == "")
        }

        @Test func whatCannotBeOpenedEndsNoPlayerOnAnEngine() async throws {
            let process = try start(["--engine", "gstreamer"])
            defer { if process.isRunning { process.terminate() } }
            // Each question takes some milliseconds.
            while try await playerctl("status") != "Playing", process.isRunning {}
            let missing = try await playerctl("open", "file://\(shop.path("missing.flac"))")
            #expect(missing.contains("file not found") && missing.contains("missing.flac"))
            // What plays is not stopped for it.
            #expect(try await playerctl("status") == "Playing")
            #expect(try await playerctl("metadata", "xesam:title") == "1")
            let text = try await playerctl("open", try shop.file("text.flac", "This is a text.\n"))
            #expect(text.contains("text.flac"), "\(text)")
            // The next input follows.
            while try await playerctl("metadata", "xesam:title") != "2", process.isRunning {}
            while try await playerctl("status") != "Playing", process.isRunning {}
            #expect(try await playerctl("stop") == "")
            #expect(try await playerctl("status") == "Stopped")
            #expect(try await playerctl("play") == "")
            #expect(try await playerctl("metadata", "xesam:title") == "2")
            try await quit()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }

        @Test(arguments: [["--no-remote"], ["--no-remote", "--engine", "gstreamer"]])
        func noRemoteKeepsItOffTheBus(_ arguments: [String]) async throws {
            let process = try start(arguments, seconds: 0.5)
            while process.isRunning { #expect(try await players() == "") }
            #expect(process.terminationStatus == 0)
        }

        @Test func theDoctorTriesTheBus() async throws {
            let healthy = try await Program.descant("doctor", environment: environment)
            #expect(healthy.output.contains("answers at \(bus.address)"), "\(healthy.output)")
            bus.kill()
            let lost = try await Program.descant("doctor", environment: environment)
            #expect(lost.output.contains("media keys and playerctl will not reach the player"), "\(lost.output)")
        }
    }
}
