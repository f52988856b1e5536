import DescantTestSupport
import Foundation
import Testing

extension RenderingSuite {
    /// The tools for plugin authors.
    @Suite struct PluginAuthorTests {
        private let shop: Workshop

        init() throws { shop = try Workshop() }

        private static let kinds = [
            ("decoder", "Hum"), ("engine", "Drone"), ("speech", "Morse"), ("output", "Tape"), ("tags", "Liner"),
            ("effect", "Sway"),
        ]
        private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

        /// An installed tree of this build, which authors build against.
        private func prefix() async throws -> URL {
            let prefix = shop.folder.appendingPathComponent("prefix")
            let products = Program.products.resolvingSymlinksInPath()
            let script = """
                mkdir -p "$2/lib" "$2/bin"
                "$0" "$1" "$2/lib"
                ln -s "$3/libDescant.so" "$2/lib/"
                # Not a link, by which the program would find the checkout.
                cp "$3/descant" "$2/bin/"
                """
            let sdk = Self.root.appendingPathComponent("Scripts/sdk.sh").path
            let arguments = ["-euc", script, sdk, products.lastPathComponent, prefix.path, products.path]
            let result = try await Program.run("bash", arguments)
            #expect(result.status == 0, "\(result.errors)")
            return prefix
        }

        /// Variables with which a shell finds the installed program first, and a home without plugins.
        private func variables(_ prefix: URL) -> [String: String] {
            let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
            return [
                "PATH": "\(prefix.path)/bin:\(path)", "LD_LIBRARY_PATH": "\(prefix.path)/lib", "HOME": shop.folder.path,
                "XDG_DATA_HOME": "",
            ]
        }

        /// The commands of the first block of shell code in the guide.
        private func tutorial() throws -> [String] {
            let guide = Self.root.appendingPathComponent("Sources/Descant/Descant.docc/WriteAPlugin.md")
            let parts = try String(contentsOf: guide, encoding: .utf8).components(separatedBy: "```sh\n")
            let block = try #require(parts.dropFirst().first).components(separatedBy: "```")[0]
            return block.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
        }

        @Test(.timeLimit(.minutes(10))) func theTutorialEndsWithAPlayingDecoder() async throws {
            let prefix = try await prefix()
            let server = try PrivatePulseServer()
            let commands = try tutorial()
            #expect(commands.first == "descant plugin new Hum --kind decoder")
            #expect(commands.last == "descant play a.hum")
            let environment = variables(prefix).merging(["PULSE_SERVER": server.address]) { $1 }
            let result = try await Program.run(
                "bash", ["-euxo", "pipefail", "-c", commands.joined(separator: "\n")], environment: environment,
                folder: shop.folder)
            #expect(result.status == 0, "\(result.output) \(result.errors)")
            let plugins = shop.path(".local/share/descant/plugins/Hum.descantplugin")
            #expect(result.output.contains(plugins), "\(result.output)")
            #expect(result.output.contains("no rule is broken"), "\(result.output)")

            let library = try await Program.run("readelf", ["-d", "\(plugins)/libHum.so"])
            let runPath = library.output.split(separator: "\n").filter { $0.contains("PATH") }
            #expect(runPath.count == 1, "\(runPath)")
            #expect(runPath.first?.hasSuffix("[$ORIGIN:$ORIGIN/../../swift]") == true, "\(runPath)")

            // What the guide shows is what was written.
            var lines = 0
            for path in ["Package.swift", "Sources/Hum/Hum.swift", "Tests/HumTests/HumTests.swift"] {
                let written = try String(contentsOfFile: shop.path("Hum/\(path)"), encoding: .utf8)
                let example = Self.root.appendingPathComponent("Samples/Examples/Hum/\(path)")
                #expect(
                    try written.replacing(prefix.path, with: "/usr/local")
                        == String(contentsOf: example, encoding: .utf8))
                lines += written.split(separator: "\n", omittingEmptySubsequences: false).count - 1
            }
            #expect(lines <= 80)
        }

        @Test func makeBuildsTheToolsWithoutMusicAssistant() async throws {
            let help = try await Program.run("make", ["help"], folder: Self.root)
            #expect(help.output.contains("make tools "), "\(help.output)")
            let commands = try await Program.run(
                "make", ["--no-print-directory", "--dry-run", "tools"], folder: Self.root)
            #expect(commands.output == "DESCANT_WITHOUT_MUSIC_ASSISTANT=1 Scripts/build.sh\n", "\(commands.errors)")
        }

