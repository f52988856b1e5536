import Foundation
import Testing

/// Scripts/check-boundaries.swift on a copy of the sources with violations: one of each kind that the layers rule out.
@Suite(.timeLimit(.minutes(10))) struct BoundaryTests {
    /// A file that breaks rules, and what is found in it.
    private struct Violation {
        let path: String
        let lines: [String]
        let findings: [String]

        init(_ path: String, _ lines: [(code: String, findings: [String])]) {
            self.path = path
            self.lines = lines.map(\.code)
            findings = lines.enumerated().flatMap { index, line in
                line.findings.map { "error: \(path):\(index + 1): \($0)" }
            }
        }
    }

    private static let violations = [
        // A view that plays with the service itself.
        Violation(
            "Samples/Sources/TerminalUI/Planted/NowPlayingView.swift",
            [
                ("import DescantPlayback", ["TerminalUI must not import DescantPlayback"]),
                (
                    "func play(_ service: any PlaybackService) { try? service.play() }",
                    ["a view calls the state, not the library: PlaybackService"]
                ),
                ("let output = GStreamerOutput()", ["a view calls the state, not the library: GStreamerOutput"]),
                (
                    "var clock: (any ClockPort)? // a port",
                    ["a view calls the state, not the library: ClockPort"]
                ),
            ]),
        // A view that asks for the product itself.
        Violation(
            "Samples/Sources/TerminalUI/Planted/StoreView.swift",
            [
                ("import CSodium", ["TerminalUI must not import CSodium"]),
                ("import PlayerIntegration", ["TerminalUI must not import PlayerIntegration"]),
                (
                    "func buy(_ manager: any IAPManager) {}",
                    ["a view reads isProUser of the state: IAPManager"]
                ),
            ]),
        // A view of another package that does both.
        Violation(
            "Samples/DesktopPlayer/Sources/DesktopUI/Planted/StoreView.swift",
            [
                ("import Descant", ["DesktopUI must not import Descant"]),
                ("import PlayerIntegration", ["DesktopUI must not import PlayerIntegration"]),
                ("import CGtk", []),
                (
                    "func play(_ service: AudioPlayerService) {}",
                    ["a view calls the state, not the library: AudioPlayerService"]
                ),
                ("var manager: (any IAPManager)?", ["a view reads isProUser of the state: IAPManager"]),
            ]),
        // A state that makes an adapter, and one that uses ports.
        Violation(
            "Samples/Sources/PlayerApp/Planted/PlantedState.swift",
            [
                ("import Descant", ["PlayerApp must not import Descant"]),
                (
                    "let output = GStreamerOutput(destination: .null)",
                    ["the application makes nothing, its factory does: GStreamerOutput"]
                ),
                (
                    "let service = DefaultPlaybackService()",
                    ["the application makes nothing, its factory does: DefaultPlaybackService"]
                ),
                (
                    "let player = AudioPlayerService()",
                    ["the application makes nothing, its factory does: AudioPlayerService"]
                ),
                (
                    "let tagReader: TagReaderPort = factory.makeTagReader()",
                    ["the application uses no port, it uses a service: TagReaderPort"]
                ),
            ]
                + ["DecoderPort", "AudioOutputPort", "ClockPort", "LoggerPort", "FileAccessPort"].map {
                    ("var port: (any \($0))?", ["the application uses no port, it uses a service: \($0)"])
                } + [("// A DecoderPort in a comment is none.", [])]),
        // An integration layer with views, which hands ports out.
        Violation(
            "Samples/Sources/PlayerIntegration/Planted/PlantedFactory.swift",
            [
                ("import TerminalUI", ["PlayerIntegration must not import TerminalUI"]),
                (
                    "import CGStreamer",
                    [
                        "CGStreamer is not part of the library's product",
                        "PlayerIntegration must not import CGStreamer",
                    ]
                ),
                (
                    "public func makeTagReader() -> any TagReaderPort { TagLibReader() }",
                    ["the integration layer hands out no port and no adapter: TagReaderPort"]
                ),
                (
                    "public let decoder: GStreamerDecoder = GStreamerDecoder()",
                    ["the integration layer hands out no port and no adapter: GStreamerDecoder"]
                ),
                (
                    "public let output = GStreamerOutput(destination: .null)",
                    ["the integration layer hands out no port and no adapter: GStreamerOutput"]
                ),
                (
                    "public private(set) var made = { GStreamerDecoder() }()",
                    ["the integration layer hands out no port and no adapter: GStreamerDecoder"]
                ),
                (
                    "public func open(_ ready: @escaping (any DecoderPort) -> Void) {}",
                    ["the integration layer hands out no port and no adapter: DecoderPort"]
                ),
                (
                    "public init(ready: ((Int, any ClockPort) -> Void)? = nil) {}",
                    ["the integration layer hands out no port and no adapter: ClockPort"]
                ),
                (
                    "public typealias Reader = TagLibReader",
                    ["the integration layer hands out no port and no adapter: TagLibReader"]
                ),
                ("public enum Step {", []),
                (
                    "    case opened(GStreamerDecoder)",
                    ["the integration layer hands out no port and no adapter: GStreamerDecoder"]
                ),
                ("    var own: GStreamerDecoder? { nil }", []),
                ("}", []),
                ("public protocol Maker {", []),
                (
                    "    func makeClock() -> any ClockPort",
                    ["the integration layer hands out no port and no adapter: ClockPort"]
                ),
                ("}", []),
                ("public func use(_ reader: any TagReaderPort) {}", []),
                ("public func use(make: () -> any DecoderPort) {}", []),
                ("let own: any DecoderPort = GStreamerDecoder()", []),
            ]),
        // A program that uses a layer of the library, an example that uses the app, and a small app that does.
        Violation(
            "Samples/Sources/descant/Planted.swift",
            [
                (
                    "import DescantGStreamer",
                    [
                        "DescantGStreamer is not part of the library's product",
                        "descant must not import DescantGStreamer",
                    ]
                ),
                ("import DesktopUI", ["descant must not import DesktopUI"]),
            ]),
        Violation(
            "Samples/DesktopPlayer/Sources/descant-desktop/Planted.swift",
            [("import TerminalUI", ["descant-desktop must not import TerminalUI"])]),
        Violation(
            "Samples/Examples/RenderMix/Planted.swift", [("import PlayerApp", ["RenderMix must not import PlayerApp"])]
        ),
        Violation(
            "Samples/Hosts/LayeredPlayer/Planted.swift", [("import CSodium", ["LayeredPlayer must not import CSodium"])]
        ),
        Violation(
            "Samples/Hosts/OneFile/Planted.swift",
            [("import PlayerIntegration", ["OneFile must not import PlayerIntegration"])]
        ),
        Violation(
            "Samples/MediaLibrary/Sources/MediaLibrary/Planted.swift",
            [("import PlayerApp", ["MediaLibrary must not import PlayerApp"])]),
        Violation(
            "Samples/MediaLibrary/Sources/descant-library/Planted.swift",
            [("import GRDB", ["descant-library must not import GRDB"])]),
        Violation(
            "Samples/MusicAssistantTool/Sources/descant-ma/Planted.swift",
            [("import Descant", ["descant-ma must not import Descant"])]),
        Violation(
            "Samples/Benchmarks/descant-bench/Planted.swift",
            [("import TerminalUI", ["descant-bench must not import TerminalUI"])]),
        // A service that knows the products, and an adapter that knows a state.
        Violation(
            "Sources/DescantPlayback/FilePlayback/Planted.swift",
            [
                (
                    "func check(isProUser: Bool) {}", ["the library knows no product and no state of an app: isProUser"]
                ),
                ("import DescantGStreamer", ["DescantPlayback must not import DescantGStreamer"]),
            ]),
        Violation(
            "Sources/DescantDesktop/Logging/Planted.swift",
            [
                ("import PlayerApp", ["DescantDesktop must not import PlayerApp"]),
                ("weak var state: AppState?", ["the library knows no product and no state of an app: AppState"]),
            ]),
    ]

    private static let manifests: [(path: String, original: String, planted: String, finding: String)] = [
        (
            "Samples/Package.swift", #".target(name: "TerminalUI", dependencies: ["PlayerApp"]"#,
            #".target(name: "TerminalUI", dependencies: ["PlayerApp", descant]"#,
            "error: Samples/Package.swift: TerminalUI must not depend on Descant"
        ),
        (
            "Samples/Package.swift", #".target(name: "PlayerApp", dependencies: [descant]"#,
            #".target(name: "PlayerApp", dependencies: [descant, "CSodium"]"#,
            "error: Samples/Package.swift: PlayerApp must not depend on CSodium"
        ),
        (
            "Samples/DesktopPlayer/Package.swift",
            #".target(name: "DesktopUI", dependencies: ["CGtk", "CGtkList", app]"#,
            #".target(name: "DesktopUI", dependencies: ["CGtk", "CGtkList", app, integration]"#,
            "error: Samples/DesktopPlayer/Package.swift: DesktopUI must not depend on PlayerIntegration"
        ),
        (
            "Package.swift", #".target(name: "DescantPlayback", dependencies: ["DescantCore"]"#,
            #".target(name: "DescantPlayback", dependencies: ["DescantCore", "DescantTagLib"]"#,
            "error: Package.swift: DescantPlayback must not depend on DescantTagLib"
        ),
        (
            "Samples/MediaLibrary/Package.swift", #"name: "MediaLibrary", dependencies: [descant,"#,
            #"name: "MediaLibrary", dependencies: [descant, "CSodium","#,
            "error: Samples/MediaLibrary/Package.swift: MediaLibrary must not depend on CSodium"
        ),
        (
            "Samples/Package.swift", #".target(name: "AudioMeasurement", swiftSettings: strict),"#,
            #".target(name: "AudioMeasurement", swiftSettings: strict), .target(name: "Planted"),"#,
            "error: target Planted of Samples: no rule; add one to Scripts/check-boundaries.swift"
        ),
    ]

    private let tree = FileManager.default.temporaryDirectory.appendingPathComponent("boundaries-\(UUID().uuidString)")

    /// The folder of this repository.
    private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Copies what the check reads.
    private func copySources() throws {
        for path in [
            "Package.swift", "Sources", "Plugins", "Samples/Package.swift", "Samples/Sources", "Samples/Examples",
            "Samples/Hosts", "Samples/Benchmarks", "Samples/Tests/MutationRun", "Samples/Tests/LicenseMaking",
            "Samples/DesktopPlayer/Package.swift", "Samples/DesktopPlayer/Sources",
            "Samples/MediaLibrary/Package.swift",
            "Samples/MediaLibrary/Sources", "Samples/MusicAssistantTool/Package.swift",
            "Samples/MusicAssistantTool/Sources", "Tests/Integration", "Scripts/check-boundaries.swift",
        ] {
            let copy = tree.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: root.appendingPathComponent(path), to: copy)
        }
    }

    /// Runs the check in the copy.
    private func check() throws -> (status: Int32, lines: Set<String>) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["swift", "Scripts/check-boundaries.swift"]
        process.currentDirectoryURL = tree
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (
            process.terminationStatus,
            Set(String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init))
        )
    }

    @Test func everyViolationIsFoundAndNothingElse() throws {
        try copySources()
        defer { try? FileManager.default.removeItem(at: tree) }
        for violation in Self.violations {
            let file = tree.appendingPathComponent(violation.path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data((violation.lines.joined(separator: "\n") + "\n").utf8).write(to: file)
        }
        for manifest in Self.manifests {
            let file = tree.appendingPathComponent(manifest.path)
            let text = try String(contentsOf: file, encoding: .utf8)
            try #require(text.contains(manifest.original), "\(manifest.path) has changed")
            try Data(text.replacingOccurrences(of: manifest.original, with: manifest.planted).utf8).write(to: file)
        }
        let (status, found) = try check()
        let expected = Set(Self.violations.flatMap(\.findings) + Self.manifests.map(\.finding))
        #expect(status == 1)
        #expect(found.subtracting(expected).sorted() == [], "findings that were not planted")
        #expect(expected.subtracting(found).sorted() == [], "violations that were not found")
    }

    /// Folders that are checked no more, because they were renamed.
    @Test func missingFoldersAreFound() throws {
        try copySources()
        defer { try? FileManager.default.removeItem(at: tree) }
        let folders = ["Samples/Sources/PlayerApp", "Samples/Hosts", "Tests/Integration", "Sources/DescantDesktop"]
        for folder in folders {
            let url = tree.appendingPathComponent(folder)
            try FileManager.default.moveItem(
                at: url, to: url.deletingLastPathComponent().appendingPathComponent("Other"))
        }
        let (status, lines) = try check()
        #expect(status == 1)
        for folder in folders + ["Samples/Hosts/OneFile"] {
            #expect(lines.contains { $0.hasPrefix("error: \(folder): there is no Swift file to check") }, "\(folder)")
        }
    }

    /// `make play` builds this package. SwiftNIO takes minutes to download and compile, which nobody waits for before the first sound.
    @Test func playerResolvesNoSwiftNIO() throws {
        struct Resolved: Decodable {
            struct Pin: Decodable { let identity: String }
            let pins: [Pin]
        }
        // Written by SwiftPM before it builds the package.
        let file = root.appendingPathComponent("Samples/Package.resolved")
        let names = try JSONDecoder().decode(Resolved.self, from: Data(contentsOf: file)).pins.map(\.identity)
        #expect(names.contains("swift-argument-parser"))
        #expect(names.filter { $0.hasPrefix("swift-nio") } == [])
    }

    @Test func theSourcesThemselvesKeepToTheRules() throws {
        try copySources()
        defer { try? FileManager.default.removeItem(at: tree) }
        let (status, lines) = try check()
        #expect(status == 0 && lines == ["boundaries: every target keeps to its rule"])
    }
}
