import DescantTestSupport
import Foundation
import Glibc
import Synchronization
import Testing

extension PlayingSuite {
    @Suite struct PlayTests {
        private let shop: Workshop

        init() throws { shop = try Workshop() }

        // MARK: Without a terminal

        @Test func progressIsReportedAsLines() async throws {
            try shop.flac("2 second.flac", frequency: 880, seconds: 0.6)
            try shop.flac("10 third.flac", seconds: 0.4)
            for name in ["2 second.flac.wav", "10 third.flac.wav"] {
                try FileManager.default.removeItem(atPath: shop.path(name))
            }
            let result = try await Program.descant("play", "--output", "null", shop.folder.path)
            #expect(result.status == 0 && result.output.isEmpty)
            let lines = result.errors.split(separator: "\n").map(String.init)
            #expect(lines.contains { $0.hasPrefix("1/2 2 second (0:00, FLAC, 44.1 kHz, 16 bit, stereo)") }, "\(lines)")
            #expect(lines.contains { $0.hasPrefix("2/2 10 third") }, "\(lines)")
            #expect(lines.last == "finished")
            #expect(!result.errors.contains("\u{1b}"))
        }

        @Test func playlistsAreRead() async throws {
            try shop.flac("a.flac", seconds: 0.3)
            let list = try shop.file("list.m3u", "#EXTM3U\na.flac\nmissing.flac\n")
            let result = try await Program.descant("play", "--headless", "--output", "null", list)
            #expect(result.status == 0)
            #expect(result.errors.contains("1/2 a") && result.errors.contains("missing.flac"))
        }

        @Test(arguments: [[], ["--engine", "gstreamer"]]) func playlistsOnTheWebAreLoaded(options: [String])
            async throws
        {
            let files = try ["/a.flac", "/b.flac"].map {
                try Data(contentsOf: URL(fileURLWithPath: shop.flac(String($0.dropFirst()), seconds: 0.3)))
            }
            let server = try LoopbackWebServer { request in
                switch request.path {
                case "/station.pls": .redirect(to: "/lists/station.m3u")
                case "/lists/station.m3u":
                    WebAnswer(body: Data("#EXTINF:1,First\n../a.flac\nfile:///etc/passwd\n/b.flac\n".utf8))
                case "/a.flac": .file(files[0], for: request, type: "audio/flac")
                case "/b.flac": .file(files[1], for: request, type: "audio/flac")
                default: WebAnswer(status: 404)
                }
            }
            let result = try await Program.run(
                "descant",
                ["play", "--headless", "--output", "null"] + options + [server.url("/station.pls").absoluteString])
            #expect(result.status == 0, "\(result.errors)")
            let report = result.output + result.errors
            #expect(!report.contains("passwd"))
            if options.isEmpty {
                #expect(report.contains("1/2 First") && report.contains("2/2 b"), "\(report)")
            } else {
                #expect(report.contains("gstreamer: \(server.url("/a.flac").absoluteString)"), "\(report)")
                #expect(report.contains("gstreamer: \(server.url("/b.flac").absoluteString)"), "\(report)")
            }
            let missing = try await Program.run(
                "descant",
                ["play", "--headless", "--output", "null"] + options + [server.url("/gone.pls").absoluteString])
            #expect(missing.status == 66)
            #expect(
                missing.errors.contains("HTTP status 404") && missing.errors.contains("check the address"),
                "\(missing.errors)")
        }

