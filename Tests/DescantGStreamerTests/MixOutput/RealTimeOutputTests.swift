import DescantCore
import DescantMixing
import DescantTestSupport
import DescantTesting
import Foundation
import Synchronization
import Testing

@testable import DescantGStreamer

@Suite("Real-time outputs", .serialized)
struct RealTimeOutputTests {
    let stereo = PCMFormat(sampleRate: 48_000, channels: 2)

    private func toneSource() -> ScriptedMixSource {
        ScriptedMixSource(layers: [
            .init(1) { frame, _ in Float(0.25 * sin(2 * Double.pi * 440 * Double(frame) / 48_000)) }
        ])
    }

    @Test("The heard position runs with the clock, never backwards, and close behind what is rendered")
    func heardPosition() async throws {
        let source = toneSource()
        let (events, feed) = AsyncStream<OutputEvent>.makeStream()
        let output = try GStreamerMixOutput(format: stereo, destination: .null)
        output.connect(source: source) { feed.yield($0) }
        #expect(output.heardFrame == 0)
        output.setMetering(levels: true, tap: false)
        var last: Int64 = 0
        var maximumLead: Int64 = 0
        let began = MonotonicClock().now()
        try await output.start()
        for await event in events {
            if case .lost(let reason) = event { Issue.record("lost: \(reason)") }
            guard case .levels(let frame, let levels) = event else { continue }
            // Read first: frames that are rendered between the two reads are no lead.
            let rendered = source.renderedFrames
            let heard = output.heardFrame
            #expect(heard >= last)
            last = heard
            maximumLead = max(maximumLead, rendered - heard)
            #expect(levels.peak.count == 2)
            if frame > 48_000 { break }
        }
        let heard = Double(output.heardFrame) / 48_000
        let elapsed = Double(MonotonicClock().now() - began) / 1e9
        #expect(heard <= elapsed)
        // A hundred times the usual value: only a queue without a limit would reach it.
        #expect(maximumLead < 144_000)
        await output.shutdown()
    }

    @Test("Rendered frames are heard before the device is released, and the numbering continues")
    func suspendAndStart() async throws {
        let collected = CollectedMix()
        let source = toneSource()
        let output = try GStreamerMixOutput(format: stereo, destination: .callback(.realTime, collected.receive))
        output.connect(source: source) { _ in }
        for pass in 1...4 {
            try await output.start()
            try await output.start()
            try await collected.wait(frames: pass * 9_600)
            await output.suspend()
            await output.suspend()
            #expect(output.heardFrame == source.renderedFrames)
            #expect(collected.frameCount == Int(source.renderedFrames))
        }
        await output.shutdown()
        #expect(collected.isContiguous)
        #expect(collected.samples == source.expected(frames: source.renderedFrames))
    }

    @Test("A device that is in use again at the time of its release is kept")
    func suspendIfUnused() async throws {
        let collected = CollectedMix()
        let output = try GStreamerMixOutput(format: stereo, destination: .callback(.realTime, collected.receive))
        output.connect(source: toneSource()) { _ in }
        try await output.start()
        try await collected.wait(frames: 4_800)
        await output.suspend { false }
        try await collected.wait(frames: collected.frameCount + 4_800)
        await output.shutdown()
        #expect(collected.isContiguous)
    }

    @Test("A volume change is a ramp of 10 ms without a click, exact before and after", arguments: [0.0, 0.3])
    func volumeRamps(target: Double) async throws {
        let collected = CollectedMix()
        let source = toneSource()
        let output = try GStreamerMixOutput(format: stereo, destination: .callback(.offline, collected.receive))
        output.connect(source: source) { _ in }
        for volume in [nil, target, 1, 0.7, 1, target, 0.5] as [Double?] {
            if let volume { output.setVolume(volume) }
            #expect(try await output.advance(frames: 10_001) == 10_001)
        }
        try await output.finish()
        let mix = SampleBuffer(format: stereo, samples: collected.samples)
        #expect(mix.frameCount == 70_007)
        #expect(SlopeAnalysis.ratio(in: mix, frequency: 440, amplitude: 0.25) <= 1.1)
        let expected = source.expected(frames: 70_007)
        #expect(Array(mix.samples[..<20_002]) == Array(expected[..<20_002]))
        for (index, volume) in [1, target, 1, 0.7, 1, target, 0.5].enumerated() {
            let steady = (index * 10_001 + 500) * 2..<(index + 1) * 20_002
            let difference = LevelAnalysis.maximumDifference(
                Array(mix.samples[steady]), expected[steady].map { $0 * Float(volume) })
            #expect(difference < 1e-6, "volume \(volume)")
        }
        // Halfway through the first ramp the gain is halfway.
        let middle = 10_001 + 240
        let gain = Double(mix.samples[middle * 2] / expected[middle * 2])
        #expect(abs(gain - (1 + target) / 2) < 0.01)
    }

