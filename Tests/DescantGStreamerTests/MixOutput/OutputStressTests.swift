import DescantCore
import DescantMixing
import DescantTesting
import Foundation
import Testing

@testable import DescantGStreamer

@Suite("Outputs under load", .serialized)
struct OutputStressTests {
    let stereo = PCMFormat(sampleRate: 48_000, channels: 2)

    /// Hundreds of layers of random length, each a constant that is exact in Float32, so that every sum is exact too.
    private func crowd(seed: UInt64, layers: Int, within frames: Int64) -> ScriptedMixSource {
        var generator = SeededGenerator(seed: seed)
        return ScriptedMixSource(
            layers: (0..<layers).map { index in
                let length = Int.random(in: 1...9_000, using: &generator)
                let value = Float(Int.random(in: -64...64, using: &generator)) / 8_192
                return .init(
                    UInt64(index + 1), start: .random(in: 0..<frames, using: &generator),
                    samples: [Float](repeating: value, count: length * 2))
            })
    }

    @Test(
        "Hundreds of layers come and go offline, and every sample of the sum is right",
        arguments: 1...3 as ClosedRange<UInt64>)
    func offlineCrowd(seed: UInt64) async throws {
        let source = crowd(seed: seed, layers: 400, within: 200_000)
        let collected = CollectedMix()
        let output = try GStreamerMixOutput(format: stereo, destination: .callback(.offline, collected.receive))
        output.connect(source: source) { _ in }
        _ = try await output.advance(frames: 210_000)
        try await output.finish()
        #expect(collected.isContiguous)
        #expect(collected.samples == source.expected(frames: 210_000))
    }

    @Test("Layers start and end in real time between suspensions, and every sample of the sum is exact")
    func realTimeCrowd() async throws {
        // A sound lasts beyond the last pass, because an output sleeps in longer silence.
        let source = crowd(seed: 9, layers: 80, within: 130_000)
        let collected = CollectedMix()
        let output = try GStreamerMixOutput(format: stereo, destination: .callback(.realTime, collected.receive))
        output.connect(source: source) { _ in }
        for pass in 1...5 {
            try await output.start()
            try await collected.wait(frames: pass * 20_000)
            await output.suspend()
        }
        await output.shutdown()
        #expect(collected.isContiguous)
        #expect(collected.samples == source.expected(frames: source.renderedFrames))
    }

    @Test("Concurrent calls from many tasks complete")
    func stormOfCalls() async throws {
        for _ in 0..<10 {
            let output = try GStreamerMixOutput(format: stereo, destination: .null)
            let source = crowd(seed: 3, layers: 50, within: 20_000)
            output.connect(source: source) { _ in }
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<40 {
                    group.addTask {
                        switch index % 5 {
                        // A start during a suspension may fail; its result is not checked here.
                        case 0, 1: try? await output.start()
                        case 2: await output.suspend()
                        case 3: output.setVolume(Double(index) / 40)
                        default: _ = output.heardFrame
                        }
                    }
                }
            }
            #expect(output.heardFrame <= source.renderedFrames)
            await output.shutdown()
        }
    }

    @Test("A shutdown during a render ends the render with an error, and its thread")
    func shutdownWhileAdvancing() async throws {
        for _ in 0..<10 {
            let collected = CollectedMix()
            let output = try GStreamerMixOutput(format: stereo, destination: .callback(.offline, collected.receive))
            output.connect(source: crowd(seed: 5, layers: 20, within: 50_000)) { _ in }
            async let rendering: Void = {
                await #expect(throws: CoreError.self) { _ = try await output.advance(frames: .max) }
            }()
            try await collected.wait(frames: 20_000)
            await output.shutdown()
            await rendering
        }
    }

    @Test("A slow receiver slows the render instead of filling memory")
    func backPressure() async throws {
        let source = ScriptedMixSource(layers: [.init(1) { _, _ in 0.25 }])
        let gate = DispatchSemaphore(value: 0)
        let collected = CollectedMix()
        let output = try GStreamerMixOutput(
            format: stereo,
            destination: .callback(.offline) { block in
                gate.wait()
                collected.receive(block)
            }, blockFrames: 4_800)
        output.connect(source: source) { _ in }
        async let rendered = output.advance(frames: 480_000)
        for _ in 0..<20 { gate.signal() }
        try await collected.wait(frames: 20 * 4_800)
        // Twenty blocks received, one in the receiver, four queued, and a few in the pipeline.
        #expect(source.renderedFrames <= 32 * 4_800)
        for _ in 0..<200 { gate.signal() }
        #expect(try await rendered == 480_000)
        try await output.finish()
        #expect(collected.frameCount == 480_000)
    }
}
