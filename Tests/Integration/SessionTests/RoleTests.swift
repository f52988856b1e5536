import Descant
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// The role of our stream, as the sound server lists it, and what a server does by it.
@Suite("Roles of streams", .serialized, .timeLimit(.minutes(5)))
struct RoleTests {
    /// A text that takes minutes to speak.
    private static let text = MediaContent.text(
        String(repeating: "one two three four five. ", count: 200), language: "en")

    /// A controller with a voice and an engine for files, which share a mixer and so a stream.
    private final class Reader: Sendable {
        let server: PrivateSoundServer
        let session: AudioSessionCoordinator
        let engine: any MixingEngine
        let controller: MediaPlaybackController
        let file: URL
        private let directory: TemporaryDirectory

        init(
            _ kind: PrivateSoundServer.Kind, modules: [String] = [], configuration: AudioSessionConfiguration? = nil
        ) async throws {
            server = try PrivateSoundServer(kind, modules: modules)
            session = AudioSessionCoordinator(port: PatientSession(server: server.address))
            // A stream that is silent for long, as on a busy machine, is not released.
            engine = try AudioEnvironment(plugins: PluginRegistry(searchPath: []))
                .makeEngine(output: .pulse(latency: 0.1, server: server.address), idleRelease: 600)
            controller = MediaPlaybackController(
                catalog: Engines(mixer: engine), session: session, configuration: configuration)
            directory = try TemporaryDirectory(label: "descant-roles")
            file = try FixtureEncoder().encode(
                TestSignal.ramp(frames: 48_000 * 30).samples(), as: .flac(bits: 16), to: directory.file("ramp.flac"))
        }

        /// Plays on the engine that the controller chooses for the content.
        func play(_ content: MediaContent) async throws {
            try await controller.loadContent(content)
            try await controller.play()
        }

        /// Waits until our stream has a role.
        func wait(for role: AudioRole) async throws {
            while try ownStream()?.role != role.rawValue { await Task.yield() }
        }

        func ownStream() throws -> ServerControl.Stream? {
            try server.control.streams().first { $0.process == getpid() }
        }

        func end() async {
            await controller.stop()
            await engine.shutdown()
        }
    }

    private struct Engines: EngineCatalog {
        let mixer: any MixingEngine

        var engines: [String] { ["gstreamer", "tones"] }

        func refusal(of identifier: String) -> String? {
            engines.contains(identifier) ? nil : "there is no such engine"
        }

        func makeEngine(_ identifier: String) async throws -> any MediaEngine {
            guard identifier == "tones" else { return mixer }
            return SpeechEngine(identifier: "tones", synthesizer: ToneSynthesizer(), mixer: mixer)
        }
    }

    @Test("Speech has the role a11y, music the role music", arguments: PrivateSoundServer.Kind.allCases)
    func speechAndMusic(kind: PrivateSoundServer.Kind) async throws {
        let reader = try await Reader(kind)
        try await reader.play(Self.text)
        try await reader.wait(for: .speech)
        let stream = try reader.ownStream()?.index
        await reader.controller.stop()
        try await reader.play(.url(reader.file))
        try await reader.wait(for: .music)
        // The stream that spoke plays the music, with another role.
        #expect(try reader.ownStream()?.index == stream)
        await reader.end()
    }

    @Test("A stream has the role of the session's configuration", arguments: PrivateSoundServer.Kind.allCases)
    func configured(kind: PrivateSoundServer.Kind) async throws {
        let reader = try await Reader(kind, configuration: AudioSessionConfiguration(role: .video))
        try await reader.play(.url(reader.file))
        try await reader.wait(for: .video)
        await (reader.engine as? any StreamRoleEngine)?.setStreamRole(AudioRole(rawValue: ""))
        try await reader.wait(for: AudioRole(rawValue: ""))
        await reader.end()
    }

    @Test("A new engine's stream has its role from the start", arguments: PrivateSoundServer.Kind.allCases)
    func given(kind: PrivateSoundServer.Kind) async throws {
        let server = try PrivateSoundServer(kind)
        let engine = try AudioEnvironment(plugins: PluginRegistry(searchPath: []))
            .makeEngine(output: .pulse(server: server.address), role: .game)
        let voice = SpeechEngine(identifier: "tones", synthesizer: ToneSynthesizer(), mixer: engine)
        try await voice.loadContent(Self.text)
        try await voice.play()
        var stream: ServerControl.Stream?
        while stream == nil {
            stream = try server.control.streams().first { $0.process == getpid() }
            await Task.yield()
        }
        #expect(stream?.role == AudioRole.game.rawValue)
        await voice.stop()
        await engine.shutdown()
    }

    @Test("A server that is set up so mutes music while text is read aloud, and no longer")
    func serverActsByTheRole() async throws {
        let cork = "module-role-cork trigger_roles=a11y cork_roles=music"
        let reader = try await Reader(.pulseAudio, modules: [cork])
        try reader.server.startOther(role: "music")
        func isMuted() throws -> Bool? {
            try reader.server.control.streams().first { $0.process != getpid() && $0.role == "music" }?.isMuted
        }
        while try isMuted() != false { await Task.yield() }
        try await reader.play(Self.text)
        while try isMuted() != true { await Task.yield() }
        await reader.controller.stop()
        // The same stream plays music, and the server sees the new role.
        try await reader.play(.url(reader.file))
        while try isMuted() != false { await Task.yield() }
        await reader.end()
    }
}
