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
                ("import DescantPlayback", ["layer TerminalUI must not import DescantPlayback"]),
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
                ("import CSodium", ["layer TerminalUI must not import CSodium"]),
                ("import PlayerIntegration", ["layer TerminalUI must not import PlayerIntegration"]),
                (
                    "func buy(_ manager: any IAPManager) {}",
                    ["a view reads isProUser of the state: IAPManager"]
                ),
            ]),
        // A view of another package that does both.
        Violation(
            "Samples/DesktopPlayer/Sources/DesktopUI/Planted/StoreView.swift",
            [
                ("import Descant", ["layer DesktopUI must not import Descant"]),
                ("import PlayerIntegration", ["layer DesktopUI must not import PlayerIntegration"]),
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
                ("import Descant", ["layer PlayerApp must not import Descant"]),
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
                ("import TerminalUI", ["layer PlayerIntegration must not import TerminalUI"]),
                (
                    "import CGStreamer",
                    [
                        "CGStreamer is not part of the library's product",
                        "layer PlayerIntegration must not import CGStreamer",
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
                ("public func use(_ reader: any TagReaderPort) {}", []),
                ("let own: any DecoderPort = GStreamerDecoder()", []),
            ]),
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
            "error: Samples/Package.swift: layer TerminalUI must not depend on Descant"
        ),
        (
            "Samples/Package.swift", #".target(name: "PlayerApp", dependencies: [descant]"#,
            #".target(name: "PlayerApp", dependencies: [descant, "CSodium"]"#,
            "error: Samples/Package.swift: layer PlayerApp must not depend on CSodium"
        ),
        (
            "Samples/DesktopPlayer/Package.swift", #".target(name: "DesktopUI", dependencies: ["CGtk", app]"#,
            #".target(name: "DesktopUI", dependencies: ["CGtk", app, integration]"#,
            "error: Samples/DesktopPlayer/Package.swift: layer DesktopUI must not depend on PlayerIntegration"
        ),
        (
            "Package.swift", #".target(name: "DescantPlayback", dependencies: ["DescantCore"]"#,
            #".target(name: "DescantPlayback", dependencies: ["DescantCore", "DescantTagLib"]"#,
            "error: Package.swift: DescantPlayback must not depend on DescantTagLib"
        ),
    ]

    private let tree = FileManager.default.temporaryDirectory.appendingPathComponent("boundaries-\(UUID().uuidString)")

    /// Copies what the check reads.
    private func copySources() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        for path in [
            "Package.swift", "Sources", "Plugins", "Samples/Package.swift", "Samples/Sources",
            "Samples/DesktopPlayer/Package.swift", "Samples/DesktopPlayer/Sources", "Scripts/check-boundaries.swift",
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

    @Test func theSourcesThemselvesKeepToTheRules() throws {
        try copySources()
        defer { try? FileManager.default.removeItem(at: tree) }
        let (status, lines) = try check()
        #expect(status == 0 && lines == ["boundaries: every target keeps to its rule"])
    }
}
