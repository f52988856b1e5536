import Descant
import DescantTesting
import Foundation
import Testing

/// Devices: listed, chosen, and changed while playing.
@Suite(.serialized, .timeLimit(.minutes(5))) struct Row17DeviceTests {
    @Test func row17OutputsWithoutADeviceSayThatTheyHaveNone() async throws {
        let offline = try OfflineEngine()
        #expect(try await offline.engine.outputDevices() == [])
        await #expect(throws: CoreError.self) { try await offline.engine.selectOutput("anything") }
    }

    @Test func row17DevicesAreListedAndUnknownOnesRefused() async throws {
        let server = try PrivatePulseServer()
        let engine = try OfflineEngine.environment.makeEngine(output: .pulse(server: server.address))
        let devices = try await engine.outputDevices()
        #expect(
            Set(devices.map(\.identifier)) == [PrivatePulseServer.defaultSink, PrivatePulseServer.otherSink])
        #expect(devices.filter(\.isDefault).map(\.identifier) == [PrivatePulseServer.defaultSink])
        await #expect(throws: CoreError.self) { try await engine.selectOutput("moon") }
        await engine.shutdown()
    }

    @Test func row17ChangingTheDeviceLosesNothingOfWhatWasRendered() async throws {
        let server = try PrivatePulseServer()
        let engine = try OfflineEngine.environment.makeEngine(output: .pulse(latency: 0.1, server: server.address))
        let directory = try TemporaryDirectory()
        let file = try FixtureEncoder().encode(
            TestSignal.ramp(frames: 48_000 * 60).samples(), as: .flac(bits: 16), to: directory.file("ramp.flac"))
        let deck = try await engine.openDeck(.url(file), gain: 1, isClip: false).id
        let speakers = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        let headphones = try await MonitorRecording(of: PrivatePulseServer.otherSink, on: server)
        let events = engine.mixEvents.buffered(.bounded(1_024)).numbered
        try await engine.play(deck, on: engine.mainLayer, entry: .cut, loop: nil)
        try await engine.setFollowUp(.nothing, on: engine.mainLayer)
        try await speakers.wait(frames: speakers.frameCount + 48_000)
        try await engine.selectOutput(PrivatePulseServer.otherSink)
        for await numbered in events {
            if case .outputChanged(let device) = numbered.event.kind {
                #expect(device == PrivatePulseServer.otherSink)
                break
            }
        }
        try await headphones.wait(frames: headphones.frameCount + 48_000)
        await engine.shutdown()
        let first = RampAnalysis.runs(in: await speakers.stop()).filter { $0.kind != .silence }
        let second = RampAnalysis.runs(in: await headphones.stop()).filter { $0.kind != .silence }
        #expect(first.first?.kind == .source(0))
        let end = try #require(first.last?.sourceEnd)
        guard case .source(let start)? = second.first?.kind else {
            Issue.record("nothing was heard on the other device: \(second.prefix(5))")
            return
        }
        // What the first sink holds may be heard on both devices, but nothing on neither.
        #expect(start <= end + 480, "heard up to \(end), went on from \(start)")
        #expect(end - start <= 9_600, "heard up to \(end), went on from \(start)")
    }
}
