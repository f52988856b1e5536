import Descant
import DescantTesting
import Foundation
import Testing

/// The contract of every engine: of the built-in one, of those of bundles, and of a player as an engine.
@Suite(.timeLimit(.minutes(10))) struct MediaEngineContractTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// The contract with FLAC files, and files that no engine can open.
    private func fileContract(
        _ makeEngine: @escaping @Sendable () async throws -> any MediaEngine
    ) throws -> MediaEngineContract {
        func file(_ name: String, seconds: Double) throws -> MediaContent {
            .url(
                try FixtureEncoder().make(.sine(440, seconds: seconds), as: .flac(bits: 16), named: name, in: directory)
            )
        }
        let text = try directory.write(Data("Not a sound.\n".utf8), to: "note.flac")
        let noise = try directory.write(
            Data((0..<9_000).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 31 &+ $0 / 7) }), to: "noise.mp3")
        let missing = directory.file("missing.flac")
        return MediaEngineContract(
            content: try file("long", seconds: 8), short: try file("short", seconds: 1),
            refused: [
                .init(.url(missing), named: "missing.flac"), .init(.url(text), named: "note.flac"),
                .init(.url(noise), named: "noise.mp3"),
                .init(.url(directory.url), named: directory.url.lastPathComponent),
            ], makeEngine: makeEngine)
    }

    @Test(arguments: MediaEngineContract.Rule.allCases)
    func mpvKeepsIt(rule: MediaEngineContract.Rule) async throws {
        let registry = try SpeechBundle("MpvEngine").registry
        let contract = try fileContract {
            let engine = try registry.makeEngine("mpv")
            try await (engine as? any DeviceEngine)?.setOutput(.null)
            return engine
        }
        let findings = await contract.check(rule)
        #expect(findings == [], "\(findings)")
    }

    @Test(arguments: MediaEngineContract.Rule.allCases)
    func theBuiltInEngineKeepsIt(rule: MediaEngineContract.Rule) async throws {
        let environment = AudioEnvironment(plugins: PluginRegistry(searchPath: []))
        let contract = try fileContract { try environment.makeEngine(output: .null) }
        let findings = await contract.check(rule)
        #expect(findings == [], "\(findings)")
    }

    @Test(arguments: MediaEngineContract.Rule.allCases)
    func aPlayerKeepsIt(rule: MediaEngineContract.Rule) async throws {
        let environment = AudioEnvironment(plugins: PluginRegistry(searchPath: []))
        let contract = try fileContract {
            AudioPlayerEngine(AudioPlayerService(engine: try environment.makeEngine(output: .null)))
        }
        let findings = await contract.check(rule)
        #expect(findings == [], "\(findings)")
    }

    @Test(arguments: MediaEngineContract.Rule.allCases)
    func aVoiceKeepsIt(rule: MediaEngineContract.Rule) async throws {
        let registry = try SpeechBundle("FliteSpeech").registry
        let sound = directory.file("sound.flac")
        let environment = AudioEnvironment(plugins: registry)
        let long = (0..<12).map { "Sentence number \($0) is about rivers." }.joined(separator: " ")
        let contract = MediaEngineContract(
            content: .text(long, language: "en"), short: .text("One.", language: "en"),
            refused: [.init(.url(sound), named: "sound.flac")]
        ) { try await environment.makeSpeech("flite", output: .null) }
        let findings = await contract.check(rule)
        #expect(findings == [], "\(findings)")
    }

    @Test(arguments: MediaEngineContract.Rule.allCases)
    func theToneEngineKeepsIt(rule: MediaEngineContract.Rule) async throws {
        let registry = try SpeechBundle("ToneEngine").registry
        func tone(_ text: String) throws -> MediaContent { .url(try #require(URL(string: text))) }
        let contract = MediaEngineContract(
            content: try tone("tone:440?seconds=8"), short: try tone("tone:440?seconds=1"),
            refused: [.init(try tone("tone:-3"), named: "tone:-3")]
        ) {
            let environment = AudioEnvironment(plugins: PluginRegistry(searchPath: []))
            return try registry.makeEngine("tone", mixer: try environment.makeEngine(output: .null))
        }
        let findings = await contract.check(rule)
        #expect(findings == [], "\(findings)")
    }
}