        /// Full builds of each kind take a minute; `make test-long` does them.
        @Test(.timeLimit(.minutes(20)), arguments: kinds)
        func newPackagesCompileAgainstTheInstalledModules(kind: String, example: String) async throws {
            let prefix = try await prefix()
            let new = try await Program.descant(
                "plugin", "new", "Nine9", "--kind", kind, "--descant", prefix.path, folder: shop.folder)
            #expect(new.status == 0 && new.output.split(separator: "\n").count == 3, "\(new.errors)")
            let source = shop.path("Nine9/Sources/Nine9/Nine9.swift")
            let text = try String(contentsOfFile: source, encoding: .utf8)
            #expect(!text.contains(example) && text.contains("org.example.nine9"))
            let isLong = ProcessInfo.processInfo.environment["DESCANT_AUTHOR_PACKAGES"] != nil
            let arguments =
                isLong
                ? ["test", "--package-path", shop.path("Nine9")]
                : [
                    "-c", #"exec "$(dirname "$(readlink -f "$(command -v swift)")")/swiftc" "$@""#, "swiftc",
                    "-typecheck",
                    "-swift-version", "6", "-warnings-as-errors", "-module-name", "Nine9", "-I",
                    "\(prefix.path)/lib/descant/sdk", source,
                ]
            let built = try await Program.run(isLong ? "swift" : "bash", arguments, environment: variables(prefix))
            #expect(built.status == 0, "\(built.output) \(built.errors)")
        }

        @Test(arguments: [
            "beep", "My Beep", "../Beep", "Böep", "9Beep", "", "Foundation", "Media", "Speech", "Audio",
        ])
        func namesThatCannotNameAModuleAreRefused(name: String) async throws {
            let result = try await Program.descant("plugin", "new", name, "--kind", "decoder", folder: shop.folder)
            #expect(result.status == 2 && (name.isEmpty || result.errors.contains(name)), "\(result.errors)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: shop.folder.path).isEmpty)
        }

        @Test func nothingIsOverwritten() async throws {
            try FileManager.default.createDirectory(atPath: shop.path("Beep"), withIntermediateDirectories: false)
            let result = try await Program.descant("plugin", "new", "Beep", "--kind", "tags", folder: shop.folder)
            #expect(result.status == 66 && result.errors.contains("Beep exists already"), "\(result.errors)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: shop.path("Beep")).isEmpty)
            let tree = try await Program.descant(
                "plugin", "new", "Beep", "--kind", "tags", "--descant", shop.folder.path, folder: shop.folder)
            #expect(tree.status == 66 && tree.errors.contains("--descant"), "\(tree.errors)")
            let kind = try await Program.descant("plugin", "new", "Beep", "--kind", "toaster", folder: shop.folder)
            #expect(kind.status == 2 && kind.errors.contains("decoder"), "\(kind.errors)")
            let build = try await Program.descant("plugin", "build", shop.path("Beep"))
            #expect(build.status == 66 && build.errors.contains("Package.swift"), "\(build.errors)")
        }

        private struct Report: Decodable {
            struct Judgement: Decodable {
                let kind: String
                let suite: String
                let findings: [String]
                let missing: [String]
            }
            let identifier: String?
            let refusal: String?
            let provisions: [Judgement]
        }

        private func bundle(_ example: String) async throws -> String {
            let library = Program.products.appendingPathComponent("lib\(example).so").path
            let result = try await Program.descant("plugin", "bundle", library, "--output", shop.path("bundles"))
            #expect(result.status == 0, "\(result.errors)")
            return shop.path("bundles/\(example).descantplugin")
        }

        @Test(
            .timeLimit(.minutes(5)),
            arguments: [
                ("Hum", "DecoderContract", ["--fixture", "a.hum", "--cut-is-valid"]),
                ("Drone", "MediaEngineContract", ["--fixture", "drone:110?seconds=8"]),
                ("Morse", "SpeechSynthesizerContract", []),
                ("Tape", "AudioOutputContract", []),
                ("Liner", "TagReaderContract", ["--fixture", "a.liner"]),
                ("Sway", "AudioEffectContract", []),
            ])
        func checkRunsTheSuiteOfEachKind(example: String, suite: String, options: [String]) async throws {
            try shop.file("a.hum", "440")
            try shop.file("a.liner", "liner\ntitle: Rain\n")
            let result = try await Program.run(
                "descant", ["plugin", "check", "--json", bundle(example)] + options,
                environment: ["TAPE_FILE": shop.path("tape.f32")], folder: shop.folder)
            #expect(result.status == 0, "\(result.output) \(result.errors)")
            let report = try result.json(Report.self)
            #expect(report.identifier == "org.example.\(example.lowercased())" && report.refusal == nil)
            #expect(report.provisions.map(\.suite) == [suite] && report.provisions[0].findings == [])
        }

