internal import DescantCore

struct PlayingChecks: EngineChecks {
    let session: EngineSession

    init(_ session: EngineSession) { self.session = session }

    func everySample(_ collector: inout FindingCollector) async throws {
        let info = try await session.describe(ramp(24_037))
        collector.expectEqual(info.frameCount, 24_037, "the length of an opened deck is exact")
        collector.expectEqual(info.sourceFormat, format, "the format of an opened deck is that of its source")
        try await engine.play(info.id, on: session.main, entry: .cut, loop: nil)
        let rendered = try await session.renderToIdle(limit: 100_000)
        collector.expectEqual(rendered, 24_037, "rendering until a layer is idle ends with its last frame")
        collector.expectEqual(
            try await session.renderToIdle(limit: 480), 0, "rendering until an idle layer is idle renders no frame")
        try await session.render(1_000)
        let (samples, _) = try await session.complete()
        collector.expectRuns(
            samples,
            [RampRun(.source(0), at: 0, length: 24_037), RampRun(.silence, at: 24_037, length: 1_000)],
            "every sample of a deck at unity gain is rendered, and silence after it")
    }

    func commandFrames(_ collector: inout FindingCollector) async throws {
        try await session.render(1_003)
        try await session.start(ramp(20_000))
        try await session.render(7_777)
        collector.expectEqual(
            format.frames(in: await engine.status(of: session.main).position), 7_777,
            "the position counts from the deck's first frame")
        await engine.pause(session.main, ramp: 0)
        try await session.render(1)
        try await engine.resume(session.main, ramp: 0)
        try await session.render(1)
        await engine.pause(session.main, ramp: 0)
        try await session.render(10)
        let (samples, events) = try await session.complete()
        collector.expectRuns(
            samples,
            [
                RampRun(.silence, at: 0, length: 1_003), RampRun(.source(0), at: 1_003, length: 7_777),
                RampRun(.silence, at: 8_780, length: 1), RampRun(.source(7_777), at: 8_781, length: 1),
                RampRun(.silence, at: 8_782, length: 10),
            ], "offline, commands take effect at the frame where the last advance ended")
        collector.expectEqual(events.first?.frame ?? -1, 1_003, "the deck's start carries its frame")
    }

    func deckGain(_ collector: inout FindingCollector) async throws {
        let overlay = await engine.addLayer(.overlay)
        let quiet = try await session.open(level(0.5, channel: 0, 5_000), gain: 0.25)
        let loud = try await session.open(level(0.25, channel: 1, 5_000), gain: 2)
        try await engine.play(quiet, on: session.main, entry: .cut, loop: nil)
        try await engine.play(loud, on: overlay, entry: .cut, loop: nil)
        await collector.expectError(["invalidArgument"], "a negative deck gain is refused") {
            try await session.open(level(0.5, channel: 0, 100), gain: -1)
        }
        try await session.render(4_000)
        let (samples, _) = try await session.complete()
        for (channel, value) in [0.125, 0.5].enumerated() {
            collector.expectSamples(
                samples.channel(channel), in: 0..<4_000, tolerance: 1e-7,
                "a deck's gain multiplies its own samples"
            ) { _ in value }
        }
    }

    func sum(_ collector: inout FindingCollector) async throws {
        let noise = TestSignal.noise(
            seed: 3, seconds: 0.3, sampleRate: format.sampleRate, channels: format.channels, depth: .int16
        ).samples()
        let first = ramp(10_000).scaled(by: 0.25)
        let overlay = await engine.addLayer(.overlay)
        try await session.start(first)
        try await session.start(noise, on: overlay)
        try await session.render(9_000)
        let (samples, _) = try await session.complete()
        let expected = zip(first.samples, noise.samples).prefix(9_000 * format.channels).map { $0 + $1 }
        let difference = LevelAnalysis.maximumDifference(samples.samples, expected)
        collector.expect(difference == 0, "layers are summed exactly", seen: "a difference of \(difference)")
    }

    func mono(_ collector: inout FindingCollector) async throws {
        let noise = TestSignal.noise(seconds: 0.2, sampleRate: format.sampleRate, channels: 1).samples()
        try await session.start(noise)
        try await session.render(noise.frameCount)
        let (samples, _) = try await session.complete()
        for channel in 0..<format.channels {
            let difference = LevelAnalysis.maximumDifference(samples.channel(channel), noise.samples)
            collector.expect(
                difference < 1e-6, "one channel sounds at its own level in every channel of the mix",
                seen: "a difference of \(difference) in channel \(channel)")
        }
    }
}
