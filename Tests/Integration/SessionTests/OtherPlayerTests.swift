import Descant
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// Another program plays on the same sound server and obeys the media keys of the same bus.
@Suite("Other players on real servers", .serialized, .timeLimit(.minutes(5)))
struct OtherPlayerTests {
    /// What the other player plays: a track, or an overlay alone.
    enum Sound: String, CaseIterable, Sendable { case music, rain }

    /// Requests to other players, which on a busy machine may answer too late: they are asked again.
    private struct PatientRequests: OtherPlayersPort {
        private let others: MPRISOtherPlayers

        init(busAddress: String) { others = MPRISOtherPlayers(busAddress: busAddress) }

        func pauseOthers() async -> [String] {
            for _ in 0..<4 {
                let paused = await others.pauseOthers()
                if !paused.isEmpty { return paused }
            }
            return []
        }

        func resume(_ players: [String]) async { await others.resume(players) }
    }

    /// Our player and the other one.
    private final class Pair: Sendable {
        let server: PrivateSoundServer
        let log = RecordingLogger()
        let player: AudioPlayerService
        private let bus: PrivateBus
        private let engine: any MixingEngine
        private let directory: TemporaryDirectory
        private let file: URL
        private let other: Process

        init(_ kind: PrivateSoundServer.Kind, sound: Sound = .music) throws {
            server = try PrivateSoundServer(kind)
            bus = try PrivateBus()
            let session = AudioSessionCoordinator(
                port: PatientSession(server: server.address), others: PatientRequests(busAddress: bus.address),
                logger: log)
            engine = try AudioEnvironment(plugins: PluginRegistry(searchPath: []))
                .makeEngine(output: .pulse(latency: 0.1, server: server.address))
            player = AudioPlayerService(engine: engine, session: session)
            directory = try TemporaryDirectory(label: "descant-others")
            file = try FixtureEncoder().encode(
                TestSignal.ramp(frames: 48_000 * 120).samples(), as: .flac(bits: 16), to: directory.file("ramp.flac"))
            other = Process()
            other.executableURL = try TestProgram.named("OtherPlayer")
            other.arguments = [server.address, bus.address, file.path, sound.rawValue]
            try other.run()
        }

        deinit { if other.isRunning { other.terminate() } }

        /// The stream of the other program, which ends soon after a pause.
        func otherStream() throws -> UInt32? {
            try server.control.streams().first { $0.process == other.processIdentifier && !$0.isCorked }?.index
        }

        /// Waits until the other program plays, or does not.
        func waitForOther(isPlaying: Bool) async throws {
            while try (otherStream() != nil) != isPlaying {
                try Task.checkCancellation()
                await Task.yield()
            }
        }

        func play(mixes: Bool) async throws {
            let configuration = PlayerConfiguration(crossfadeDuration: 0, mixWithOthers: mixes)
            try await player.startPlaying(url: file, configuration: configuration)
            while try !server.control.streams().contains(where: { $0.process == getpid() }) { await Task.yield() }
        }

        func end() async {
            await player.stop(fadeDuration: 0)
            await engine.shutdown()
            other.terminate()
        }
    }

    @Test(
        "Without mixWithOthers the other player is silent while ours plays, and plays on afterwards",
        arguments: PrivateSoundServer.Kind.allCases, Sound.allCases)
    func alone(kind: PrivateSoundServer.Kind, sound: Sound) async throws {
        let pair = try Pair(kind, sound: sound)
        try await pair.waitForOther(isPlaying: true)
        try await pair.play(mixes: false)
        try await pair.waitForOther(isPlaying: false)
        // The end of a session waits until other players have answered, and its record is written then.
        await pair.player.stop(fadeDuration: 0)
        #expect(pair.log.events.contains { $0.name == "session.othersPaused" })
        try await pair.waitForOther(isPlaying: true)
        await pair.end()
    }

    @Test("With mixWithOthers both play", arguments: PrivateSoundServer.Kind.allCases)
    func mixed(kind: PrivateSoundServer.Kind) async throws {
        let pair = try Pair(kind)
        try await pair.waitForOther(isPlaying: true)
        let stream = try pair.otherStream()
        try await pair.play(mixes: true)
        // Behind this, a pause would have been asked for: the end of a session waits until other players have answered.
        await pair.player.stop(fadeDuration: 0)
        #expect(!pair.log.events.contains { $0.name == "session.othersPaused" })
        #expect(try pair.otherStream() == stream)
        await pair.end()
    }
}
