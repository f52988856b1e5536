import Descant
import DescantTesting
import Foundation
import Testing

/// `DefaultPlaybackService` on the real pair: GStreamer's decoder with a file and with a sound server.
struct ServicePairTests {
    private let directory: TemporaryDirectory
    private let sound: SampleBuffer
    private let url: URL

    init() throws {
        directory = try TemporaryDirectory(label: "descant-pair")
        sound = TestSignal.ramp(frames: 60_000, sampleRate: 48_000).samples()
        url = try FixtureEncoder().encode(sound, as: .flac(bits: 16), to: directory.file("ramp.flac"))
    }

    private func service(_ output: GStreamerOutput) -> DefaultPlaybackService {
        DefaultPlaybackService(
            decoder: GStreamerDecoder(), audio: output, clock: MonotonicClock(), logger: NoopLogger())
    }

    private func wait(for state: PlaybackState, _ service: DefaultPlaybackService) async {
        for await present in service.stateUpdates where present == state { return }
    }

    @Test(.timeLimit(.minutes(2))) func aFileGetsEveryFrameExactly() async throws {
        let file = directory.file("output.wav")
        let service = service(GStreamerOutput(destination: .wav(file, .f32)))
        try service.load(url: url)
        try service.seek(to: 0.5)
        try service.play()
        await wait(for: .stopped, service)
        #expect(try WAVFile(contentsOf: file).content == sound.slice(24_000..<60_000))
        try service.play()
        await wait(for: .stopped, service)
        #expect(try WAVFile(contentsOf: file).content == sound, "a start after the end begins the file anew")
    }

    @Test(.timeLimit(.minutes(2))) func aListenerHearsEveryFrameOfTheFile() async throws {
        let server = try PrivatePulseServer()
        let recording = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        let service = service(GStreamerOutput(destination: .pulse(server: server.address)))
        try service.load(url: url)
        try service.play()
        while service.currentTime() < 0.4 { try await Task.sleep(for: .milliseconds(5)) }
        service.pause()
        let frozen = service.currentTime()
        #expect(frozen < 1.25)
        try service.play()
        #expect(abs(service.currentTime() - frozen) < 0.05)
        await wait(for: .stopped, service)
        let heard = await recording.stop()
        let indices = (0..<heard.frameCount).compactMap { frame in
            RampCode.index(of: heard.samples[2 * frame..<2 * frame + 2])
        }
        // A pause falls between two frames of the device, so a few milliseconds may be heard twice or not at all.
        #expect(Set(indices).count > 58_000, "\(Set(indices).count) of 60000 frames were heard")
        #expect(indices.last == 59_999, "the rest is played before the end")
    }
}