    @Test("A change during a ramp continues from the present gain")
    func volumeChangesWithinRamp() async throws {
        let collected = CollectedMix()
        let source = ScriptedMixSource(layers: [.init(1) { _, _ in 0.5 }])
        let output = try GStreamerMixOutput(
            format: stereo, destination: .callback(.offline, collected.receive), blockFrames: 100)
        output.connect(source: source) { _ in }
        for volume in [1, 0, 1, 0.2, 0.9, 0] {
            output.setVolume(volume)
            _ = try await output.advance(frames: 151)
        }
        _ = try await output.advance(frames: 1_000)
        try await output.finish()
        let mix = SampleBuffer(format: stereo, samples: collected.samples)
        #expect(SlopeAnalysis.steepest(in: mix).slope <= 0.5 / 480 * 1.01)
        #expect(mix.samples.last == 0)
    }

    @Test("Only peaks above -0.1 dBFS are limited, and none when the limiter is off")
    func limiter() async throws {
        for isEnabled in [true, false] {
            let collected = CollectedMix()
            let loud: [Float] = (0..<48_000).flatMap { frame in
                let sample = Float(sin(Double(frame) / 20)) * (20_000..<22_000 ~= frame ? 1.6 : 0.9)
                return [sample, sample / 2]
            }
            let source = ScriptedMixSource(layers: [.init(1, start: 0, samples: loud)])
            let output = try GStreamerMixOutput(format: stereo, destination: .callback(.offline, collected.receive))
            output.connect(source: source) { _ in }
            output.setLimiter(enabled: isEnabled)
            _ = try await output.advance(frames: 48_000)
            try await output.finish()
            let peak = LevelAnalysis.peak(collected.samples)
            #expect(isEnabled ? peak <= 0.98856 : collected.samples == loud)
            #expect(Array(collected.samples[..<38_400]) == Array(loud[..<38_400]))
        }
    }

    @Test("Equaliser, effects and limiter go on when the device was released and is acquired again")
    func stateOutlivesTheSession() async throws {
        let source = loudSource()
        let collected = CollectedMix()
        let output = try GStreamerMixOutput(format: stereo, destination: .callback(.realTime, collected.receive))
        output.connect(source: source) { _ in }
        try colour(output)
        for pass in 1...3 {
            try await output.start()
            try await collected.wait(frames: pass * 9_600)
            await output.suspend()
        }
        await output.shutdown()
        let undisturbed = try await renderUndisturbed(frames: source.renderedFrames)
        #expect((collected.samples == undisturbed) == true)
    }

    /// Loud enough for the limiter, and with a bass that stays in an equaliser's state for long.
    private func loudSource() -> ScriptedMixSource {
        ScriptedMixSource(layers: [
            .init(1) { frame, channel in
                Float(1.1 * sin(2 * Double.pi * 60 * Double(frame) / 48_000))
                    + RampCode.sample(
                        of: frame % 10_000, channel: channel, channels: 2)
            }
        ])
    }

    /// Sets an equaliser and an effect whose echoes outlive a pipeline.
    private func colour(_ output: GStreamerMixOutput) throws {
        output.setEqualizer(Self.bass)
        var echo = EchoEffect(delay: 5_003)
        try echo.prepare(stereo, maximumFrames: EffectChain.maximumFrames)
        output.setEffects(EffectPlan([.init(id: EffectID(), name: "echo", effect: echo, values: [:])]))
    }

    private static let bass = EqualizerSettings(isEnabled: true, bandGains: [12, 6, 0, 0, 0, 0, 0, 0, 0, 3])

    /// What the source of ``loudSource()`` sounds like on an output that is never interrupted.
    private func renderUndisturbed(frames: Int64) async throws -> [Float] {
        let collected = CollectedMix()
        let output = try GStreamerMixOutput(format: stereo, destination: .callback(.offline, collected.receive))
        output.connect(source: loudSource()) { _ in }
        try colour(output)
        _ = try await output.advance(frames: frames)
        try await output.finish()
        return collected.samples
    }

