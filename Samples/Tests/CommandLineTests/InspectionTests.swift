import DescantTestSupport
import Foundation
import Glibc
import Testing

extension RenderingSuite {
    @Suite struct InspectionTests {
        private let shop: Workshop

        init() throws { shop = try Workshop() }

        @Test func helpNamesEveryCommand() async throws {
            let help = try await Program.descant("--help")
            #expect(help.status == 0)
            for name in ["play", "render", "info", "plugins", "plugin", "doctor"] {
                #expect(help.output.contains(name))
            }
            #expect(try await Program.descant("frobnicate").status == 2)
        }

        @Test(arguments: [
            ("ply", "play"), ("palyl", "play"), ("redner", "render"), ("doctro", "doctor"), ("tag", "tags"),
        ])
        func aMistypedCommandIsSuggested(word: String, command: String) async throws {
            let result = try await Program.descant(word, "a.wav")
            #expect(result.status == 2 && result.errors.contains("did you mean \(command)?"), "\(result.errors)")
            #expect(try await !Program.descant("frobnicate").errors.contains("did you mean"))
        }

        @Test func otherWordsRunProgramsOfThatName() async throws {
            let program = try shop.file(
                "descant-greet", "#!/bin/sh\necho \"hello $* from $0\"\nexit 7\n")
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
            let result = try await Program.descant(
                "greet", "you", "--loud", environment: ["PATH": "\(shop.folder.path):/usr/bin:/bin"])
            #expect(result.status == 7 && result.output == "hello you --loud from \(program)\n")
            let paths = try await Program.descant(
                "../descant-greet", environment: ["PATH": "\(shop.folder.path):/usr/bin:/bin"])
            #expect(paths.status == 2)
            let help = try await Program.descant(
                "help", "greet", environment: ["PATH": "\(shop.folder.path):/usr/bin:/bin"])
            #expect(help.output == "hello --help from \(program)\n")
            #expect(try await Program.descant("help", "info").output.contains("USAGE: descant info"))
            #expect(try await Program.descant("help", "plya").errors.contains("did you mean play?"))
            #expect(try await Program.descant("--help").output.contains("descant ma"))
        }

        @Test func anEngineThatNobodyProvidesIsNamed() async throws {
            let result = try await Program.descant("play", "--engine", "phonograph", "library://track/1")
            #expect(result.status != 0 && result.errors.contains("phonograph"))
        }

        /// An error has the file, the cause and the remedy, each once, however many decoders were asked.
        @Test(arguments: [
            "missing.flac", "text.flac", "cut.flac", "locked.flac", "folder.flac", "mute.wav", "empty.mp3",
        ])
        func anErrorNamesItsFileOnce(name: String) async throws {
            let path = shop.path(name)
            let plugins = try shop.bundles("FLACDecoder")
            switch name {
            case "text.flac", "locked.flac": try shop.file(name, "This is a text.\n")
            case "cut.flac":
                let whole = try Data(contentsOf: URL(fileURLWithPath: shop.flac("whole.flac", seconds: 1)))
                try whole.prefix(4_000).write(to: URL(fileURLWithPath: path))
            case "folder.flac":
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            case "mute.wav": try shop.tone(name, seconds: 0)
            case "empty.mp3": try shop.file(name, "")
            default: break
            }
            if name == "locked.flac" {
                try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
            }
            for command in [["play", "--headless", "--output", "null"], ["info"], ["tags"]] {
                // A file without sound may have tags.
                if name == "mute.wav", command == ["tags"] { continue }
                let result = try await Program.withoutPrivilege(command + [path], environment: plugins)
                #expect(result.status == 66, "\(command): \(result.errors)")
                #expect(result.errors.components(separatedBy: path).count == 2, "\(command): \(result.errors)")
            }
        }

