import DescantCore
import DescantMixing
import Testing

@testable import DescantGStreamer

/// Outputs without a device rest while nothing sounds, and hurry when something begins.
@Suite("Sleep and wake-up of outputs without a device", .serialized, .timeLimit(.minutes(3)))
struct RestTests {
    let stereo = PCMFormat(sampleRate: 48_000, channels: 2)

    @Test("An output rests in silence; what sounds then follows without a gap in the numbering")
    func sleepsUntilWoken() async throws {
        let source = RestingSource(sounds: false)
        let mix = CollectedMix()
        let output = try GStreamerMixOutput(
            format: stereo, destination: .callback(.realTime, mix.receive), blockFrames: 480)
        output.connect(source: source) { _ in }
        try await output.start()
        try await mix.wait(frames: 12_000)
        // What another output plays meanwhile is the clock that tells how long this one has rested.
        try await play(seconds: 0.5)
        #expect(source.renderedFrames == 12_000)
        #expect(output.heardFrame == 12_000)
        source.setSounds(true)
        output.wake()
        try await mix.wait(frames: 21_600)
        await output.suspend()
        #expect(output.heardFrame == source.renderedFrames)
        await output.shutdown()
        #expect(mix.isContiguous)
        #expect(mix.samples[..<24_000].allSatisfy { $0 == 0 })
        #expect(mix.samples[24_000] == 1.0 / 1_048_576)
        #expect(mix.samples[43_198] == 9_600.0 / 1_048_576)
    }

    private func play(seconds: Double) async throws {
        let mix = CollectedMix()
        let output = try GStreamerMixOutput(format: stereo, destination: .callback(.realTime, mix.receive))
        output.connect(source: RestingSource(sounds: true)) { _ in }
        try await output.start()
        try await mix.wait(frames: Int(seconds * 48_000))
        await output.shutdown()
    }

    @Test("An output that was shortened while it rendered silence does not fall asleep over what sounds")
    func wakeIsNotLost() async throws {
        let source = RestingSource(sounds: false)
        let mix = CollectedMix()
        let output = try GStreamerMixOutput(
            format: stereo, destination: .callback(.realTime, mix.receive), blockFrames: 480)
        output.connect(source: source) { _ in }
        try await output.start()
        // The rest begins 12,000 frames after the first silent one, which cannot come before this count.
        var silentFrom = 0
        for round in 1...20 {
            // Shortly before the rest begins; later, there would be nothing more to wait for.
            try await mix.wait(frames: silentFrom + 11_520 + 96 * (round % 5))
            source.setSounds(true)
            output.wake()
            try await mix.wait(frames: mix.frameCount + 960)
            silentFrom = mix.frameCount
            source.setSounds(false)
            output.wake()
        }
        await output.shutdown()
        #expect(mix.isContiguous)
    }

    @Test("A shortened block comes before it is due, but no second one")
    func earlyRenderingIsBounded() async throws {
        let source = RestingSource(sounds: true)
        let mix = CollectedMix()
        let output = try GStreamerMixOutput(
            format: stereo, destination: .callback(.realTime, mix.receive), blockFrames: 96_000)
        output.connect(source: source) { _ in }
        let began = ContinuousClock.now
        try await output.start()
        try await mix.wait(frames: 96_000)
        output.wake()
        try await mix.wait(frames: 192_000)
        // The first block is still being played, unless the machine had us wait for as long as it lasts.
        #expect(output.heardFrame < 96_000 || ContinuousClock.now - began >= .seconds(2))
        output.wake()
        try await mix.wait(frames: 288_000)
        #expect(output.heardFrame >= 96_000)
        await output.shutdown()
    }

    @Test("The end waits until everything was played, or for nothing when it is shut down")
    func suspendPlaysToTheEnd() async throws {
        let source = RestingSource(sounds: true)
        let output = try GStreamerMixOutput(format: stereo, destination: .null)
        output.connect(source: source) { _ in }
        try await output.start()
        output.wake()
        await output.suspend()
        #expect(output.heardFrame == source.renderedFrames)
        await output.shutdown()
    }
}