    @Test("Equaliser, effects and limiter go on from where the listener was when the device changes")
    func stateFollowsToAnotherDevice() async throws {
        let server = try PrivatePulseServer()
        let source = loudSource()
        let events = EventRecorder<OutputEvent>()
        let output = try GStreamerMixOutput(
            format: stereo, destination: .pulse(latency: 0.5, server: server.address))
        output.connect(source: source, onEvent: events.record)
        try colour(output)
        output.setMetering(levels: false, tap: true)
        for device in [PrivatePulseServer.otherSink, PrivatePulseServer.defaultSink, nil] {
            let present = source.renderedFrames
            try await output.start()
            _ = try await events.first { event in
                if case .tapped(let block) = event, block.frame > present + 48_000 { true } else { nil }
            }
            if let device { try await output.selectDevice(device) }
        }
        await output.shutdown()
        let undisturbed = try await renderUndisturbed(frames: source.renderedFrames)
        var tapped = 0
        var changed: [Int64] = []
        for case .tapped(let block) in events.all {
            let place = Int(block.frame) * 2
            if block.samples[...] != undisturbed[place..<place + block.samples.count] { changed.append(block.frame) }
            tapped += block.samples.count / 2
        }
        #expect(changed.isEmpty)
        #expect(tapped > 144_000)
    }

    @Test("Levels and the tap report rendered frames only while they are turned on")
    func metering() async throws {
        let events = EventRecorder<OutputEvent>()
        let source = ScriptedMixSource(layers: [.init(1) { frame, channel in channel == 0 ? 0.5 : -0.25 }])
        let output = try GStreamerMixOutput(format: stereo, destination: .discard)
        output.connect(source: source, onEvent: events.record)
        _ = try await output.advance(frames: 48_000)
        #expect(events.all.isEmpty)
        output.setMetering(levels: true, tap: true)
        _ = try await output.advance(frames: 48_000)
        try await output.finish()
        var tapped: [PCMBlock] = []
        var readings: [LevelReading.Meter] = []
        for item in events.all {
            if case .tapped(let block) = item { tapped.append(block) }
            if case .levels(_, let meter) = item { readings.append(meter) }
        }
        #expect(tapped.last.map { $0.frame + Int64($0.samples.count / 2) } == 96_000)
        for (block, next) in zip(tapped, tapped.dropFirst()) {
            #expect(block.frame + Int64(block.samples.count / 2) == next.frame)
        }
        // Blocks that lay in the pipeline when the meters were turned on are measured too. The levels, which are turned
        // on before the tap, may have one block more.
        let first = try #require(tapped.first?.frame)
        #expect(first <= 48_000)
        let measured = Int(96_000 - first)
        #expect((measured / 800 - 1...(measured + tapped[0].samples.count / 2) / 800 + 1).contains(readings.count))
        #expect(readings.allSatisfy { $0.peak == [0.5, 0.25] && abs($0.rms[0] - 0.5) < 1e-6 })
        await output.shutdown()
    }

    @Test("Creating, playing and shutting down leaves no thread and no descriptor behind")
    func cyclesLeakNothing() async throws {
        try await cycle(5)
        let before = try await settledResources()
        try await cycle(200)
        var after = try await settledResources()
        // Concurrent tests have threads and descriptors, too, some of them hundreds for a while. What leaks stays.
        let limit = ContinuousClock.now + .seconds(120)
        while after.descriptors > before.descriptors + 100 || after.threads > before.threads + 100,
            ContinuousClock.now < limit
        {
            after = try await settledResources()
        }
        #expect(after.descriptors <= before.descriptors + 100)
        #expect(after.threads <= before.threads + 100)
    }

    private func cycle(_ count: Int) async throws {
        for _ in 0..<count {
            let output = try GStreamerMixOutput(format: stereo, destination: .null)
            output.connect(source: toneSource()) { _ in }
            try await output.start()
            await output.shutdown()
            await #expect(throws: CoreError.self) { try await output.start() }
        }
    }

    /// Counts when the threads of closed outputs have ended, which the kernel reports a moment later.
    private func settledResources() async throws -> (descriptors: Int, threads: Int) {
        var last = try resources()
        for _ in 0..<1_000 {
            await Task.yield()
            let present = try resources()
            last = (min(last.descriptors, present.descriptors), min(last.threads, present.threads))
        }
        return last
    }

    private func resources() throws -> (descriptors: Int, threads: Int) {
        (
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count,
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
        )
    }
}