        @Test func filesOfDecodersAreFoundInFolders() async throws {
            let environment = ["DESCANT_PLUGIN_PATH": shop.path("bundles")]
            try FileManager.default.createDirectory(atPath: shop.path("music"), withIntermediateDirectories: false)
            try shop.file("music/a.hum", "440")
            let render = {
                try await Program.run(
                    "descant", ["render", "--output", shop.path("a.wav"), shop.path("music")], environment: environment)
            }
            let before = try await render()
            #expect(before.status != 0 && before.errors.contains("no audio files"), "\(before.errors)")
            _ = try await bundle("Hum")
            let after = try await render()
            #expect(after.status == 0, "\(after.errors)")
            #expect(try shop.samples("a.wav").contains { abs($0) > 0.01 })
        }

        /// A folder is searched for the formats of decoders, and not all of them have tags.
        @Test func filesWithoutATagReaderAreCounted() async throws {
            try FileManager.default.createDirectory(atPath: shop.path("music"), withIntermediateDirectories: false)
            for name in ["music/a.hum", "music/b.hum"] { try shop.file(name, "440") }
            try shop.tone("music/c.wav", seconds: 0.1)
            _ = try await bundle("Hum")
            let environment = ["DESCANT_PLUGIN_PATH": shop.path("bundles")]
            let arguments = ["tags", "--recursive", shop.path("music")]
            let result = try await Program.run("descant", arguments, environment: environment)
            #expect(result.status == 0 && result.output.contains("c.wav"), "\(result.output)")
            #expect(result.errors.contains("2 files of formats without a tag reader passed over"), "\(result.errors)")
            #expect(!result.errors.contains(".hum"), "\(result.errors)")
            let named = try await Program.run("descant", ["tags", shop.path("music/a.hum")], environment: environment)
            #expect(named.status == 66 && named.errors.contains("a.hum"), "\(named.errors)")
        }

        @Test func tagsOfABundleAreShown() async throws {
            let file = try shop.file("a.liner", "liner\ntitle: Rain\n")
            let environment = ["DESCANT_PLUGIN_PATH": shop.path("bundles")]
            let before = try await Program.run("descant", ["tags", file], environment: environment)
            #expect(before.status == 66 && before.errors.contains(file), "\(before.errors)")
            _ = try await bundle("Liner")
            let after = try await Program.run("descant", ["tags", file], environment: environment)
            #expect(after.status == 0 && after.output.contains("Rain"), "\(after.errors)")
        }

        @Test func insertedEffectIsHeard() async throws {
            let folder = URL(fileURLWithPath: try await bundle("Sway")).deletingLastPathComponent()
            let input = try shop.tone("a.wav", frequency: 440, seconds: 1, rate: 48_000, channels: 1)
            let render = { (insert: String, name: String) in
                try await Program.run(
                    "descant", ["render", "--insert", insert, "--output", shop.path(name), input],
                    environment: ["DESCANT_PLUGIN_PATH": folder.path], folder: shop.folder)
            }
            // A rate of 10 Hz: after 50 ms the gain is 1 - depth.
            for (depth, gain) in [("1", 0.0), ("0.25", 0.75)] {
                let result = try await render("sway:rate=10,depth=\(depth)", "swayed.wav")
                #expect(result.status == 0, "\(result.errors)")
                let peak = { (samples: ArraySlice<Float>) in Double(samples.map(abs).max() ?? 0) }
                let samples = try shop.samples("swayed.wav")
                let frame = samples.count / 20
                let lowest = peak(samples[(frame - frame / 25)..<(frame + frame / 25)])
                #expect(abs(lowest / peak(samples[...]) - gain) < 0.05, "\(lowest) of \(peak(samples[...]))")
            }
            let unknown = try await render("sway:speed=3", "none.wav")
            #expect(unknown.status != 0 && unknown.errors.contains("rate, depth"), "\(unknown.errors)")
            let absent = try await render("leslie", "none.wav")
            #expect(absent.status != 0 && absent.errors.contains("leslie"), "\(absent.errors)")
        }

