import Descant
import DescantTesting
import Foundation
import Testing

/// Pauses of any layer: exact without a ramp, without clicks with one, and without effect on other layers.
@Suite(.timeLimit(.minutes(5))) struct PauseTests {
    @Test(arguments: [true, false], [0, 0.01])
    func pauseResumesAtItsFrameAndOtherLayerIsBitExact(pausesMain: Bool, ramp: Double) async throws {
        let offline = try OfflineEngine()
        let noise = TestSignal.noise(seed: 8, seconds: 3, channels: 1).samples()
        let left = SampleBuffer(
            format: PCMFormat(sampleRate: 48_000, channels: 2), samples: noise.samples.flatMap { [$0, 0] })
        let right = SampleBuffer(
            format: PCMFormat(sampleRate: 48_000, channels: 2), samples: noise.samples.flatMap { [0, $0] })
        let overlay = await offline.engine.addLayer(.overlay)
        try await offline.start(try await offline.open(try offline.file(left)))
        try await offline.start(try await offline.open(try offline.file(right)), on: overlay)
        let paused = pausesMain ? offline.main : overlay
        try await offline.render(20_001)
        await offline.engine.pause(paused, ramp: ramp)
        try await offline.render(96_000 / 4)
        try await offline.engine.resume(paused, ramp: ramp)
        try await offline.render(30_000)
        let rendered = try await offline.rendered()
        let (frozen, other) = (rendered.channel(pausesMain ? 0 : 1), rendered.channel(pausesMain ? 1 : 0))
        #expect(other == Array(noise.samples.prefix(other.count)), "the other layer is bit-exact")
        let rampFrames = Int(ramp * 48_000)
        #expect(Array(frozen[0..<20_001]) == Array(noise.samples[0..<20_001]))
        #expect(frozen[20_001 + rampFrames..<44_001].allSatisfy { $0 == 0 })
        let goesOn = 44_001 + rampFrames
        #expect(
            Array(frozen[goesOn...]) == Array(noise.samples[20_001 + rampFrames..<20_001 + frozen.count - 44_001]),
            "the next sample follows exactly")
        for frame in 0..<rampFrames {
            let gain = Float(frame) / Float(rampFrames)
            #expect(abs(frozen[44_001 + frame] - noise.samples[20_001 + frame] * gain) < 2e-3)
            #expect(abs(frozen[20_001 + frame] - noise.samples[20_001 + frame] * (1 - gain)) < 2e-3)
        }
    }

    /// The output is released when nothing sounds; a layer that resumes at that moment must acquire it again.
    @Test func releasedOutputIsAcquiredForTheOtherLayer() async throws {
        let heard = EventHub<Int64>(initial: 0)
        let engine = try AudioEnvironment.shared.makeEngine(
            output: .callback(.realTime) { heard.post($0.frame) }, blockDuration: 0.005, idleRelease: 0)
        let directory = try TemporaryDirectory()
        let url = directory.file("tone.wav")
        try WAVFile(TestSignal.sine(440, seconds: 60).samples(), encoding: .int24).write(to: url)
        let deck = try await engine.openDeck(.url(url), gain: 1, isClip: false).id
        try await engine.play(deck, on: engine.mainLayer, entry: .cut, loop: nil)
        for _ in 0..<100 {
            await engine.pause(engine.mainLayer, ramp: 0)
            try await engine.resume(engine.mainLayer, ramp: 0)
            let present = heard.snapshot ?? 0
            for await frame in heard.stream(buffer: .newest) where frame > present + 480 { break }
        }
        await engine.shutdown()
    }

    @Test func pauseOfAToneHasNoClick() async throws {
        let offline = try OfflineEngine()
        try await offline.start(try await offline.open(try offline.file(TestSignal.sine(440, seconds: 2).samples())))
        for _ in 0..<5 {
            try await offline.render(7_001)
            await offline.engine.pause(offline.main, ramp: 0.01)
            try await offline.render(3_333)
            try await offline.engine.resume(offline.main, ramp: 0.01)
        }
        try await offline.render(10_000)
        let ratio = SlopeAnalysis.ratio(in: try await offline.rendered(), frequency: 440, amplitude: 0.25)
        #expect(ratio <= 1.1)
    }
}
