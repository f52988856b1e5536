import Descant
import DescantTesting
import Foundation
import Testing

/// Bundles that fail in a helper process before a file is open: the next decoder gets the file, and a bundle that cannot be loaded is not
/// asked again.
@Suite struct IsolatedLoadingTests {
    private let shelf: BundleShelf

    init() throws { shelf = try BundleShelf() }

    private func registry(load: Double = 60, memory: Int = 1 << 30, helper: URL? = nil) -> PluginRegistry {
        var limits = CallLimits()
        // Long enough for a busy machine, short enough for a test that waits for it.
        (limits.load, limits.score, limits.open, limits.close) = (load, 3, 3, 3)
        let registry = PluginRegistry(
            isolation: PluginIsolation(.everything, helper: helper, memoryLimit: memory), searchPath: [shelf.folder],
            limits: limits, logger: shelf.logger)
        registry.scan()
        return registry
    }

    /// A helper program that runs a command of the shell first.
    private func helperProgram(after command: String) throws -> URL {
        let program = shelf.folder.appendingPathComponent("descant-plugin-host")
        let real = try BuiltLibrary.folder.appendingPathComponent("descant-plugin-host").path
        try Data("#!/bin/sh\n\(command)\nexec '\(real)' \"$@\"\n".utf8).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
        return program
    }

    // MARK: Bundles that cannot be loaded

    /// Writes the bundle of a fixture that cannot be loaded and declares WAV files: by the name `sound.fixt`, or by their content.
    private func writeUnloadable(_ fixture: String) throws {
        let library = try BuiltLibrary.fixture(fixture)
        switch fixture {
        case "FixtureMissingSymbol":
            // The bundle writer would refuse it.
            try shelf.forge("Incomplete", library: Data(contentsOf: library)) { manifest in
                manifest.provides = [
                    .decoder("incomplete", signatures: [FileSignature("52494646")]) {
                        throw CoreError.unsupported("never made")
                    }
                ]
            }
        case "FixtureGood":
            let bundle = try shelf.write(library)
            try shelf.changeLibrary(of: bundle) { $0.replaceAll("libFoundation.so", with: "libVanished0n.so") }
        default: try shelf.write(library)
        }
    }

    @Test(arguments: ["FixtureThrows", "FixtureMissingSymbol", "FixtureGood"])
    func gstreamerPlaysTheFileOfABundleThatCannotBeLoaded(_ fixture: String) throws {
        try writeUnloadable(fixture)
        let registry = registry()
        let url = shelf.directory.file("sound.fixt")
        try WAVFile(TestSignal.noise(seconds: 1).samples(), encoding: .int16).write(to: url)
        let isolated = try StreamReader(AudioEnvironment(plugins: registry).makeDecoder(), url).readAll()
        let without = AudioEnvironment(plugins: PluginRegistry(searchPath: []))
        #expect(try isolated == StreamReader(without.makeDecoder(), url).readAll())
        #expect(isolated.count >= 48_000)

        #expect(registry.unavailable.count == 1)
        let refused = try #require(registry.unavailable.first)
        switch (fixture, refused.error) {
        case ("FixtureThrows", .initializerThrew("org.descant.fixture.throws", let message)):
            #expect(message.contains("the dongle is not plugged in"), "\(message)")
            // The reason is kept, as that of a bundle whose code has run in this process is.
            registry.scan()
            #expect(registry.unavailable == [refused])
        case ("FixtureMissingSymbol", .undefinedSymbol(let path, "descant_fixture_defined_nowhere")):
            #expect(path.hasSuffix("/libIncomplete.so"), "\(path)")
        case ("FixtureGood", .missingDependency(let path, "libVanished0n.so")):
            #expect(path.hasSuffix("/libFixtureGood.so"), "\(path)")
        default: Issue.record("\(fixture): \(refused.error)")
        }
        #expect(shelf.logger.messages(.warning).contains { $0.contains("\(refused.error)") })
    }

