import Descant
import DescantTesting
import Foundation
import Testing

/// A controller whose sound server dies and returns.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ControllerServerTests {
    @Test func playingGoesOnWhereTheServerWasLost() async throws {
        let server = try PrivatePulseServer()
        let directory = try TemporaryDirectory()
        let file = try FixtureEncoder().encode(
            TestSignal.ramp(frames: 48_000 * 60).samples(), as: .flac(bits: 16), to: directory.file("ramp.flac"))
        let log = RecordingLogger()
        let environment = AudioEnvironment(plugins: PluginRegistry(searchPath: []), logger: log)
        let session = AudioSessionCoordinator(port: PulseAudioSession(server: server.address), logger: log)
        let controller = environment.makeController(
            output: .pulse(latency: 0.1, server: server.address), session: session)
        let before = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        try await controller.loadContent(.url(file))
        try await controller.play()
        #expect(log.entries.allSatisfy { $0.level <= .info }, "\(log.entries)")
        try await before.wait(frames: before.frameCount + 72_000)
        server.kill()
        await log.wait(for: "session.serverLost")
        let heard = RampAnalysis.runs(in: await before.stop()).compactMap(\.sourceEnd)
        #expect(await controller.state.activity == .playing)
        try server.start()
        let after = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        await log.wait(for: "session.serverRestored")
        try await after.wait(frames: after.frameCount + 96_000)
        let samples = await after.stop()
        await controller.stop()
        guard case .source(let first)? = RampAnalysis.runs(in: samples).first(where: { $0.kind != .silence })?.kind
        else {
            Issue.record("nothing was heard when the server was back")
            return
        }
        let last = try #require(heard.max())
        // The recorder itself loses what it holds when the server dies.
        #expect((-2_400...4_800).contains(first - last), "heard up to \(last), went on from \(first)")
        #expect(log.events.count { $0.name == "session.serverLost" } == 1)
        #expect(log.events.count { $0.name == "session.serverRestored" } == 1)
        #expect(log.events.last?.name == "session.deactivate")
    }
}