        /// Tracks and playlists on the server of a playlist get its name and password, those on another one do not.
        @Test(arguments: [[], ["--engine", "gstreamer"]]) func thePasswordOfAPlaylistIsThatOfItsTracks(
            options: [String]
        ) async throws {
            let sound = try Data(contentsOf: URL(fileURLWithPath: shop.flac("a.flac", seconds: 0.3)))
            let port = Mutex(0)
            let server = try LoopbackWebServer { request in
                let isOpen = request.headers["host"]?.hasPrefix("localhost") == true
                let isKnown = request.headers["authorization"] == "Basic YW5uOnMtZWNyZXQ="
                guard isOpen || isKnown else {
                    return WebAnswer(status: 401, headers: ["WWW-Authenticate": "Basic realm=\"music\""])
                }
                return switch request.path {
                case "/list.m3u":
                    WebAnswer(
                        body: Data("a.flac\nmore/b.pls\nhttp://localhost:\(port.withLock { $0 })/c.flac\n".utf8))
                case "/more/b.pls": WebAnswer(body: Data("File1=b.flac\n".utf8))
                default: .file(sound, for: request, type: "audio/flac")
                }
            }
            port.withLock { $0 = server.port }
            let result = try await Program.run(
                "descant",
                ["play", "--headless", "--output", "null"] + options
                    + [server.url("/list.m3u", userInfo: "ann:s-ecret").absoluteString])
            #expect(result.status == 0, "\(result.errors)")
            #expect(!(result.output + result.errors).contains("s-ecret"))
            let answered = server.requests.filter { $0.headers["authorization"] != nil }
            #expect(Set(answered.map(\.path)).isSuperset(of: ["/list.m3u", "/a.flac", "/more/b.pls", "/more/b.flac"]))
            let others = server.requests.filter { $0.path == "/c.flac" }
            #expect(!others.isEmpty && others.allSatisfy { $0.headers["authorization"] == nil })
        }

        @Test func hiddenFilesAreLeftOut() async throws {
            try shop.tone("b.wav", seconds: 0.2)
            try shop.tone("._b.wav", seconds: 0.2)
            try FileManager.default.createDirectory(atPath: shop.path(".trash"), withIntermediateDirectories: true)
            try shop.tone(".trash/c.wav", seconds: 0.2)
            let result = try await Program.descant("play", "--output", "null", shop.folder.path)
            #expect(result.status == 0 && result.errors.contains("1/1 b "), "\(result.errors)")
            // A hidden folder that is named is meant.
            let named = try await Program.descant("play", "--output", "null", shop.path(".trash"))
            #expect(named.status == 0 && named.errors.contains("1/1 c "), "\(named.errors)")
        }

