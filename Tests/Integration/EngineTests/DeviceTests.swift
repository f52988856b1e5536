import Descant
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// Devices: listed, chosen, and changed while playing.
@Suite(.serialized, .timeLimit(.minutes(5))) struct DeviceTests {
    @Test func outputsWithoutDevicesListNone() async throws {
        let offline = try OfflineEngine()
        #expect(try await offline.engine.outputDevices() == [])
        await #expect(throws: CoreError.self) { try await offline.engine.selectOutput("anything") }
    }

    @Test func devicesAreListedAndUnknownOnesRefused() async throws {
        let server = try PrivatePulseServer()
        let engine = try OfflineEngine.environment.makeEngine(output: .pulse(server: server.address))
        let devices = try await engine.outputDevices()
        #expect(
            Set(devices.map(\.identifier)) == [PrivatePulseServer.defaultSink, PrivatePulseServer.otherSink])
        #expect(devices.filter(\.isDefault).map(\.identifier) == [PrivatePulseServer.defaultSink])
        await #expect(throws: CoreError.self) { try await engine.selectOutput("moon") }
        await engine.shutdown()
    }

    @Test func changingTheDeviceLosesNoFrame() async throws {
        var heard = HeardFrames([])
        // A busy server may drop some milliseconds by itself, or play an old device for longer: more tries are allowed.
        for _ in 0..<8 {
            let server = try PrivatePulseServer()
            heard = try await DeviceChanges(server: server.address).play()
            if heard.first == 0, heard.missing == 0, heard.doubled <= 3 * 9_600, heard.last > 96_000 { break }
        }
        #expect(heard.first == 0)
        #expect(heard.missing == 0, "heard nowhere; at the changes: \(heard)")
        // Each of the three changes repeats the frames that the old device played until it was closed.
        #expect(heard.doubled <= 3 * 9_600, "\(heard)")
        #expect(heard.last > 96_000)
    }

    @Test func selectingTheCurrentDeviceChangesNothing() async throws {
        let server = try PrivatePulseServer()
        let heard = try await DeviceChanges(
            server: server.address, devices: [PrivatePulseServer.defaultSink, PrivatePulseServer.defaultSink]
        ).play()
        #expect(heard.doubled == 0, "\(heard)")
    }

    /// The server takes the stream to its new default for a moment: it binds none to the device that is the default.
    @Test(arguments: PrivateSoundServer.Kind.allCases)
    func chosenDeviceKeepsTheSoundWhenTheDefaultChanges(on kind: PrivateSoundServer.Kind) async throws {
        let (chosen, other) = (PrivatePulseServer.defaultSink, PrivatePulseServer.otherSink)
        let server = try PrivateSoundServer(kind)
        let directory = try TemporaryDirectory()
        let file = try FixtureEncoder().encode(
            TestSignal.ramp(frames: 48_000 * 60).samples(), as: .flac(bits: 16), to: directory.file("ramp.flac"))
        let engine = try OfflineEngine.environment.makeEngine(output: .pulse(latency: 0.1, server: server.address))
        let events = engine.mixEvents.buffered(.bounded(1_024)).numbered
        let speakers = try await MonitorRecording(of: chosen, at: server.address)
        let deck = try await engine.openDeck(.url(file), gain: 1, isClip: false).id
        try await engine.play(deck, on: engine.mainLayer, entry: .cut, loop: nil)
        try await engine.setFollowUp(.nothing, on: engine.mainLayer)
        try await speakers.wait(frames: speakers.frameCount + 24_000)
        try await engine.selectOutput(chosen)
        for _ in 0..<2 {
            try server.control.setDefaultSink(chosen)
            try await waitUntilHeard(on: chosen, at: server.address)
            try server.control.setDefaultSink(other)
            #expect(await nextDevices(2, in: events) == [other, chosen])
            try await waitUntilHeard(on: chosen, at: server.address)
            #expect(try await !isHeard(on: other, at: server.address))
        }
        await engine.shutdown()
        _ = await speakers.stop()
    }

    /// Records half a second anew: a recording goes with the default device as well.
    private func isHeard(on device: String, at address: String) async throws -> Bool {
        let recording = try await MonitorRecording(of: device, at: address)
        try await recording.wait(frames: recording.frameCount + 24_000)
        let isHeard = recording.newest(frames: 4_800).contains { $0 != 0 }
        _ = await recording.stop()
        return isHeard
    }

    /// On a busy machine the sound may break off for a while.
    private func waitUntilHeard(on device: String, at address: String) async throws {
        while try await !isHeard(on: device, at: address) {}
    }

    private func nextDevices(_ count: Int, in events: AsyncStream<Numbered<MixEvent>>) async -> [String] {
        var devices: [String] = []
        for await numbered in events {
            if case .outputChanged(let device) = numbered.event.kind { devices.append(device) }
            if devices.count == count { break }
        }
        return devices
    }
}
