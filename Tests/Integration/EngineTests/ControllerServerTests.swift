import Descant
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// A controller whose sound server is lost and returns.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ControllerServerTests {
    @Test func playbackResumesWhereTheServerWasLost() async throws {
        var loss: Loss?
        for _ in 0..<5 where loss == nil { loss = try await lose() }
        let (last, first) = try #require(loss, "the recorder came too late each time")
        // When the server ends, the recorder loses its buffer and the data on the way to it.
        #expect((-2_400...14_400).contains(first - last), "heard up to \(last), went on from \(first)")
    }

    /// The frames of the ramp that were heard last before the loss and first after it.
    private typealias Loss = (last: Int64, first: Int64)

    /// - Returns: `nil` when the recorder started after the sound, because both wait for the same server.
    private func lose() async throws -> Loss? {
        let server = try PrivatePulseServer()
        let directory = try TemporaryDirectory()
        let file = try FixtureEncoder().encode(
            TestSignal.ramp(frames: 48_000 * 60).samples(), as: .flac(bits: 16), to: directory.file("ramp.flac"))
        let log = RecordingLogger()
        let environment = AudioEnvironment(plugins: PluginRegistry(searchPath: []), logger: log)
        let session = AudioSessionCoordinator(port: PulseAudioSession(server: server.address), logger: log)
        let controller = environment.makeController(
            output: .pulse(device: PrivatePulseServer.defaultSink, latency: 0.1, server: server.address),
            session: session)
        let events = controller.events.buffered(.bounded(256)).numbered
        let before = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        try await controller.loadContent(.url(file))
        try await controller.play()
        #expect(log.entries.allSatisfy { $0.level <= .info }, "\(log.entries)")
        try await before.wait(soundingFrames: 48_000)
        server.kill()
        await log.wait(for: "session.serverLost")
        for await numbered in events { if case .outputLost = numbered.event { break } }
        let frozen = await controller.progress.position
        let last = try #require(
            RampAnalysis.runs(in: SampleBuffer(stereo: await before.stop())).compactMap(\.sourceEnd).max())
        #expect(await controller.state.activity == .playing)
        try server.start()
        let after = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        let isInTime = await controller.progress.position <= frozen + 0.01
        await log.wait(for: "session.serverRestored")
        try await after.wait(soundingFrames: 48_000)
        let samples = SampleBuffer(stereo: await after.stop())
        await controller.stop()
        #expect(log.events.count { $0.name == "session.serverLost" } == 1)
        #expect(log.events.count { $0.name == "session.serverRestored" } == 1)
        #expect(log.events.last?.name == "session.deactivate")
        let runs = RampAnalysis.runs(in: samples).filter { $0.kind != .silence }
        let first: Int64? = if case .source(let frame)? = runs.first?.kind { frame } else { nil }
        return isInTime ? (last, try #require(first, "heard with the server back: \(runs.prefix(5))")) : nil
    }
}
