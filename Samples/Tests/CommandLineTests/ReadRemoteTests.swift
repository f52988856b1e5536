import DescantTestSupport
import DescantTesting
import Foundation
import Testing

extension PlayingSuite {
    /// `descant read` controlled by `playerctl`: media keys move by sentences.
    @Suite struct ReadRemoteTests {
        private let shop: Workshop
        private let bus: PrivateBus

        init() throws {
            shop = try Workshop()
            bus = try PrivateBus()
        }

        private var environment: [String: String] {
            ["DBUS_SESSION_BUS_ADDRESS": bus.address, "XDG_RUNTIME_DIR": shop.folder.path]
        }

        @discardableResult
        private func playerctl(_ arguments: String...) async throws -> String {
            let result = try await Program.run("playerctl", arguments, environment: environment)
            return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
                + (result.status == 0 ? "" : " failed: \(result.errors)")
        }

        /// The position, which comes a moment behind the title of where it is: the first one that fulfils a condition, or the last of
        /// many that do not.
        private func position(where isThere: (Double) -> Bool) async throws -> Double {
            var last = -1.0
            for _ in 1...200 where !isThere(last) { last = Double(try await playerctl("position")) ?? -1 }
            return last
        }

        /// The chapter and the sentence that are read.
        private func place() async throws -> String {
            try await playerctl("metadata", "--format", "{{album}}: {{title}}")
        }

        @Test func nextAndPreviousMoveBySentences() async throws {
            let book = try shop.file(
                "mill.md",
                "# One\n\n"
                    + (1...9).map { "Sentence \($0) runs past the mill and under seven stone bridges. " }.joined()
                    + "\n\n# Two\n\nThe end is near" + String(repeating: " and the mill is old", count: 12) + ".")
            let variables = try shop.bundles("FliteSpeech").merging(environment) { $1 }
                .merging(["XDG_STATE_HOME": shop.path("state")]) { $1 }
            let process = Program.make(
                "descant", ["read", "--headless", "--output", "null", "--rate", "0.5", book], environment: variables)
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            defer { if process.isRunning { process.terminate() } }
            // Each call takes some milliseconds.
            while try await playerctl("status") != "Playing", process.isRunning {}
            // A pause before the first sound would cancel the start.
            while try await (Double(playerctl("position")) ?? 0) < 0.1, process.isRunning {}
            #expect(try await playerctl("pause") == "")
            #expect(try await playerctl("status") == "Paused")
            // On a busy machine more of the text may have been heard.
            #expect(try await playerctl("position", "0") == "")
            #expect(try await place() == "One: One")
            #expect(try await playerctl("next") == "")
            #expect(try await playerctl("metadata", "xesam:title").hasPrefix("Sentence 1"))
            let first = try await position { $0 > 0 }
            #expect(try await playerctl("next") == "")
            #expect(
                try await playerctl("metadata", "xesam:title")
                    == "Sentence 2 runs past the mill and under seven stone bridges.")
            let second = try await position { $0 > first + 1 }
            #expect(second > 0)
            #expect(try await playerctl("next") == "")
            #expect(try await playerctl("metadata", "xesam:title").hasPrefix("Sentence 3"))
            let third = try await position { $0 > second + 1 }
            // The start of a sentence is an estimate that may change in between.
            #expect(third > second - 3, "\(second) \(third)")
            #expect(try await playerctl("previous") == "")
            #expect(try await playerctl("metadata", "xesam:title").hasPrefix("Sentence 2"))
            let again = try await position { abs($0 - second) < 3 }
            #expect(abs(again - second) < 3, "\(again) \(second)")
            #expect(try await (Int(playerctl("metadata", "mpris:length")) ?? 0) > 10_000_000)
            #expect(try await playerctl("position", "100000") == "")
            #expect(try await playerctl("metadata", "xesam:title").hasPrefix("Sentence 2"))
            for _ in 1...8 { try await playerctl("next") }
            #expect(try await place() == "Two: Two")
            try await playerctl("next")
            #expect(try await place().hasPrefix("Two: The end is near"))
            // A stop keeps the position, within a sentence that a busy machine does not outlast.
            #expect(try await playerctl("stop") == "")
            #expect(try await playerctl("status") == "Stopped")
            #expect(try await playerctl("play") == "")
            #expect(try await playerctl("status") == "Playing")
            #expect(try await place().hasPrefix("Two: The end is near"))
            process.terminate()
            process.waitUntilExit()
            #expect(process.shellStatus == 128 + SIGTERM)
        }

        @Test func volumeLoopAndTogglesAreAccepted() async throws {
            let book = try shop.file("short.txt", "First comes this. Then comes that.")
            let variables = try shop.bundles("FliteSpeech").merging(environment) { $1 }
                .merging(["XDG_STATE_HOME": shop.path("state")]) { $1 }
            let process = Program.make(
                "descant", ["read", "--headless", "--output", "null", book], environment: variables)
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            defer { if process.isRunning { process.terminate() } }
            // A text that is read again and again does not end before the commands do.
            while try await playerctl("loop", "Track") != "", process.isRunning {}
            #expect(try await playerctl("loop") == "Track")
            #expect(try await playerctl("volume", "0.25") == "")
            #expect(try await playerctl("volume") == "0.250000")
            // A text cannot be shuffled.
            #expect(try await playerctl("shuffle").contains("failed"))
            while try await playerctl("status") != "Playing", process.isRunning {}
            func wait(forTitle title: String) async throws {
                while try await !playerctl("metadata", "xesam:title").hasPrefix(title), process.isRunning {}
                try #require(process.isRunning, "\(title) never came")
            }
            for _ in 1...2 {
                try await wait(forTitle: "Then")
                try await wait(forTitle: "First")
            }
            // Behind the end a paused text is paused at its beginning.
            #expect(try await playerctl("pause") == "")
            #expect(try await playerctl("position", "1000+") == "")
            for _ in 1...20 { #expect(try await playerctl("status") != "Playing") }
            var status = ""
            for _ in 1...200 where status != "Paused" { status = try await playerctl("status") }
            #expect(status == "Paused")
            #expect(try await Double(playerctl("position")) == 0)
            #expect(try await playerctl("stop") == "")
            #expect(try await playerctl("status") == "Stopped")
            #expect(try await playerctl("play-pause") == "")
            #expect(try await playerctl("status") == "Playing")
            #expect(try await playerctl("volume") == "0.250000", "the volume stays")
            #expect(try await playerctl("loop", "None") == "")
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }
    }
}
