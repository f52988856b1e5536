import AudioMeasurement
import DescantTestSupport
import Foundation
import Glibc
import Testing

extension PlayingSuite {
    /// The terminal player while a server, a disk or the terminal itself does not answer.
    @Suite struct TerminalStallTests {
        private let shop: Workshop

        init() throws { shop = try Workshop() }

        private func tone() throws -> String { try shop.tone("a.wav", seconds: 120, rate: 8_000, channels: 1) }

        @Test func keysDoNotWaitForASlowServer() throws {
            let server = try LoopbackWebServer { _ in WebAnswer(ending: .silence) }
            let player = try TerminalProgram(
                "descant", ["play", "--output", "null", try tone(), server.url("/slow.wav").absoluteString],
                width: 80, height: 24)
            try player.wait("the view", until: shows("▶ playing"))
            player.type("n-")
            try player.wait("the volume", until: shows("95%"))
            // An address that does not answer is given up after some seconds.
            #expect(!shows("nothing more came")(player.screen))
            player.resize(width: 60, height: 20)
            try player.wait("the other size") { $0.isAlternateScreen && shows("95%")($0) }
            player.type(" ")
            try player.wait("the pause", until: shows("⏸ paused"))
            player.type("q")
            #expect(try player.finish() == 0)
            #expect(!player.isRaw && !player.screen.isAlternateScreen)
            #expect(!server.requests.isEmpty)
        }

        /// A player whose library is a script.
        ///
        /// - Parameter script: What answers a `$question`, which has a `$number`.
        private func player(withLibrary script: String) throws -> TerminalProgram {
            // A copy of the program finds the library beside itself.
            let program = Program.products.appendingPathComponent("descant")
            let copy = shop.folder.appendingPathComponent("descant")
            do {
                try FileManager.default.linkItem(at: program, to: copy)
            } catch {
                try FileManager.default.copyItem(at: program, to: copy)
            }
            let library = try shop.file(
                "descant-library",
                """
                #!/bin/sh
                while read -r question; do
                    number=$(printf '%s' "$question" | sed 's/.*"id":\\([0-9]*\\).*/\\1/')
                \(script)
                done
                """)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: library)
            return try TerminalProgram(
                copy.path, ["play", "--output", "null", try tone()], width: 80, height: 24,
                environment: ["LD_LIBRARY_PATH": Program.products.path, "HOME": shop.folder.path])
        }

        @Test func keysDoNotWaitForTheLibrary() throws {
            let player = try player(
                withLibrary: """
                    case $question in
                    *'"artists"'*) printf '{"id":%s,"artists":[{"name":"Field","albumCount":1}]}\\n' "$number" ;;
                    esac
                    """)
            try player.wait("the view", until: shows("▶ playing"))
            player.type("b")
            try player.wait("the artist", until: shows("  Field "))
            player.type("a")
            player.type("m")
            try player.wait("the next key", until: shows("muted"))
            try player.wait("the reason", until: shows("the library has not answered for 10 s"))
            player.type("q")
            #expect(try player.finish() == 0)
        }

        @Test func aScanOfTheLibraryIsShown() throws {
            let player = try player(
                withLibrary: """
                    scan() {
                        printf '{"scan":{"phase":"%s","folder":"%s/Music","path":"","done":%s,"total":1234}}\\n' "$1" "$HOME" "$2"
                    }
                    case $question in
                    *'"artists"'*)
                        if [ "$found" ]; then
                            printf '{"id":%s,"artists":[{"name":"Field","albumCount":1}]}\\n' "$number"
                        else
                            printf '{"id":%s,"artists":[]}\\n' "$number"
                        fi ;;
                    *'"add"'*) printf '{"id":%s}\\n' "$number"; scan searching 0 ;;
                    *'"genres"'*) printf '{"id":%s,"genres":[]}\\n' "$number"; found=1; scan reading 400 ;;
                    *'"tracks"'*) printf '{"id":%s,"tracks":[]}\\n' "$number" ;;
                    *'"folders"'*) printf '{"id":%s,"folders":[]}\\n' "$number" ;;
                    *'"albums"'*) printf '{"id":%s,"albums":[]}\\n' "$number"; scan finished 0 ;;
                    esac
                    """)
            try player.wait("the view", until: shows("▶ playing"))
            player.type("b")
            try player.wait("the hint", until: shows("the library is empty; A adds a folder"))
            player.type("A~/Music\r")
            try player.wait("the search") { shows("Scanning ~/Music: 1,234 files…")($0) && !shows("is empty")($0) }
            player.type("\t")
            try player.wait("no genres", until: shows("no track of the library names a genre"))
            player.type("\t\t\t\t")
            let progress = "Scanning ~/Music: 400 of 1,234 files…"
            try player.wait("the first of them") { shows("  Field ")($0) && shows(progress)($0) }
            player.type("\r")
            try player.wait("the end of the scan") { shows("nothing is left here")($0) && !shows("Scanning")($0) }
            player.type("q")
            #expect(try player.finish() == 0)
        }

        // MARK: The terminal

        /// A player whose screen changes with every drawing.
        private func noisyPlayer() throws -> TerminalProgram {
            var state: UInt64 = 1
            let samples = (0..<8_000 * 60).map { _ -> Float in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Float(Int32(truncatingIfNeeded: state >> 32)) / Float(Int32.max) * 0.3
            }
            let url = shop.folder.appendingPathComponent("noise.wav")
            try WaveFile.write(samples, sampleRate: 8_000, channels: 1, format: .integer(bits: 16), to: url)
            let player = try TerminalProgram(
                "descant", ["play", "--output", "null", url.path], width: 120, height: 40,
                environment: ["XDG_STATE_HOME": shop.path("state")])
            try player.wait("the view", until: shows("▶ playing"))
            player.type("f")
            return player
        }

        /// The position that the player has stored, in seconds.
        private var storedPosition: Double {
            let place = URL(fileURLWithPath: shop.path("state/descant/player/place.json"))
            let fields = (try? Data(contentsOf: place)).flatMap {
                try? JSONSerialization.jsonObject(with: $0) as? [String: Any]
            }
            return fields?["position"] as? Double ?? 0
        }

        @Test(arguments: [false, true])
        func aTerminalThatDoesNotReadHoldsNothingUp(refusesToWait: Bool) throws {
            let player = try noisyPlayer()
            if refusesToWait { player.refuseToWait() }
            try player.waitUnread("a full terminal") { player.isFull }
            let (before, writes) = (storedPosition, player.writeCount)
            var after = before
            try player.waitUnread("three more seconds") {
                after = max(after, storedPosition)
                return after > before + 3
            }
            // A player that tried again and again would use all of the processor's time.
            let count = player.writeCount - writes
            #expect(Double(count) < 3_300 * (max(after, storedPosition) - before))
            player.signal(SIGTERM)
            #expect(try player.finish(reads: false) == 128 + SIGTERM)
            #expect(!player.isRaw)
        }

        @Test func theScreenIsRightWhenTheTerminalReadsAgain() throws {
            let player = try noisyPlayer()
            try player.waitUnread("a full terminal") { player.isFull }
            player.type("--")
            let before = storedPosition
            try player.waitUnread("another second") { storedPosition > before + 1 }
            try player.wait("the volume", until: shows("90%"))
            player.resize(width: 60, height: 20)
            try player.wait("the other size") { shows("90%")($0) && $0.text.count == 20 }
            player.type("q")
            #expect(try player.finish() == 0)
            #expect(!player.isRaw && !player.screen.isAlternateScreen)
        }
    }
}
