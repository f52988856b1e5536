import Foundation
import Testing

extension RenderingSuite {
    /// The programs of `Samples/Hosts`, which use what the guides show and nothing else. Each ends on failure, too.
    @Suite(.timeLimit(.minutes(2))) struct HostTests {
        private static let silent = ["OUTPUT": "null"]
        private let shop: Workshop

        init() throws { shop = try Workshop() }

        private func run(
            _ host: String, _ arguments: String..., environment: [String: String] = [:]
        ) async throws -> Program {
            try await Program.run(host, arguments, environment: Self.silent.merging(environment) { $1 })
        }

        @Test func oneFileIsPlayedToItsEnd() async throws {
            let result = try await run("OneFile", try shop.tone("a.wav", seconds: 0.3))
            #expect(result.status == 0 && result.output == "finished\n", "\(result.errors)")
        }

        @Test func meditationCrossfadesUntilTheTimerEnds() async throws {
            // The second track fades in after 2 s, and is heard until the timer ends.
            let files = try [("rain", 1.0), ("gong", 0.3), ("a", 3), ("b", 30)].map { name, seconds in
                try shop.tone("\(name).wav", seconds: seconds)
            }
            let result = try await run("Meditation", "8", files[0], files[1], files[2], files[3])
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output == "track: a\ntrack: b\nfinished\n")
        }

        @Test func tagEditorClearsFields() async throws {
            let file = try shop.flac("a.flac", seconds: 0.2, tags: ["TITLE=old", "COMMENT=gone", "ALBUM=kept"])
            let result = try await run("TagEditor", file, "title=Rain", "comment=")
            #expect(result.status == 0 && result.output == "title: Rain\nalbum: kept\ncomment: -\n", "\(result.errors)")
        }