        /// What reads untrusted files and texts is not in the program, and opens no connection.
        @Test(arguments: ["play", "speak", "read"]) func whatIsIsolatedIsInAnotherProcess(command: String) async throws
        {
            let bundle = command == "play" ? "FLACDecoder" : "EspeakSpeech"
            var arguments = [command, "--isolate", "--output", "null"]
            switch command {
            case "play": arguments += ["--headless", try shop.flac("a.flac", seconds: 60)]
            case "speak": arguments += ["--engine", "espeak", String(repeating: "one two three ", count: 400)]
            default:
                let text = try shop.file("long.txt", String(repeating: "one two three. ", count: 400))
                arguments += ["--headless", "--forget", "--engine", "espeak", text]
            }
            let process = Program.make("descant", arguments, environment: try shop.bundles(bundle))
            (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
            try process.run()
            let own = "/proc/\(process.processIdentifier)"
            func helpers() -> [String] {
                let tasks = (try? FileManager.default.contentsOfDirectory(atPath: own + "/task")) ?? []
                let children = tasks.flatMap { task in
                    (try? String(contentsOfFile: "\(own)/task/\(task)/children", encoding: .utf8))?.split(
                        separator: " ") ?? []
                }
                return children.filter { child in
                    (try? String(contentsOfFile: "/proc/\(child)/maps", encoding: .utf8))?.contains(bundle) ?? false
                }.map(String.init)
            }
            while helpers().isEmpty, process.isRunning { await Task.yield() }
            #expect(process.isRunning)
            #expect(try !String(contentsOfFile: own + "/maps", encoding: .utf8).contains(bundle))
            process.interrupt()
            process.waitUntilExit()
            #expect(process.shellStatus == 130)
        }

        @Test func anIsolatedPlayerOpensNoConnection() async throws {
            let server = try LoopbackWebServer { _ in WebAnswer(status: 404) }
            let result = try await Program.descant(
                "play", "--isolate", "--output", "null", server.url("/a.flac").absoluteString)
            #expect(result.status == 66 && result.errors.contains("only files are played"), "\(result.errors)")
            #expect(server.requests.isEmpty)
        }

        @Test func playsOnAnEngineOfTheController() async throws {
            let input = try shop.tone("a.wav", seconds: 0.3)
            let result = try await Program.descant("play", "--engine", "gstreamer", "--output", "null", input, input)
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output.components(separatedBy: "gstreamer: file://").count == 3)
            let missing = try await Program.descant("play", "--engine", "gstreamer", "--output", "null", "/nowhere.wav")
            #expect(missing.status == 66 && missing.errors.contains("/nowhere.wav"))
            // Files that cannot be played are named, and the others are played, as by the built-in player.
            let text = try shop.file("text.flac", "This is a text.\n")
            for engine in [[], ["--engine", "gstreamer"]] {
                for inputs in [["/nowhere.wav", text, input], [input, "/nowhere.wav", text]] {
                    let some = try await Program.run(
                        "descant", ["play", "--headless", "--output", "null"] + engine + inputs)
                    #expect(some.status == 0, "\(engine): \(some.errors)")
                    #expect(some.errors.contains("/nowhere.wav") && some.errors.contains(text), "\(some.errors)")
                    if !engine.isEmpty { #expect(some.output.contains("gstreamer: file://")) }
                }
                let none = try await Program.run(
                    "descant", ["play", "--headless", "--output", "null"] + engine + [text, "/nowhere.wav"])
                #expect(none.status == 66, "\(engine): \(none.errors)")
                #expect(none.errors.contains("/nowhere.wav") && none.errors.contains(text), "\(none.errors)")
            }
        }

        @Test func enginesRefuseWhatOnlyTheBuiltInPlayerDoes() async throws {
            let input = try shop.tone("a.wav", seconds: 0.3)
            for options in [
                ["--crossfade", "4"], ["--overlay", input], ["--repeat", "track"], ["--output", "x.wav"],
            ] {
                let result = try await Program.descant("play", "--engine", "gstreamer", options[0], options[1], input)
                #expect(result.status != 0 && result.errors.contains(options[0]), "\(options): \(result.errors)")
                #expect(result.errors.contains("leave out --engine"), "\(result.errors)")
            }
        }

        @Test func infoTellsFactsAndTheDecoder() async throws {
            struct Info: Decodable {
                let title: String
                let artist: String?
                let codec: String
                let sampleRate: Int
                let channels: Int
                let bitDepth: Int?
                let frames: Int64?
                let decoder: String
                let decoderReason: String
            }
            let file = try shop.flac("a.flac", seconds: 1, tags: ["TITLE=日本の雨", "ARTIST=Übung"])
            let result = try await Program.descant("info", "--json", file)
            #expect(result.status == 0)
            let info = try result.json(Info.self)
            #expect(info.title == "日本の雨" && info.artist == "Übung" && info.codec.contains("FLAC"))
            #expect(info.sampleRate == 44_100 && info.channels == 2 && info.bitDepth == 16 && info.frames == 44_100)
            #expect(info.decoder == "gstreamer")
            let text = try await Program.descant("info", file)
            #expect(text.output.contains("日本の雨") && text.output.contains("44100 Hz, 2 channels, 16 bit"))

            let plugins = try shop.bundles("FLACDecoder")
            let bundled = try await Program.descant("info", "--json", file, environment: plugins).json(Info.self)
            let reason = "flac of org.descant.flac (score "
            #expect(bundled.decoder == "flac" && bundled.decoderReason.hasPrefix(reason), "\(bundled)")
            #expect(bundled.title == "日本の雨" && bundled.frames == 44_100)
            let lines = try await Program.descant("info", file, environment: plugins).output.split(separator: "\n")
            let because = try #require(lines.first { $0.hasPrefix("  because ") }, "\(lines)")
            #expect(because.contains(reason), "\(because)")
        }

        @Test func infoOfNothingIs66() async throws {
            let missing = try await Program.descant("info", shop.path("a.flac"))
            #expect(missing.status == 66 && missing.errors.contains("a.flac") && missing.output.isEmpty)
            let folder = try await Program.descant("info", shop.folder.path)
            #expect(folder.status == 66 && folder.errors != missing.errors)
        }

        @Test func whatMayNotBeReadSaysSoAndTheRestIsRendered() async throws {
            struct Report: Decodable {
                struct Failure: Decodable {
                    let url: String
                    let code: String
                    let message: String
                }
                let frames: Int
                let errors: [Failure]
            }
            let secret = try shop.flac("secret.flac", seconds: 1)
            try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: secret)
            let info = try await Program.withoutPrivilege(["info", secret])
            #expect(info.status == 66)
            #expect(info.errors.contains("secret.flac cannot be read: Permission denied"), "\(info.errors)")
            #expect(info.errors.contains("permissions"), "\(info.errors)")
            let render = try await Program.withoutPrivilege([
                "render", "--json", "--output", shop.path("out.wav"), secret, try shop.flac("open.flac", seconds: 1),
            ])
            #expect(render.status == 0, "\(render.errors)")
            let report = try render.json(Report.self)
            #expect(report.frames == 44_100 && report.errors.count == 1)
            #expect(report.errors.first?.url.hasSuffix("secret.flac") == true)
            #expect(report.errors.first?.message.contains("Permission denied") == true, "\(report.errors)")
        }