        @Test func aFolderMayBeALink() async throws {
            for name in ["a", "album/b"] {
                try FileManager.default.createDirectory(
                    atPath: shop.path("music/album"), withIntermediateDirectories: true)
                try shop.tone("music/\(name).wav", seconds: 0.2)
            }
            // A circle, which is not followed.
            try FileManager.default.createSymbolicLink(
                atPath: shop.path("music/album/up"), withDestinationPath: shop.path("music"))
            try FileManager.default.createSymbolicLink(
                atPath: shop.path("link"), withDestinationPath: shop.path("music"))
            let result = try await Program.descant("play", "--output", "null", shop.path("link"))
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.errors.contains("1/2 a ") && result.errors.contains("2/2 b "), "\(result.errors)")
        }

        @Test func gainsMayBeNegative() async throws {
            let file = try shop.tone("a.wav", seconds: 0.2)
            try FileManager.default.createDirectory(
                atPath: shop.path("config/descant"), withIntermediateDirectories: true)
            try shop.file("config/descant/config", "preamp = -3\n")
            let environment = ["XDG_CONFIG_HOME": shop.path("config")]
            for arguments in [[file], ["--preamp", "-6", file]] {
                let result = try await Program.run(
                    "descant", ["play", "--output", "null"] + arguments, environment: environment)
                #expect(result.status == 0, "\(result.errors)")
            }
        }

        @Test func nothingToPlayIs66() async throws {
            let missing = try await Program.descant(
                "play", "--output", "null", shop.path("a.flac"), shop.path("b.flac"))
            #expect(missing.status == 66)
            #expect(missing.errors.contains("a.flac") && missing.errors.contains("b.flac"))
            let empty = try await Program.descant("play", "--output", "null", shop.folder.path)
            #expect(empty.status == 66 && empty.errors.contains("no audio files"))
        }

        /// `descant play ~/Music/*`, with a folder of scans.
        @Test(arguments: [[], ["--engine", "gstreamer"]]) func whatHasNoTracksIsNamedAndLeftOut(options: [String])
            async throws
        {
            try FileManager.default.createDirectory(atPath: shop.path("scans"), withIntermediateDirectories: true)
            let list = try shop.file("empty.m3u", "#EXTM3U\n")
            let file = try shop.tone("a.wav", seconds: 0.2)
            let arguments = ["play", "--headless", "--output", "null"] + options + [shop.path("scans"), list]
            let result = try await Program.run("descant", arguments + [file])
            #expect(result.status == 0, "\(result.errors)")
            for reason in ["scans: there are no audio files", "empty.m3u: the playlist has no entries"] {
                #expect(result.errors.components(separatedBy: reason).count == 2, "\(result.errors)")
            }
            let report = result.output + result.errors
            #expect(report.contains(options.isEmpty ? "1/1 a " : "gstreamer: file://"), "\(report)")
            let none = try await Program.run("descant", arguments)
            #expect(none.status == 66 && none.errors.contains("no audio files"), "\(none.errors)")
        }

        /// `nohup descant play`, and the terminal is closed.
        @Test func nohupKeepsItPlaying() async throws {
            let file = try shop.tone("a.wav", seconds: 2, rate: 8_000, channels: 1)
            let program = Program.products.appendingPathComponent("descant").path
            let process = Program.make(
                "nohup", [program, "play", "--output", "null", file],
                environment: ["XDG_STATE_HOME": shop.path("state")])
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            let place = shop.path("state/descant/player/place.json")
            while !FileManager.default.fileExists(atPath: place), process.isRunning { await Task.yield() }
            kill(process.processIdentifier, SIGHUP)
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }

        @Test(arguments: [
            (["--sleep", "5", "--engine", "gstreamer", "a.flac"], "leave out --engine"),
            (["--sleep", "5", "--output", "out.wav", "a.flac"], "leave out --sleep"),
            (["--preamp", "-6", "--engine", "gstreamer", "a.flac"], "--preamp is for the built-in player"),
            (["--curve", "linear", "--engine", "gstreamer", "a.flac"], "--curve is for the built-in player"),
            (["--gapless-albums", "--engine", "gstreamer", "a.flac"], "--gapless-albums is for the built-in player"),
            (["--resume", "--output", "out.wav"], "leave out --output"),
            (["--overlay-delay", "3", "a.flac"], "add --overlay FILE"),
            (
                ["--overlay", "b.flac", "--overlay-volume", "1", "--overlay-volume", "0", "a.flac"],
                "add --overlay FILE"
            ),
        ])
        func whatWouldBeIgnoredIsRefused(arguments: [String], reason: String) async throws {
            let result = try await Program.run("descant", ["play"] + arguments, folder: shop.folder)
            #expect(result.status == 2 && result.errors.contains(reason), "\(result.errors)")
        }

        @Test(arguments: [
            [], ["--demo", "a.flac"], ["--output", "out.mp3", "a.flac"], ["--crossfade", "40", "a.flac"],
            ["--volume", "101", "a.flac"],
        ])
        func wrongUsageIs2(arguments: [String]) async throws {
            #expect(try await Program.run("descant", ["play"] + arguments).status == 2)
        }

        @Test func withoutASoundServerItSaysSo() async throws {
            let file = try shop.flac("a.flac", seconds: 0.3)
            let result = try await Program.descant("play", file)
            #expect(result.status == 1)
            #expect(result.errors.contains("sound server") && result.errors.contains("--output null"))
        }

        @Test func filesCanBeWritten() async throws {
            // The tone at 0.5 s has another phase than at its beginning.
            let first = try shop.flac("a.flac", frequency: 333.3, seconds: 3)
            let second = try shop.flac("b.flac", seconds: 3)
            struct Info: Decodable { let frames: Int }
            for name in ["out.flac", "out.wav"] {
                let result = try await Program.descant(
                    "play", "--crossfade", "1", "--start", "0.5", "--output", shop.path(name), first, second)
                #expect(result.status == 0, "\(result.errors)")
                let info = try await Program.descant("info", "--json", shop.path(name)).json(Info.self)
                #expect(info.frames == 198_450, "\(name): 2.5 s and 3 s that overlap by 1 s")
            }
            // The track begins at its position with a ramp of 10 ms, and is that of the file up to the crossfade. Samples that are
            // rounded get noise of one step.
            let sound = try shop.samples("out.wav")
            let source = Array(try shop.samples("a.flac.wav").dropFirst(44_100))
            try #require(sound.count == 2 * 198_450)
            let wrong = (0..<2 * 66_000).first { index in
                let gain = min(1, Float(index / 2) / 441)
                return abs(sound[index] - gain * source[index]) > 2.0 / 32_768
            }
            #expect(wrong == nil)
        }

        // MARK: On a terminal

        private func player(_ arguments: [String], environment: [String: String] = [:]) throws -> TerminalProgram {
            try TerminalProgram(
                "descant", ["play", "--output", "null"] + arguments, width: 80, height: 24, environment: environment)
        }

        @Test func theViewShowsThePlayerAndItsKeysWork() throws {
            let first = try shop.flac("a.flac", seconds: 60, tags: ["TITLE=Étude", "ARTIST=Übung"])
            let second = try shop.flac("b.flac", seconds: 60)
            let overlay = try shop.flac("rain.flac", seconds: 1)
            let player = try player(["--overlay", overlay, first, second])
            try player.wait("the track", until: shows("▶ Étude – Übung"))
            #expect(player.isRaw && player.screen.isAlternateScreen && player.screen.isCursorHidden)
            #expect(player.screen.usedColor)
            try player.wait("meters", until: shows("L ███"))
            try player.wait("the overlay", until: shows("overlay ▶ rain 30%"))
            try player.wait("the position") { (shownPosition($0) ?? 0) > 0 }
            player.type(" ")
            try player.wait("the pause", until: shows("⏸ paused"))
            // The position of a paused player changes by keys only.
            let before = try #require(shownPosition(player.screen))
            player.type("\u{1b}[C\u{1b}[C")
            try player.wait("the seek") { (shownPosition($0) ?? 0) >= before + 10 }
            player.type(" ")
            try player.wait("playing again", until: shows("▶ playing"))
            player.type("--")
            try player.wait("the volume", until: shows(" 90%"))
            player.type("o")
            try player.wait("the paused overlay", until: shows("overlay ⏸ rain"))
            player.type("?")
            try player.wait("the help", until: shows("next and previous track"))
            player.type("?n")
            try player.wait("the next track", until: shows("▶ b "))
            player.resize(width: 50, height: 10)
            try player.wait("the small view") { screen in screen.text.contains { $0.contains("vol") } }
            player.type("q")
            #expect(try player.finish() == 0)
            #expect(!player.isRaw && !player.screen.isAlternateScreen && !player.screen.isCursorHidden)
        }

        @Test func theViewNamesWhatWasLeftOut() throws {
            try FileManager.default.createDirectory(atPath: shop.path("scans"), withIntermediateDirectories: true)
            let file = try shop.tone("a.wav", seconds: 60, rate: 8_000, channels: 1)
            let player = try player([shop.path("scans"), file])
            try player.wait("the reason") { $0.isAlternateScreen && shows("this folder")($0) }
            player.type("q")
            #expect(try player.finish() == 0)
        }

        @Test(arguments: [SIGINT, SIGTERM])
        func signalsFadeOutAndRestoreTheTerminal(number: Int32) throws {
            let player = try player([try shop.flac("a.flac", seconds: 60)])
            try player.wait("the view") { $0.text.contains { $0.contains("playing") } }
            player.signal(number)
            #expect(try player.finish() == 128 + number)
            #expect(!player.isRaw && !player.screen.isAlternateScreen)
        }

        @Test func ctrlCEndsAnEngineOfTheController() throws {
            let player = try player(["--engine", "gstreamer", try shop.flac("a.flac", seconds: 60)])
            try player.wait("the track") { $0.text.contains { $0.contains("gstreamer: file://") } }
            player.signal(SIGINT)
            #expect(try player.finish() == 130)
        }

        @Test(arguments: [SIGABRT, SIGSEGV, SIGQUIT])
        func evenACrashRestoresTheTerminal(number: Int32) throws {
            let player = try player([try shop.flac("a.flac", seconds: 60)])
            try player.wait("the view") { $0.text.contains { $0.contains("playing") } }
            player.signal(number)
            #expect(try player.finish() == 128 + number)
            #expect(player.process.terminationReason == .uncaughtSignal)
            #expect(!player.isRaw && !player.screen.isAlternateScreen && !player.screen.isCursorHidden)
        }

        @Test func theTerminalIsRestoredAtTheNaturalEnd() throws {
            let player = try player(
                ["--quit-at-end", try shop.flac("a.flac", seconds: 0.5)], environment: ["NO_COLOR": "1"])
            #expect(try player.finish() == 0)
            #expect(!player.isRaw && !player.screen.isAlternateScreen && !player.screen.usedColor)
        }

        @Test func headlessLeavesTheTerminalAlone() throws {
            let player = try player(["--headless", try shop.flac("a.flac", seconds: 0.5)])
            #expect(try player.finish() == 0)
            #expect(player.screen.text.joined().isEmpty)
        }
    }
}
