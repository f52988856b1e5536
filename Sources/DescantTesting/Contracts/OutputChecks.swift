internal import DescantCore

struct OutputChecks: EngineChecks {
    let session: EngineSession

    init(_ session: EngineSession) { self.session = session }

    func masterVolume(_ collector: inout FindingCollector) async throws {
        try await session.start(level(0.5, channel: 0, 100_000))
        try await session.render(9_600)
        await engine.setMasterVolume(0.25)
        try await session.render(9_600)
        await engine.setMasterVolume(7)
        try await session.render(9_600)
        let (samples, _) = try await session.complete()
        let rendered = samples.channel(0)
        collector.expectSamples(
            rendered, in: 0..<9_600, tolerance: 1e-6, "a volume changes nothing before the command"
        ) { _ in 0.5 }
        collector.expectNoStep(
            rendered, in: 9_599..<28_800, greaterThan: 1.1 * 0.375 / Double(declick), "a volume moves in 10 ms")
        collector.expectSamples(
            rendered, in: 9_600 + 2 * declick..<19_200, tolerance: 1e-6, "a volume is reached"
        ) { _ in 0.125 }
        collector.expectSamples(
            rendered, in: 19_200 + 2 * declick..<28_800, tolerance: 1e-6, "a volume is clamped to 1"
        ) { _ in 0.5 }
    }

    func limiter(_ collector: inout FindingCollector) async throws {
        let overlay = await engine.addLayer(.overlay)
        try await session.start(level(0.75, channel: 0, 100_000))
        try await session.start(level(0.5, channel: 0, 4_801), on: overlay)
        await engine.setLimiter(enabled: false)
        try await session.render(14_400)
        await engine.setLimiter(enabled: true)
        try await session.start(level(0.21875, channel: 0, 9_600), on: overlay)
        try await session.render(9_600)
        try await session.start(level(0.75, channel: 0, 9_600), on: overlay)
        try await session.render(9_600)
        let (samples, _) = try await session.complete()
        let rendered = samples.channel(0)
        collector.expectSamples(
            rendered, in: 0..<4_801, tolerance: 0, "without the limiter the sum is unchanged"
        ) { _ in 1.25 }
        // A limiter may lower the gain up to 2 ms before a peak.
        collector.expectSamples(
            rendered, in: 14_400..<24_000 - frames(0.002), tolerance: 0,
            "the limiter does not change a sum below -0.1 dBFS"
        ) { _ in 0.96875 }
        let peak = LevelAnalysis.peak(Array(rendered[min(24_000, rendered.count)...]))
        collector.expect(
            peak <= Decibels.linear(-0.1) + 1e-5 && peak > 0.9, "the limiter holds the sum at -0.1 dBFS",
            seen: "a peak of \(Decibels.of(peak)) dBFS")
    }

    func levels(_ collector: inout FindingCollector) async throws {
        let overlay = await engine.addLayer(.overlay)
        var readings = engine.levels.makeAsyncIterator()
        try await session.start(level(0.5, channel: 0, 100_000))
        try await session.start(level(0.25, channel: 1, 100_000), on: overlay)
        try await session.render(48_000)
        guard var reading = await readings.next() else {
            collector.expect(false, "level readings are sent while a subscriber exists", seen: "the end of the stream")
            return
        }
        // An engine may measure later than it renders, on another thread.
        for _ in 0..<8 where reading.frame <= 24_000 {
            try await session.render(4_800)
            reading = await readings.next() ?? reading
        }
        collector.expect(
            reading.frame > 24_000 && reading.frame <= 48_000 + 8 * 4_800, "the newest reading is kept",
            seen: "a reading of frame \(reading.frame) after 48,000 frames and more")
        let master = reading.master
        collector.expect(
            master.peak.count == format.channels && abs(master.peak[0] - 0.5) < 1e-3
                && abs(master.peak[1] - 0.25) < 1e-3 && abs(master.rms[0] - 0.5) < 1e-3,
            "the master's levels are those of the mix", seen: "\(master)")
        let layer = reading.layers[overlay]
        collector.expect(
            layer.map { $0.peak.count == format.channels && abs($0.peak[1] - 0.25) < 1e-3 && $0.peak[0] == 0 } ?? false,
            "a layer's levels are those of its own samples", seen: "\(String(describing: layer))")
    }

    func tap(_ collector: inout FindingCollector) async throws {
        let blocks = engine.pcmTap.buffered(.bounded(4_096)).numbered
        await engine.setMasterVolume(0)
        try await session.start(ramp(20_000))
        try await session.render(20_000)
        _ = try await session.complete()
        var tapped = SampleBuffer(format: format)
        for await numbered in blocks {
            collector.expectEqual(numbered.event.format, format, "the tap's blocks have the mix's format")
            collector.expectEqual(
                numbered.event.frame, Int64(tapped.frameCount), "the tap's blocks follow each other")
            tapped.samples += numbered.event.samples
        }
        collector.expectRuns(
            tapped, [RampRun(.source(0), at: 0, length: 20_000)], "the tap returns the mix before the master volume")
    }
}