    /// The host checks the manifest and its signature, and the helper reads it again.
    @Test func manifestThatChangesBeforeTheHelperReadsItIsRefused() throws {
        try shelf.write(BuiltLibrary.fixture("FixtureHostile"))
        let registry = registry(helper: try helperProgram(after: "echo >>\"$3/manifest.json\""))
        let reader = try registry.makeTagReader("hostile-tags")
        let file = try shelf.directory.write(Data("HOST nothing".utf8), to: "file.hostile")
        #expect {
            _ = try reader.read(url: file)
        } throws: {
            "\($0)".contains("it has changed since the host read it")
        }
        #expect(registry.unavailable.map(\.identifier) == ["org.example.hostile"])
    }

    /// The check of the files needs more memory than the plugin may have.
    @Test func bundleMayHaveAFileLongerThanTheMemoryLimit() throws {
        let model = try shelf.directory.write(Data(count: 100 << 20), to: "model.bin")
        try shelf.write(BuiltLibrary.fixture("FixtureHostile"), files: [model])
        let file = try shelf.directory.write(Data("HOST nothing".utf8), to: "file.hostile")
        let reader = try StreamReader(registry(memory: 96 << 20), file)
        #expect(try reader.readAll() == [Float](repeating: 0.25, count: 48_000))
    }

    /// The files are open while the library is loaded, and a plugin may open 256 descriptors.
    @Test func bundleMayHaveMoreFilesThanAPluginMayOpen() throws {
        let files = try (0..<300).map { try shelf.directory.write(Data("\($0)".utf8), to: "part-\($0).bin") }
        try shelf.write(BuiltLibrary.fixture("FixtureHostile"), files: files)
        let file = try shelf.directory.write(Data("HOST nothing".utf8), to: "file.hostile")
        let reader = try StreamReader(registry(), file)
        #expect(try reader.readAll() == [Float](repeating: 0.25, count: 48_000))
    }

    // MARK: Faults before a file is open

    struct Row: Sendable, CustomTestStringConvertible {
        /// What the rogue bundle does, and where.
        var behaviour: String
        /// A part of the reason for the decoder that opens the file.
        var told: String
        /// Whether the bundle is not used again.
        var isRetired = false
        /// How long loading may take, in seconds.
        var load = 60.0
        /// The decoder that opens the file.
        var decoder = "next"
        var testDescription: String { behaviour }
    }

    private static let hanging = "its load did not come back within 3.0 s"
    private static let rows = [
        Row(behaviour: "abort constructor", told: "org.example.rogue crashed (SIGABRT) while it was loaded"),
        Row(behaviour: "abort initialiser", told: "org.example.rogue crashed (SIGABRT) while it was loaded"),
        Row(behaviour: "hang constructor", told: hanging, isRetired: true, load: 3),
        Row(behaviour: "hang initialiser", told: hanging, isRetired: true, load: 3),
        Row(behaviour: "throw initialiser", told: "the rogue threw in its initialiser", isRetired: true),
        Row(behaviour: "abort make", told: "org.example.rogue crashed (SIGABRT) while opening track.rogue"),
        Row(behaviour: "hang make", told: "it did not answer within 3.0 s while opening track.rogue"),
        // The score that the manifest declares counts instead of the decoder's own.
        Row(behaviour: "abort score", told: "rogue of org.example.rogue (score 75", decoder: "rogue"),
        Row(behaviour: "hang score", told: "rogue of org.example.rogue (score 75", decoder: "rogue"),
    ]

    @Test(arguments: rows)
    func nextDecoderOpensTheFile(_ row: Row) throws {
        let registry = try rogueRegistry(row.behaviour, load: row.load)
        let url = try rogueTrack()
        for attempt in 1...2 {
            let stream = try registry.open(url)
            #expect(stream.identifier == row.decoder)
            if row.isRetired, attempt > 1 {
                #expect(!stream.reason.contains("org.example.rogue"), "\(stream.reason)")
            } else {
                #expect(stream.reason.contains(row.told), "\(stream.reason)")
            }
            stream.decoder.close(stream.handle)
        }
        #expect(registry.unavailable.map { "\($0.error)".contains(row.told) } == (row.isRetired ? [true] : []))
    }

    @Test(.timeLimit(.minutes(2))) func loadingThatHangsIsReportedAndTheNextTrackPlays() async throws {
        let registry = try rogueRegistry("hang initialiser", load: 3)
        let player = try AudioEnvironment(plugins: registry).makePlayer(output: .null)
        let next = shelf.directory.file("next.wav")
        try WAVFile(TestSignal.noise(seconds: 0.3).samples(), encoding: .int16).write(to: next)
        let events = player.events
        try await player.loadPlaylist([try rogueTrack(), next])
        var (overdue, ended): ([String], [URL]) = ([], [])
        reading: for await event in events {
            switch event.kind {
            case .mix(.pluginOverdue(let plugin, let operation, _)): overdue.append("\(plugin) \(operation)")
            case .trackEnded(let url): ended.append(url)
            case .playlistEnded: break reading
            default: break
            }
        }
        #expect(overdue == ["org.example.rogue load"])
        #expect(ended.last == next)
    }

    private func rogueTrack() throws -> URL {
        try shelf.directory.write(Data("ROGU".utf8), to: "track.rogue")
    }

    /// A registry whose helpers run the rogue bundle with a fault, and which has another decoder for the names of its files.
    private func rogueRegistry(_ behaviour: String, load: Double) throws -> PluginRegistry {
        try shelf.write(BuiltLibrary.fixture("FixtureRogue"))
        let registry = registry(load: load, helper: try helperProgram(after: "export DESCANT_ROGUE='\(behaviour)'"))
        registry.register(.decoder("next", extensions: ["rogue"]) { BuiltInDecoder("next") })
        return registry
    }
}