        @Test func pluginsListsWhatCannotBeUsedWithItsReason() async throws {
            struct Plugins: Decodable {
                struct Unavailable: Decodable {
                    let path: String
                    let reason: String
                }
                let searchPath: [String]
                let unavailable: [Unavailable]
            }
            let bundle = shop.folder.appendingPathComponent("Broken.descantplugin")
            try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
            try Data("{".utf8).write(to: bundle.appendingPathComponent("manifest.json"))
            let environment = ["DESCANT_PLUGIN_PATH": shop.folder.path]
            let result = try await Program.descant("plugins", "--json", environment: environment)
            #expect(result.status == 0)
            let plugins = try result.json(Plugins.self)
            #expect(plugins.searchPath.first == shop.folder.path)
            let broken = try #require(plugins.unavailable.first { $0.path.hasSuffix("Broken.descantplugin") })
            #expect(broken.reason.contains("manifest"))
            let text = try await Program.descant("plugins", environment: environment)
            #expect(text.output.contains("Broken.descantplugin"))
        }

        /// The name of a bundle's folder and what its manifest says come from strangers.
        @Test func pluginsDoNotControlTheTerminal() async throws {
            let bundle = shop.folder.path + "/One\u{1b}[2J\u{9b}2J.descantplugin"
            try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
            let manifest = #"""
                {"id": "org.example.\u001b[2J", "name": "One", "version": "1", "license": "MIT",
                 "provides": [{"kind": "engine", "identifier": "one"}]}
                """#
            try Data(manifest.utf8).write(to: URL(fileURLWithPath: bundle + "/manifest.json"))
            let environment = ["DESCANT_PLUGIN_PATH": shop.folder.path]
            for command in [["plugins"], ["plugin", "list"], ["plugin", "check", bundle], ["doctor"]] {
                let result = try await Program.run("descant", command, environment: environment)
                #expect(result.output.contains("One [2J 2J.descantplugin"), "\(command): \(result.output)")
                #expect(result.output.contains("a reverse-DNS name"), "\(command): \(result.output)")
                let isControl = { (scalar: Unicode.Scalar) in
                    scalar != "\n" && scalar.properties.generalCategory == .control
                }
                #expect(!result.output.unicodeScalars.contains(where: isControl), "\(command)")
            }
        }

        @Test func pluginsShowWhichKindsAreDrafts() async throws {
            struct Plugins: Decodable {
                struct Available: Decodable {
                    let identifier: String
                    let stages: [String: String]
                }
                let available: [Available]
            }
            let environment = try shop.bundles("STKReverb", "FLACDecoder")
            let plugins = try await Program.descant("plugins", "--json", environment: environment).json(Plugins.self)
            let stages = Dictionary(plugins.available.map { ($0.identifier, $0.stages) }) { first, _ in first }
            #expect(stages["org.descant.stk-reverb"] == ["effect": "draft"])
            #expect(stages["org.descant.flac"] == ["decoder": "stable"])
            let text = try await Program.descant("plugins", environment: environment)
            #expect(text.output.contains("effect reverb (draft)\n") && !text.output.contains("flac (draft)"))
        }

        @Test func aFileThatIsNoLibraryBecomesNoBundle() async throws {
            let library = try shop.file("libNothing.so", "no ELF")
            let result = try await Program.descant("plugin", "bundle", library, "--output", shop.path("bundles"))
            #expect(result.status == 1 && result.errors.contains("libNothing.so"))
            let missing = try await Program.descant(
                "plugin", "bundle", shop.path("libGone.so"), "--output", shop.path("bundles"))
            #expect(missing.status == 66)
            #expect(!FileManager.default.fileExists(atPath: shop.path("bundles")))
        }

        private struct Doctor: Decodable {
            struct Finding: Decodable {
                let area: String
                let name: String
                let status: String
                let detail: String
                let remedy: String?
            }
            let isHealthy: Bool
            let findings: [Finding]
            let remedies: [String]
        }

        @Test func theDoctorFindsAHealthySystem() async throws {
            let server = try PrivatePulseServer()
            let result = try await Program.descant(
                "doctor", "--json", environment: ["PULSE_SERVER": server.address])
            #expect(result.status == 0)
            let doctor = try result.json(Doctor.self)
            #expect(doctor.isHealthy)
            #expect(doctor.findings.contains { $0.name == "audiomixer" && $0.status == "ok" })
            #expect(doctor.findings.contains { $0.area == "sound server" && $0.status == "ok" })
            for program in ["descant-plugin-host", "descant-library"] {
                #expect(doctor.findings.filter { $0.name == program }.map(\.status) == ["ok"])
            }
            // Whoever has an installed tree has no Makefile.
            #expect(!doctor.remedies.contains { $0.contains("make ") }, "\(doctor.remedies)")
        }

        @Test func theDoctorNamesTheProgramsThatATreeLacks() async throws {
            let folder = shop.folder.appendingPathComponent("tree/bin")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let alone = folder.appendingPathComponent("descant")
            try FileManager.default.copyItem(at: Program.products.appendingPathComponent("descant"), to: alone)
            let result = try await Program.run(
                alone.path, ["doctor", "--json"],
                environment: ["LD_LIBRARY_PATH": Program.products.path, "PATH": folder.path])
            let finding = try #require(try result.json(Doctor.self).findings.first { $0.name == "descant-library" })
            #expect(finding.status == "optional")
            let file = shop.path("tree/bin/descant-library")
            #expect(finding.remedy?.hasPrefix("install -D TREE/bin/descant-library \(file) ") == true, "\(finding)")
        }

        @Test func theDoctorIsNamedAsItCanBeStarted() async throws {
            let program = Program.products.resolvingSymlinksInPath().appendingPathComponent("descant").path
            let file = try shop.tone("a.wav", seconds: 1)
            for (path, name) in [("/usr/bin", program), ("/usr/bin:\(Program.products.path)", "descant")] {
                let result = try await Program.descant("play", "--headless", file, environment: ["PATH": path])
                #expect(result.errors.contains("see: \(name) doctor\n"), "\(result.errors)")
            }
        }

        @Test func theDoctorMissesASoundServerWhereThereIsNoSoundCard() async throws {
            let cards = (try? String(contentsOfFile: "/proc/asound/cards", encoding: .utf8)) ?? ""
            let hasCard = cards.contains("[")
            let result = try await Program.descant("doctor", "--json")
            #expect(result.status == (hasCard ? 0 : 1))
            let doctor = try result.json(Doctor.self)
            let finding = try #require(doctor.findings.first { $0.area == "sound server" })
            #expect(finding.status == (hasCard ? "optional" : "missing") && finding.remedy != nil)
        }

        @Test func theDoctorMissesADeviceOfTheSoundServer() async throws {
            let server = try await PrivatePulseServer.withoutDevice()
            let result = try await Program.descant("doctor", "--json", environment: ["PULSE_SERVER": server.address])
            #expect(result.status == 1)
            let findings = try result.json(Doctor.self).findings.filter { $0.area == "sound server" }
            // The server itself answers.
            #expect(findings.map(\.status) == ["ok", "missing"])
            #expect(findings.last?.remedy?.contains("pactl list short sinks") == true, "\(findings)")
        }

        @Test func theDoctorNamesWhatIsMissingAndTheCommand() async throws {
            // A GStreamer without any plugin.
            let environment = [
                "GST_PLUGIN_SYSTEM_PATH_1_0": shop.folder.path, "GST_PLUGIN_PATH_1_0": shop.folder.path,
                "GST_REGISTRY": shop.path("registry.bin"),
            ]
            let result = try await Program.descant("doctor", "--json", environment: environment)
            #expect(result.status == 1)
            let doctor = try result.json(Doctor.self)
            #expect(!doctor.isHealthy)
            #expect(doctor.findings.contains { $0.name == "audiomixer" && $0.status == "missing" })
            #expect(doctor.remedies.contains { $0.contains("apt-get install gstreamer1.0-plugins-base") })
        }

        /// A GStreamer whose one plugin reads MP4 and has no codec.
        @Test func theDoctorNamesThePackageOfAMissingCodec() async throws {
            let installed = try await Program.run("pkg-config", ["--variable=pluginsdir", "gstreamer-1.0"]).output
                .trimmingCharacters(in: .whitespacesAndNewlines)
            let folder = shop.path("gstreamer")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder)/libgstisomp4.so", withDestinationPath: "\(installed)/libgstisomp4.so")
            let environment = [
                "GST_PLUGIN_SYSTEM_PATH_1_0": folder, "GST_PLUGIN_PATH_1_0": folder,
                "GST_REGISTRY": shop.path("registry.bin"),
            ]
            let doctor = try await Program.descant("doctor", "--json", environment: environment).json(Doctor.self)
            let codecs = doctor.findings.filter { $0.area == "codecs" }
            for (name, status, package) in [
                ("MP3", "missing", "gstreamer1.0-plugins-good"), ("Opus", "missing", "gstreamer1.0-plugins-base"),
                ("AAC in M4A", "optional", "gstreamer1.0-libav"), ("ALAC in M4A", "optional", "gstreamer1.0-libav"),
                ("WavPack", "optional", "gstreamer1.0-plugins-good"), ("AIFF", "optional", "gstreamer1.0-plugins-bad"),
            ] {
                let finding = try #require(codecs.first { $0.name == name })
                #expect(finding.status == status && finding.remedy == "sudo apt-get install \(package)", "\(finding)")
            }
            // Of several ways to decode, the one that lacks least is named.
            #expect(codecs.first { $0.name == "AAC in M4A" }?.detail == "missing: avdec_aac")
        }
    }
}