        @Test func wordsAreHighlighted() async throws {
            let text = try shop.file("text.txt", "One two.\nThree.\n")
            let result = try await run("Highlight", text, "flite", environment: shop.bundles("FliteSpeech"))
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output == "[One] two.\nThree.\nOne [two].\nThree.\nOne two.\n[Three].\n")
        }

        @Test func anotherEngineTakesOver() async throws {
            let text = try shop.file("text.txt", "One two three four. Five six seven eight.")
            let bundles = try shop.bundles("FliteSpeech", "EspeakSpeech")
            let result = try await run("HandOver", text, "flite", "espeak", environment: bundles)
            #expect(result.status == 0, "\(result.errors)")
            let lines = result.output.split(separator: "\n").map(String.init)
            #expect(lines.prefix(5) == ["flite: One", "flite: two", "flite: three", "flite: four", "flite: Five"])
            #expect(lines.suffix(4) == ["espeak: six", "espeak: seven", "espeak: eight", "finished"])
        }

        /// What a program calls, and every type and case that it names, is in a guide.
        @Test(arguments: ["OneFile", "Meditation", "TagEditor", "Highlight", "HandOver"])
        func guidesShowEveryCall(_ host: String) throws {
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
            let guides = root.appendingPathComponent("Sources/Descant/Descant.docc")
            var shown: Set<Substring> = ["cancel"]  // Of Swift's tasks.
            for name in try FileManager.default.contentsOfDirectory(atPath: guides.path) where name.hasSuffix(".md") {
                let text = try String(contentsOf: guides.appendingPathComponent(name), encoding: .utf8)
                shown.formUnion(text.matches(of: /\w+/).map(\.output))
            }
            let program = root.appendingPathComponent("Samples/Hosts/\(host)/main.swift")
            let text = try String(contentsOf: program, encoding: .utf8)
            let names = text.matches(of: /\.([a-z]\w*)|\b([A-Z]\w*)\(/).compactMap { $0.output.1 ?? $0.output.2 }
            #expect(names.count > 10)
            #expect(Set(names).subtracting(shown).isEmpty, "\(host)")
        }

        @Test(arguments: [
            ["OneFile", "missing.wav"], ["Meditation", "2", "missing.wav", "missing.wav", "missing.wav"],
            ["TagEditor", "missing.flac", "title=a"], ["Highlight", "missing.txt", "flite"],
            ["HandOver", "missing.txt", "flite", "espeak"],
        ])
        func aMissingFileIsAnError(_ words: [String]) async throws {
            let result = try await Program.run(
                words[0], Array(words.dropFirst()), environment: Self.silent, folder: shop.folder)
            #expect(result.status == 1 && result.errors.contains("missing"), "\(result.status) \(result.errors)")
        }

        // MARK: Failures while something sounds

        @Test func aFileThatFailsInTheMiddleIsAnError() async throws {
            let file = try shop.flac("a.flac", seconds: 1)
            let data = try Data(contentsOf: URL(fileURLWithPath: file))
            try data.dropLast(1_000).write(to: URL(fileURLWithPath: file))
            let result = try await run("OneFile", file, environment: shop.bundles("FLACDecoder"))
            #expect(result.status == 1 && result.output.isEmpty && result.errors.contains("truncated"), "\(result)")
        }

        @Test func musicThatDisappearsIsAnError() async throws {
            let files = try [("rain", 1.0), ("gong", 0.3), ("a", 1), ("b", 1)].map { name, seconds in
                try shop.tone("\(name).wav", seconds: seconds)
            }
            let result = try await run("Meditation", ["600"] + files, atEachLine: "rm -f a.wav b.wav", environment: [:])
            #expect(result.status == 1 && result.output.hasPrefix("track: a\n"), "\(result)")
            #expect(!result.output.contains("finished") && result.errors.contains("wav"), "\(result)")
        }

        /// The helpers of the voice die at the first word, and its bundle is gone.
        @Test(arguments: [["Highlight", "espeak"], ["HandOver", "espeak", "flite"]])
        func aVoiceThatDiesIsAnError(_ words: [String]) async throws {
            // Sentences that are alike would be spoken from the cache.
            let text = try shop.file("text.txt", (1...40).map { "Apple river stone \($0)." }.joined(separator: " "))
            let shelf = shop.folder.appendingPathComponent("shelf")
            try FileManager.default.createDirectory(at: shelf, withIntermediateDirectories: true)
            for name in ["EspeakSpeech.descantplugin", "FliteSpeech.descantplugin"] {
                try FileManager.default.copyItem(
                    at: Bundles.folder().appendingPathComponent(name), to: shelf.appendingPathComponent(name))
            }
            let kill = """
                bundle=$PWD/shelf/EspeakSpeech.descantplugin
                mv "$bundle" away 2>/dev/null
                for file in $(grep -lszFx "$bundle" /proc/[0-9]*/cmdline); do
                    process=${file%/cmdline}
                    kill -9 "${process#/proc/}" 2>/dev/null
                done
                """
            let result = try await run(
                words[0], [text] + words.dropFirst(), atEachLine: kill,
                environment: ["DESCANT_PLUGIN_PATH": shelf.path])
            #expect(result.status == 1 && !result.output.isEmpty && result.errors.contains("espeak"), "\(result)")
        }

        /// Runs a host, and a command of the shell at each line that it prints.
        private func run(
            _ host: String, _ arguments: [String], atEachLine command: String, environment: [String: String]
        ) async throws -> Program {
            let program = Program.products.appendingPathComponent(host).path
            let script = """
                stdbuf -oL "$@" | while read -r line; do
                    echo "$line"
                    \(command)
                done
                exit ${PIPESTATUS[0]}
                """
            return try await Program.run(
                "bash", ["-c", script, "bash", program] + arguments,
                environment: Self.silent.merging(environment) { $1 }, folder: shop.folder)
        }

        @Test(arguments: [["Highlight", "flite"], ["HandOver", "flite", "espeak"]])
        func aMissingVoiceIsAnError(_ words: [String]) async throws {
            let text = try shop.file("text.txt", "One two.")
            let bundles = try shop.bundles()
            let result = try await Program.run(
                words[0], [text] + words.dropFirst(), environment: Self.silent.merging(bundles) { $1 })
            #expect(result.status == 1 && result.errors.contains("flite"), "\(result.status) \(result.errors)")
        }
    }
}
