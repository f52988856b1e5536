import AudioMeasurement
import DescantTestSupport
import Foundation
import Glibc
import Testing

extension PlayingSuite {
    /// `descant play --resume`.
    @Suite struct TerminalResumeTests {
        private let shop: Workshop

        init() throws { shop = try Workshop() }

        private func player(_ arguments: [String]) throws -> TerminalProgram {
            try TerminalProgram(
                "descant", ["play", "--output", "null"] + arguments, width: 80, height: 24,
                environment: ["XDG_STATE_HOME": shop.path("state")])
        }

        private func files() throws -> [String] {
            try ["a", "b", "c"].map { try shop.tone("\($0).wav", seconds: 120, rate: 8_000, channels: 1) }
        }

        private var place: [String: Any]? {
            (try? Data(contentsOf: URL(fileURLWithPath: shop.path("state/descant/player/place.json"))))
                .flatMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] }
        }

        @Test func aKilledPlayerGoesOnWhereItWas() throws {
            let first = try player(try files())
            try first.wait("the view", until: shows("▶ playing"))
            // Another queue than the one that was named.
            first.type("jd")
            try first.wait("the removal", until: shows("1/2"))
            first.type("n--rxe")
            try first.wait("the next track") { shows("▶ c")($0) && shows("90%")($0) && shows("eq bass")($0) }
            let clock = ContinuousClock()
            let seekTime = clock.now
            first.type("4")
            try first.wait("the seek") { (shownPosition($0) ?? 0) >= 49 }
            let before = try #require(shownPosition(first.screen))
            first.signal(SIGKILL)
            #expect(try first.finish() == 128 + SIGKILL)

            let second = try player(["--resume"])
            try second.wait("the view", until: shows("▶ playing"))
            try second.wait("the same queue and modes") { screen in
                ["▶ c", "2/2", "90%", "repeat all · crossfade 2 s · eq bass"].allSatisfy { shows($0)(screen) }
            }
            // Until the first report of the position, its place is empty.
            try second.wait("the position") { (shownPosition($0) ?? 0) > 0 }
            let after = try #require(shownPosition(second.screen))
            // The screen shows whole seconds. The key led to 48 s, and the players have played on since then at most.
            let played = Int((clock.now - seekTime) / .seconds(1))
            #expect(after >= before - 1 && after <= 48 + played + 2, "\(before) s, then \(after) s")
            #expect(second.screen.text.contains { $0.hasPrefix("    a ") })
            #expect(!shows("  b ")(second.screen))
        }

        /// A tone whose frequency rises with the position tells where a player is, whatever its level.
        private enum Sweep {
            private static let (start, growth, rate) = (500.0, 100.0, 48_000.0)
            /// The frames from which the position is found.
            static let window = 4_800

            static func write(to url: URL, seconds: Double) throws {
                let samples = (0..<Int(seconds * rate)).map { frame in
                    let time = Double(frame) / rate
                    return Float(0.25 * sin(2 * Double.pi * (start + growth / 2 * time) * time))
                }
                try WaveFile.write(samples, sampleRate: Int(rate), channels: 1, format: .integer(bits: 16), to: url)
            }

            /// The position at the middle of a window, in seconds: as the median distance of its zero crossings says. A
            /// gap that a busy server leaves does not change that.
            static func position(_ window: ArraySlice<Float>) -> Double {
                let crossings = window.indices.dropFirst().filter { window[$0 - 1] < 0 && window[$0] >= 0 }.map {
                    Double($0) - Double(window[$0]) / Double(window[$0] - window[$0 - 1])
                }
                let distances = zip(crossings, crossings.dropFirst()).map { $1 - $0 }.sorted()
                guard !distances.isEmpty else { return -1 }
                return (rate / distances[distances.count / 2] - start) / growth
            }
        }

        /// Where the player is, is judged by what was heard before the kill and is heard afterwards.
        @Test(.timeLimit(.minutes(5)), arguments: [[], ["--headless"]])
        func aKilledPlayerGoesOnWithinASecondOfWhatWasHeard(view: [String]) async throws {
            let server = try PrivatePulseServer()
            let recording = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
            let track = shop.folder.appendingPathComponent("sweep.wav")
            try Sweep.write(to: track, seconds: 60)
            let environment = ["XDG_STATE_HOME": shop.path("state"), "PULSE_SERVER": server.address]
            func newest() -> [Float] { recording.newest(frames: 4_800) }
            func wait(_ what: String, until isReached: ([Float]) -> Bool) async throws {
                let end = recording.frameCount + 48_000 * 30
                while !isReached(newest()) {
                    guard recording.frameCount < end else { throw TerminalProgram.Failure(description: "no \(what)") }
                    try await recording.wait(frames: recording.frameCount + 2_400)
                }
            }
            /// Plays until so many frames were heard and the player is killed.
            ///
            /// - Returns: The positions at which the sound began and ended, in seconds.
            func play(_ arguments: [String], frames: Int) async throws -> (first: Double, last: Double) {
                let start = recording.frameCount
                let player = try TerminalProgram(
                    "descant", ["play"] + view + arguments, width: 80, height: 24, environment: environment)
                try await wait("sound") { $0.contains { abs($0) > 0.1 } }
                try await recording.wait(frames: recording.frameCount + frames)
                player.signal(SIGKILL)
                #expect(try player.finish() == 128 + SIGKILL)
                try await wait("silence") { $0.allSatisfy { $0 == 0 } }
                let heard = recording.newest(frames: recording.frameCount - start)
                let left = stride(from: 0, to: heard.count, by: 2).map { heard[$0] }
                let first = try #require(left.firstIndex { abs($0) > 0.1 })
                let final = try #require(left.lastIndex { abs($0) > 0.1 })
                try #require(final - first > Sweep.window)
                let half = Double(Sweep.window) / 2 / 48_000
                return (
                    Sweep.position(left[first..<first + Sweep.window]) - half,
                    Sweep.position(left[final - Sweep.window..<final]) + half
                )
            }
            var last = 5.0
            for round in 0..<4 {
                var (distance, told) = (Double.infinity, "")
                // A busy machine may write a place late, so each round tries several times.
                for _ in 0..<4 where distance >= 1 {
                    let arguments = round == 0 ? ["--start", "5", track.path] : ["--resume"]
                    let expected = round == 0 ? 5 : last
                    // In each round at another moment between two writes of the place.
                    let heard = try await play(arguments, frames: 96_000 + round * 9_600)
                    distance = abs(heard.first - expected)
                    told = "\(expected) s, then \(heard.first) s"
                    last = heard.last
                }
                #expect(distance < 1, "\(told)")
            }
        }

        @Test func thePlayerThatBeganFirstIsKept() async throws {
            let first = try player(try files())
            try first.wait("the view", until: shows("▶ playing"))
            first.type("n5")
            try first.wait("the middle") { (shownPosition($0) ?? 0) >= 60 && shows("▶ b")($0) }
            let other = try shop.tone("other.wav", seconds: 0.3, rate: 8_000, channels: 1)
            let environment = ["XDG_STATE_HOME": shop.path("state")]
            let result = try await Program.descant("play", "--output", "null", other, environment: environment)
            #expect(result.status == 0)
            let reason = "the place is not kept: another player, which began before, keeps its own"
            #expect(result.errors.components(separatedBy: reason).count == 2, "\(result.errors)")
            let queue = try String(contentsOfFile: shop.path("state/descant/player/queue.tsv"), encoding: .utf8)
            #expect(queue.contains("/b.wav") && !queue.contains("other"))
            // A player that plays on with the same queue says so, too.
            let copy = try player(["--resume"])
            try copy.wait("the reason") { shows("▶ b")($0) && shows("the place is not kept")($0) }
            copy.type("p")
            try copy.wait("the first track", until: shows("▶ a"))
            copy.type("q")
            #expect(try copy.finish() == 0)
            // The end of a killed player ends its claim.
            first.signal(SIGKILL)
            #expect(try first.finish() == 128 + SIGKILL)
            let second = try player(["--resume"])
            try second.wait("the place") { (shownPosition($0) ?? 0) >= 60 && shows("▶ b")($0) && shows("2/3")($0) }
            #expect(!shows("the place is not kept")(second.screen))
            second.type("n")
            try second.wait("the next track", until: shows("▶ c"))
            second.type("q")
            #expect(try second.finish() == 0)
            #expect(place?["index"] as? Int == 2)
        }

        @Test func whatTheCommandLineSaysIsNotAsItWas() throws {
            func modes() -> [String] {
                ["repeats", "isShuffled", "rate", "loudness"].map { place?[$0].map { "\($0)" } ?? "none" }
            }
            func play(_ arguments: [String]) throws {
                let player = try player(arguments)
                try player.wait("the view", until: shows("▶ playing"))
                player.type("q")
                #expect(try player.finish() == 0)
            }
            let modesOfAll = [
                "--repeat", "playlist", "--shuffle", "--rate", "1.5", "--replaygain", "track", "--eq", "voice",
            ]
            try play(modesOfAll + (try files()))
            let before = modes()
            #expect(before == ["playlist", "true", "1.5", "track"] || before == ["playlist", "1", "1.5", "track"])
            try play(["--resume"])
            #expect(modes() == before && place?["equalizer"] != nil)
            try play([
                "--resume", "--repeat", "off", "--no-shuffle", "--rate", "1", "--replaygain", "off", "--eq", "off",
            ])
            #expect(place != nil && place?["equalizer"] == nil)
            #expect(modes() == ["off", "false", "1", "off"] || modes() == ["off", "0", "1", "off"])
        }

        @Test func everythingThatWasSaidOfTheOrderAndTheJoinsIsAsItWas() throws {
            func play(_ arguments: [String]) throws {
                let player = try player(arguments)
                try player.wait("the view", until: shows("▶ playing"))
                player.type("q")
                #expect(try player.finish() == 0)
            }
            func hasAll() -> Bool {
                place?["gaplessAlbums"] as? Bool == true && place?["crossfade"] as? Double == 4
                    && place?["repeatCount"] as? Int == 2 && place?["preamp"] as? Double == -3
                    && place?["curve"] as? String == "linear"
            }
            let options = [
                "--gapless-albums", "--crossfade", "4", "--curve", "linear", "--repeat", "track", "--repeat-count", "2",
                "--replaygain", "track", "--preamp", "-3",
            ]
            try play(options + (try files()))
            #expect(hasAll())
            try play(["--resume"])
            #expect(hasAll())
            try play([
                "--resume", "--no-gapless-albums", "--curve", "equalPower", "--repeat", "playlist", "--preamp", "0",
            ])
            #expect(place?["gaplessAlbums"] as? Bool == false && place?["curve"] as? String == "equalPower")
            #expect(place?["preamp"] as? Double == 0 && place?["repeatCount"] == nil)
        }

        @Test func aShuffledQueueGoesOnInItsOrder() throws {
            func order() throws -> [Int] {
                let file = URL(fileURLWithPath: shop.path("state/descant/player/order.json"))
                return try JSONDecoder().decode([Int].self, from: try Data(contentsOf: file))
            }
            func play(_ arguments: [String]) throws {
                let player = try player(arguments)
                try player.wait("the view", until: shows("▶ playing"))
                player.type("q")
                #expect(try player.finish() == 0)
            }
            try play(["--shuffle"] + (0..<8).map { try shop.tone("\($0).wav", seconds: 120, rate: 8_000, channels: 1) })
            let before = try order()
            #expect(before.sorted() == Array(0..<8))
            try play(["--resume"])
            #expect(try order() == before)
            try play(["--resume", "--no-shuffle"])
            #expect(throws: (any Error).self) { try order() }
        }

        /// A full disk is told once, the music plays on, and what was stored before stays whole.
        @Test func aFullDiskKeepsTheOldPlace() throws {
            let first = try player(try files())
            try first.wait("the view", until: shows("▶ playing"))
            first.type("q")
            #expect(try first.finish() == 0)
            let folder = URL(fileURLWithPath: shop.path("state/descant/player"))
            let stored = try ["queue.tsv", "place.json"].map {
                try Data(contentsOf: folder.appendingPathComponent($0))
            }
            // A limit of the size stands for the end of the disk.
            let command = "trap '' XFSZ; ulimit -f 0; exec \"$@\""
            let program = Program.products.appendingPathComponent("descant").path
            let second = try TerminalProgram(
                "bash", ["-c", command, "bash", program, "play", "--output", "null", "--resume"], width: 120,
                height: 24,
                environment: ["XDG_STATE_HOME": shop.path("state")])
            try second.wait("the message", until: shows("the place is not kept"))
            second.type("n")
            try second.wait("the next track", until: shows("▶ b"))
            second.type("q")
            #expect(try second.finish() == 0)
            let kept = try ["queue.tsv", "place.json"].map { try Data(contentsOf: folder.appendingPathComponent($0)) }
            #expect(kept == stored)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
        }

        @Test func aDamagedFileIsSetAside() async throws {
            let first = try player(try files())
            try first.wait("the view", until: shows("▶ playing"))
            first.type("q")
            #expect(try first.finish() == 0)
            let folder = shop.path("state/descant/player")
            try Data("{\"index\":".utf8).write(to: URL(fileURLWithPath: folder + "/place.json"))
            let second = try player(["--resume"])
            try second.wait("the first track", until: shows("▶ a"))
            second.type("q")
            #expect(try second.finish() == 0)
            #expect(FileManager.default.fileExists(atPath: folder + "/place.json.damaged"))

            try Data("no queue".utf8).write(to: URL(fileURLWithPath: folder + "/queue.tsv"))
            let third = try await Program.descant(
                "play", "--output", "null", "--resume", environment: ["XDG_STATE_HOME": shop.path("state")])
            #expect(third.status == 66)
            #expect(
                third.errors.contains("queue.tsv is damaged; it was set aside as queue.tsv.damaged")
                    && third.errors.contains("nothing was played before"), "\(third.errors)")
        }

        @Test func afterTheEndItBeginsAtTheFirstTrack() async throws {
            let files = try ["a", "b"].map { try shop.tone("\($0).wav", seconds: 0.3, rate: 8_000, channels: 1) }
            let environment = ["XDG_STATE_HOME": shop.path("state")]
            let first = try await Program.run(
                "descant", ["play", "--output", "null"] + files, environment: environment)
            #expect(first.status == 0)
            #expect(place?["index"] as? Int == 0 && place?["position"] as? Double == 0)
            let second = try await Program.descant("play", "--output", "null", "--resume", environment: environment)
            #expect(second.status == 0 && second.errors.contains("1/2 a"), "\(second.errors)")
        }

        @Test func aTrackThatIsGoneIsLeftOutWithoutItsPosition() async throws {
            let files = try files()
            let first = try player(files)
            try first.wait("the view", until: shows("▶ playing"))
            first.type("n5")
            try first.wait("the middle") { (shownPosition($0) ?? 0) >= 60 && shows("▶ b")($0) }
            first.type("q")
            #expect(try first.finish() == 0)
            try FileManager.default.removeItem(atPath: files[1])
            let second = try player(["--resume"])
            try second.wait("the next track", until: shows("▶ c"))
            try second.wait("its beginning") { shownPosition($0).map { $0 < 30 } ?? false }
        }

        @Test func theQueueBeforeAFileGoesOn() async throws {
            let files = try ["a", "b", "c"].map { try shop.tone("\($0).wav", seconds: 0.3, rate: 8_000, channels: 1) }
            let environment = ["XDG_STATE_HOME": shop.path("state")]
            for arguments in [[files[0], files[1]], [files[2]]] {
                let played = try await Program.run(
                    "descant", ["play", "--output", "null"] + arguments, environment: environment)
                #expect(played.status == 0)
            }
            let before = try await Program.descant("play", "--output", "null", "--previous", environment: environment)
            #expect(before.status == 0 && before.errors.contains("1/2 a"), "\(before.errors)")
            #expect(try await Program.descant("play", "--previous", "a.wav", environment: environment).status == 2)
        }

        @Test func resumeNamesWhatItNeeds() async throws {
            let environment = ["XDG_STATE_HOME": shop.path("state")]
            let empty = try await Program.descant("play", "--resume", environment: environment)
            #expect(empty.status == 66 && empty.errors.contains("nothing was played before"))
            let both = try await Program.descant("play", "--resume", "a.wav", environment: environment)
            #expect(both.status == 2 && both.errors.contains("brings its own tracks"))
        }
    }
}