        @Test func checkSaysWhatIsMissingAndWhatIsBroken() async throws {
            let hum = try await bundle("Hum")
            let bare = try await Program.descant("plugin", "check", hum)
            #expect(bare.status == 0 && bare.output.contains("--fixture FILE"), "\(bare.output)")

            // A cut text is a shorter text, and the sound is another.
            let file = try shop.file("a.hum", "440")
            let wrong = try shop.tone("a.wav", frequency: 300, seconds: 2, rate: 48_000, channels: 1)
            let broken = try await Program.descant("plugin", "check", hum, "--fixture", file, "--sound", wrong)
            #expect(broken.status == 1, "\(broken.output)")
            #expect(broken.output.contains("decoded samples are those of the file"), "\(broken.output)")
            #expect(broken.output.contains("cut off"), "\(broken.output)")

            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: hum)
            let refused = try await Program.descant("plugin", "check", "--json", hum)
            let report = try refused.json(Report.self)
            #expect(refused.status == 1 && report.provisions.isEmpty)
            #expect(report.refusal?.contains("chmod o-w") == true, "\(refused.output)")
            let missing = try await Program.descant("plugin", "check", shop.path("gone.descantplugin"))
            #expect(missing.status == 66 && missing.errors.contains("gone.descantplugin"))
        }

        @Test func playUsesOnlyWhatTheOwnerOfATrustedKeyHasSigned() async throws {
            let hum = try await bundle("Hum")
            let file = try shop.file("a.hum", "440")
            for name in ["mine", "theirs"] {
                #expect(try await Program.descant("plugin", "keygen", shop.path(name)).status == 0)
            }
            func play(_ options: String...) async throws -> Program {
                try await Program.run(
                    "descant", ["play", "--headless", "--output", "null"] + options + [file],
                    environment: ["DESCANT_PLUGIN_PATH": shop.path("bundles")])
            }
            #expect(try await play().status == 0)
            let unsigned = try await play("--trust", shop.path("mine.pub"))
            #expect(unsigned.status == 66, "\(unsigned.errors)")
            #expect(unsigned.errors.contains("not used: "), "\(unsigned.errors)")
            #expect(unsigned.errors.contains("\(hum)/manifest.json.sig"), "\(unsigned.errors)")
            #expect(unsigned.errors.contains("there is no signature"), "\(unsigned.errors)")

            let signing = try await Program.descant("plugin", "sign", hum, "--key", shop.path("mine.key"))
            #expect(signing.status == 0, "\(signing.errors)")
            let other = try await play("--trust", shop.path("theirs.pub"))
            #expect(other.status == 66 && other.errors.contains("none of the 1 keys"), "\(other.errors)")
            let trusted = try await play("--trust", shop.path("theirs.pub"), "--trust", shop.path("mine.pub"))
            #expect(trusted.status == 0 && !trusted.errors.contains("not used"), "\(trusted.errors)")
            let secret = try await play("--trust", shop.path("mine.key"))
            #expect(secret.status == 66 && secret.errors.contains("descant-public-key"), "\(secret.errors)")
        }

        @Test func aHostThatTrustsAKeyTakesOnlyWhatItsOwnerHasSigned() async throws {
            let tape = try await bundle("Tape")
            let library = tape + "/libTape.so"
            for name in ["mine", "theirs"] {
                #expect(try await Program.descant("plugin", "keygen", shop.path(name)).status == 0)
            }
            let mode =
                try FileManager.default.attributesOfItem(atPath: shop.path("mine.key"))[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let again = try await Program.descant("plugin", "keygen", shop.path("mine"))
            #expect(again.status == 66 && again.errors.contains("never overwritten"))

            func refusal(_ keys: String...) async throws -> String? {
                let trust = keys.flatMap { ["--trust", shop.path("\($0).pub")] }
                let variables = ["TAPE_FILE": shop.path("tape.f32")]
                let result = try await Program.run(
                    "descant", ["plugin", "check", "--json", tape] + trust, environment: variables)
                let report = try result.json(Report.self)
                #expect(result.status == (report.refusal == nil ? 0 : 1))
                #expect(report.provisions.isEmpty == (report.refusal != nil))
                return report.refusal
            }
            #expect(try await refusal() == nil)
            #expect(try await refusal("mine")?.contains("there is no signature") == true)

            let signed = try await Program.descant("plugin", "sign", tape, "--key", shop.path("mine.key"))
            #expect(signed.status == 0 && signed.output == "\(tape)/manifest.json.sig\n", "\(signed.errors)")
            #expect(try await refusal() == nil)
            #expect(try await refusal("mine") == nil)
            #expect(try await refusal("theirs", "mine") == nil)
            #expect(try await refusal("theirs")?.contains("none of the 1 keys") == true)

            // Another file, its digest, and the manifest: nothing can be changed.
            let original = try Data(contentsOf: URL(fileURLWithPath: library))
            try (original + Data([0])).write(to: URL(fileURLWithPath: library))
            #expect(try await refusal("mine")?.contains("SHA-256") == true)
            let forged = try await Program.descant("plugin", "sign", tape, "--key", shop.path("theirs.key"))
            #expect(forged.status == 1 && forged.errors.contains("SHA-256"), "\(forged.errors)")
            try original.write(to: URL(fileURLWithPath: library))
            #expect(try await refusal("mine") == nil)
            let manifest = URL(fileURLWithPath: tape + "/manifest.json")
            let text = try String(contentsOf: manifest, encoding: .utf8)
            try Data((text + " ").utf8).write(to: manifest)
            #expect(try await refusal("mine")?.contains("manifest was changed") == true)
            try Data(text.utf8).write(to: manifest)
            try Data([1, 2, 3]).write(to: URL(fileURLWithPath: tape + "/manifest.json.sig"))
            #expect(try await refusal("mine")?.contains("3 bytes") == true)

            let wrong = try await Program.descant("plugin", "sign", tape, "--key", shop.path("mine.pub"))
            #expect(wrong.status == 66 && wrong.errors.contains("descant-secret-key"), "\(wrong.errors)")
            let none = try await Program.descant("plugin", "check", tape, "--trust", shop.path("mine.key"))
            #expect(none.status == 66 && none.errors.contains("descant-public-key"), "\(none.errors)")
        }

        @Test func anExistingPublicKeyLeavesNoSecretKey() async throws {
            let file = try shop.file("half.pub", "an older key")
            let result = try await Program.descant("plugin", "keygen", shop.path("half"))
            #expect(result.status == 66 && result.errors.contains("half.pub exists already"), "\(result.errors)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: shop.folder.path) == ["half.pub"])
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "an older key")
        }

        /// A full disk ends the commands for plugins with an error.
        @Test func fullOutputIsReported() async throws {
            let hum = try await bundle("Hum")
            let library = Program.products.appendingPathComponent("libHum.so").path
            let refused = shop.path("Refused.descantplugin")
            try FileManager.default.createDirectory(atPath: refused, withIntermediateDirectories: false)
            try shop.file("Refused.descantplugin/manifest.json", "{")
            #expect(try await Program.descant("plugin", "keygen", shop.path("mine")).status == 0)
            for arguments in [
                ["plugins"], ["plugins", "--json"], ["plugin", "list"], ["plugin", "check", hum],
                ["plugin", "check", "--json", hum], ["plugin", "check", refused],
                ["plugin", "bundle", library, "--output", shop.path("again")], ["plugin", "keygen", shop.path("more")],
                ["plugin", "sign", hum, "--key", shop.path("mine.key")],
                ["plugin", "new", "Beep", "--kind", "decoder", "--descant", Self.root.path],
            ] {
                try await Program.expectFullOutputIsReported(
                    arguments, environment: ["DESCANT_PLUGIN_PATH": shop.path("bundles")], folder: shop.folder)
            }
        }

        @Test func listShowsTheRegistry() async throws {
            struct Plugins: Decodable {
                struct Plugin: Decodable {
                    struct Provision: Decodable {
                        let kind: String
                        let identifier: String
                    }
                    let identifier: String?
                    let state: String
                    let path: String
                    let digest: String?
                    let reason: String?
                    let provisions: [Provision]?
                }
                let available: [Plugin]
                let unavailable: [Plugin]
            }
            let hum = try await bundle("Hum")
            let tape = try await bundle("Tape")
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: tape)
            let result = try await Program.descant(
                "plugin", "list", "--json", environment: ["DESCANT_PLUGIN_PATH": shop.path("bundles")])
            let plugins = try result.json(Plugins.self)
            let found = try #require(plugins.available.first { $0.identifier == "org.example.hum" })
            #expect(found.state == "available" && found.path == hum && found.digest?.count == 64)
            #expect(found.provisions?.map(\.kind) == ["decoder"] && found.provisions?.map(\.identifier) == ["hum"])
            let refused = try #require(plugins.unavailable.first { $0.path == tape })
            #expect(refused.state == "refused" && refused.reason?.contains("everybody may write") == true)
        }
    }
}
