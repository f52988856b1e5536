import Descant
import DescantTestSupport
import DescantTesting
import Foundation

/// Plays a ramp and changes the device while it plays.
struct DeviceChanges {
    let server: String
    /// The devices in order; playback begins on the first of the two sinks.
    var devices = [
        PrivatePulseServer.otherSink, PrivatePulseServer.defaultSink, PrivatePulseServer.otherSink,
    ]

    /// - Returns: The frames heard on both devices together.
    func play() async throws -> HeardFrames {
        let directory = try TemporaryDirectory()
        let file = try FixtureEncoder().encode(
            TestSignal.ramp(frames: 48_000 * 60).samples(), as: .flac(bits: 16), to: directory.file("ramp.flac"))
        let engine = try OfflineEngine.environment.makeEngine(
            output: .pulse(device: PrivatePulseServer.defaultSink, latency: 0.1, server: server))
        let deck = try await engine.openDeck(.url(file), gain: 1, isClip: false).id
        let recordings = [
            try await MonitorRecording(of: PrivatePulseServer.defaultSink, at: server),
            try await MonitorRecording(of: PrivatePulseServer.otherSink, at: server),
        ]
        let events = engine.mixEvents.buffered(.bounded(1_024)).numbered
        try await engine.play(deck, on: engine.mainLayer, entry: .cut, loop: nil)
        try await engine.setFollowUp(.nothing, on: engine.mainLayer)
        try await recordings[0].wait(frames: recordings[0].frameCount + 48_000)
        var present = PrivatePulseServer.defaultSink
        for device in devices {
            try await engine.selectOutput(device)
            if device != present { await reported(device, in: events) }
            present = device
            for recording in recordings { try await recording.wait(frames: recording.frameCount + 24_000) }
        }
        await engine.shutdown()
        return HeardFrames([
            SampleBuffer(stereo: await recordings[0].stop()), SampleBuffer(stereo: await recordings[1].stop()),
        ])
    }

    private func reported(_ device: String, in events: AsyncStream<Numbered<MixEvent>>) async {
        for await numbered in events {
            if case .outputChanged(device) = numbered.event.kind { return }
        }
    }
}
