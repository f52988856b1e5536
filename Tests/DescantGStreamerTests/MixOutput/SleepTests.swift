import DescantCore
import DescantMixing
import Synchronization
import Testing

@testable import DescantGStreamer

/// Outputs without a device sleep in silence and render early after a wake-up.
@Suite("Sleep and wake-up of outputs without a device", .serialized, .timeLimit(.minutes(3)))
struct SleepTests {
    let stereo = PCMFormat(sampleRate: 48_000, channels: 2)

    @Test("An output sleeps in silence; the next sound follows without a gap in the numbering")
    func sleepsUntilWoken() async throws {
        let source = SwitchedSource(sounds: false)
        let mix = CollectedMix()
        let output = try GStreamerMixOutput(
            format: stereo, destination: .callback(.realTime, mix.receive), blockFrames: 480)
        output.connect(source: source) { _ in }
        try await output.start()
        try await mix.wait(frames: 12_000)
        // Another output plays for 0.5 s meanwhile, as the clock of the sleep.
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
        output.connect(source: SwitchedSource(sounds: true)) { _ in }
        try await output.start()
        try await mix.wait(frames: Int(seconds * 48_000))
        await output.shutdown()
    }

    @Test("A wake-up during a silent block keeps the output from sleeping")
    func wakeIsNotLost() async throws {
        let source = SwitchedSource(sounds: false)
        let mix = CollectedMix()
        let output = try GStreamerMixOutput(
            format: stereo, destination: .callback(.realTime, mix.receive), blockFrames: 480)
        output.connect(source: source) { _ in }
        try await output.start()
        // The sleep begins 12,000 frames after the first silent one, which cannot come before this count.
        var silentFrom = 0
        for round in 1...20 {
            // Shortly before the sleep, which would end the wait.
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

    @Test("After a wake-up one block comes before it is due, but no second one")
    func earlyRenderingIsBounded() async throws {
        let source = SwitchedSource(sounds: true)
        let mix = CollectedMix()
        let output = try GStreamerMixOutput(
            format: stereo, destination: .callback(.realTime, mix.receive), blockFrames: 96_000)
        output.connect(source: source) { _ in }
        let began = ContinuousClock.now
        try await output.start()
        try await mix.wait(frames: 96_000)
        output.wake()
        try await mix.wait(frames: 192_000)
        // The first block is still playing, unless the machine was too slow.
        #expect(output.heardFrame < 96_000 || ContinuousClock.now - began >= .seconds(2))
        output.wake()
        try await mix.wait(frames: 288_000)
        #expect(output.heardFrame >= 96_000)
        await output.shutdown()
    }

    @Test("Suspending waits until everything was played")
    func suspendPlaysToTheEnd() async throws {
        let source = SwitchedSource(sounds: true)
        let output = try GStreamerMixOutput(format: stereo, destination: .null)
        output.connect(source: source) { _ in }
        try await output.start()
        output.wake()
        await output.suspend()
        #expect(output.heardFrame == source.renderedFrames)
        await output.shutdown()
    }
}

/// A source of one layer that is silent or sounds; its samples count the sounding frames from 1.
final class SwitchedSource: MixSource {
    private struct State {
        var next: Int64 = 0
        var sounds: Bool
        var soundedFrames = 0
    }

    private let state: Mutex<State>

    init(sounds: Bool) { state = Mutex(State(sounds: sounds)) }

    var renderedFrames: Int64 { state.withLock { $0.next } }

    func setSounds(_ sounds: Bool) { state.withLock { $0.sounds = sounds } }

    func render(frames: Int, buffer: (LayerID) -> UnsafeMutablePointer<Float>) -> RenderedBlock {
        state.withLock { state in
            let start = state.next
            state.next += Int64(frames)
            let layer = LayerID(rawValue: 1)
            guard state.sounds else { return RenderedBlock(frame: start, frames: frames, layers: [], isQuiet: true) }
            let target = buffer(layer)
            for frame in 0..<frames {
                state.soundedFrames += 1
                for channel in 0..<2 { target[2 * frame + channel] = Float(state.soundedFrames) / 1_048_576 }
            }
            return RenderedBlock(frame: start, frames: frames, layers: [(layer, false)])
        }
    }
}
