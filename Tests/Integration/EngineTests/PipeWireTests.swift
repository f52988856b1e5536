import Descant
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// The pulse output on PipeWire's PulseAudio service. PipeWire sometimes drops some milliseconds, with any player, so the
/// tests check that no more is lost and that the order is kept.
@Suite(.serialized, .timeLimit(.minutes(5))) struct PipeWireTests {
    /// The number of frames that PipeWire itself may lose in some seconds.
    private static let tolerance: Int64 = 4_800

    @Test func soundMovesBetweenDevicesOfPipeWire() async throws {
        var heard = HeardFrames([])
        for _ in 0..<5 {
            let server = try PrivatePipeWireServer()
            heard = try await DeviceChanges(server: server.address).play()
            let isWhole = heard.missing <= Self.tolerance && heard.first <= Self.tolerance
            if isWhole, heard.last > 96_000, heard.doubled <= 3 * 14_400 { break }
        }
        #expect(heard.first <= Self.tolerance && heard.last > 96_000, "from \(heard.first) to \(heard.last)")
        #expect(heard.missing <= Self.tolerance, "\(heard)")
        #expect(heard.doubled <= 3 * 14_400, "\(heard)")
    }

    @Test func playbackResumesAfterPipeWireRestarts() async throws {
        var loss: Loss?
        // A busy PipeWire or its recorder may drop more by itself: more tries are allowed.
        for _ in 0..<5 where loss.map({ !Self.isWhole($0) }) ?? true { loss = try await lose() ?? loss }
        let (frozen, heard) = try #require(loss, "the recorder came too late each time")
        let skipped = Double(heard.first) - frozen
        #expect((-48...Double(Self.tolerance)).contains(skipped), "froze at \(frozen), went on at \(heard.first)")
        #expect(heard.last - heard.first > 24_000, "\(heard)")
    }

    /// The frame at which playback stopped, and the sound after it.
    private typealias Loss = (frozen: Double, heard: HeardFrames)

    private static func isWhole(_ loss: Loss) -> Bool {
        let skipped = Double(loss.heard.first) - loss.frozen
        return (-48...Double(tolerance)).contains(skipped) && loss.heard.last - loss.heard.first > 24_000
    }

    /// - Returns: `nil` when the recorder started after the sound, because both wait for the same server.
    private func lose() async throws -> Loss? {
        let server = try PrivatePipeWireServer()
        let directory = try TemporaryDirectory()
        let file = try FixtureEncoder().encode(
            TestSignal.ramp(frames: 48_000 * 60).samples(), as: .flac(bits: 16), to: directory.file("ramp.flac"))
        let output = OutputDestination.pulse(
            device: PrivatePipeWireServer.defaultSink, latency: 0.2, server: server.address)
        let engine = try OfflineEngine.environment.makeEngine(output: output)
        let events = engine.mixEvents.buffered(.bounded(1_024)).numbered
        let before = try await MonitorRecording(of: PrivatePipeWireServer.defaultSink, at: server.address)
        let deck = try await engine.openDeck(.url(file), gain: 1, isClip: false).id
        try await engine.play(deck, on: engine.mainLayer, entry: .cut, loop: nil)
        try await engine.setFollowUp(.nothing, on: engine.mainLayer)
        try await before.wait(soundingFrames: 48_000)
        server.kill()
        for await numbered in events { if case .outputLost = numbered.event.kind { break } }
        let frozen = await engine.status(of: engine.mainLayer).position * 48_000
        #expect(HeardFrames([SampleBuffer(stereo: await before.stop())]).last > 24_000)
        let again = engine.mixEvents.buffered(.bounded(1_024)).numbered
        try server.start()
        let after = try await MonitorRecording(of: PrivatePipeWireServer.defaultSink, at: server.address)
        let isInTime = await engine.status(of: engine.mainLayer).position * 48_000 <= frozen + 480
        for await numbered in again { if case .outputRestored = numbered.event.kind { break } }
        try await after.wait(soundingFrames: 36_000)
        await engine.shutdown()
        let heard = HeardFrames([SampleBuffer(stereo: await after.stop())])
        return isInTime ? (frozen, heard) : nil
    }
}
