internal import DescantCore

struct LayerChecks: EngineChecks {
    let session: EngineSession

    init(_ session: EngineSession) { self.session = session }

    /// The main layer sounds only in the left channel, all other layers only in the right one: the left channel must
    /// hold the samples of the main layer unchanged.
    func independence(_ collector: inout FindingCollector) async throws {
        var left = TestSignal.noise(
            seed: 9, seconds: 1.2, sampleRate: format.sampleRate, channels: format.channels
        ).samples()
        var right = left
        for index in left.samples.indices {
            if index % format.channels == 0 { right.samples[index] = 0 } else { left.samples[index] = 0 }
        }
        try await session.start(left)
        try await useOtherLayers(right)
        try await session.renderToIdle(limit: 100_000)
        let (samples, _) = try await session.complete()
        let difference = LevelAnalysis.maximumDifference(samples.channel(0), left.channel(0))
        collector.expect(
            difference == 0, "a layer's samples do not depend on what other layers do",
            seen: "a difference of \(difference)")
        collector.expect(
            LevelAnalysis.peak(samples.channel(1)) > 0.05, "the other layers sounded meanwhile",
            seen: "a peak of \(LevelAnalysis.peak(samples.channel(1)))")
    }

    /// Runs many commands on other layers within one second.
    private func useOtherLayers(_ content: SampleBuffer) async throws {
        let overlay = await engine.addLayer(.overlay)
        let speech = await engine.addLayer(.speech)
        try await session.start(content.slice(0..<7_001), on: overlay, loop: LoopPlan(passes: nil), isClip: true)
        try await session.render(5_000)
        await engine.pause(overlay, ramp: 0.01)
        try await session.start(content, on: speech, entry: .fadeIn(0.1, curve: .linear))
        try await session.render(3_001)
        try await engine.seek(speech, to: 0.7, fade: 0.02)
        await engine.setGain(0.3, of: speech, ramp: 0.05)
        try await engine.resume(overlay, ramp: 0.01)
        try await session.render(6_007)
        try await session.start(content.slice(0..<9_000), on: speech, entry: .crossfade(0.2, curve: .sCurve))
        try await session.render(4_003)
        await engine.stop(overlay, fade: 0.05, curve: .equalPower)
        try await session.render(9_001)
        await engine.removeLayer(speech)
        try await session.render(2_000)
    }

    func gainRamp(_ collector: inout FindingCollector) async throws {
        let value = 0.5
        try await session.start(level(Float(value), channel: 0, 100_000))
        try await session.render(5_001)
        await engine.setGain(0.25, of: session.main, ramp: 0.1)
        try await session.render(10_000)
        await engine.setGain(1, of: session.main, ramp: 0)
        try await session.render(10_000)
        let (samples, _) = try await session.complete()
        let rendered = samples.channel(0)
        let length = frames(0.1)
        collector.expectSamples(
            rendered, in: 0..<5_001, tolerance: 1e-7, "a gain changes nothing before the command"
        ) { _ in value }
        collector.expectSamples(
            rendered, in: 5_001 + length..<15_001, tolerance: 1e-6, "a gain is reached at the end of its ramp"
        ) { _ in value / 4 }
        collector.expectNoStep(
            rendered, in: 5_000..<15_001, greaterThan: 1.1 * 0.75 * value / Double(length),
            "a gain moves in a straight line")
        collector.expectNoStep(
            rendered, in: 15_000..<25_001, greaterThan: 1.1 * 0.75 * value / Double(declick),
            "a gain without a ramp takes 10 ms")
        collector.expectSamples(
            rendered, in: 15_001 + declick..<25_001, tolerance: 1e-7, "a gain of 1 does not change the samples"
        ) { _ in value }
    }

    func stopFade(_ curve: FadeCurve, _ collector: inout FindingCollector) async throws {
        try await session.start(level(0.5, channel: 0, 100_000))
        try await session.render(5_001)
        await engine.stop(session.main, fade: 0.15, curve: curve)
        try await session.render(100)
        collector.expectEqual(
            await engine.status(of: session.main).activity, .stopping, "a layer in its last fade is stopping")
        let length = frames(0.15)
        collector.expectEqual(
            try await session.renderToIdle(limit: 50_000), length - 100, "a stop ends with its fade")
        let (samples, events) = try await session.complete()
        collector.expectSamples(
            samples.channel(0), in: 5_001..<5_001 + length, tolerance: 1e-4, "a stop's fade follows its curve"
        ) { 0.5 * curve.inverseGain(at: Double($0) / Double(length)) }
        let end = events.suffix(2).map { "\($0.frame) \($0.kind)".prefix { $0 != "(" } }
        collector.expectEqual(
            end.map(String.init), ["\(5_001 + length) deckEnded", "\(5_001 + length) idle"],
            "a stop ends the deck, then the layer is idle")
    }

    func stopWithoutClick(_ collector: inout FindingCollector) async throws {
        try await session.start(level(0.5, channel: 0, 100_000))
        try await session.render(5_001)
        await engine.stop(session.main, fade: 0, curve: .linear)
        try await session.render(2_000)
        let second = try await session.start(level(0.5, channel: 0, 100_000))
        try await session.render(2_000)
        await engine.pause(session.main, ramp: 0)
        try await session.render(1_000)
        await engine.stop(session.main, fade: 2, curve: .linear)
        let status = await engine.status(of: session.main)
        collector.expect(
            status.activity == .idle || status.activity == .stopping, "a paused layer that is stopped is idle at once",
            seen: status.activity.rawValue)
        try await session.render(1_000)
        let (samples, events) = try await session.complete()
        let rendered = samples.channel(0)
        collector.expectNoStep(
            rendered, in: 5_000..<7_001, greaterThan: 1.1 * 0.5 / Double(declick), "a stop without a fade takes 10 ms")
        collector.expectSamples(
            rendered, in: 5_001 + declick..<7_001, tolerance: 0, "a stop without a fade is over after 10 ms"
        ) { _ in 0 }
        collector.expectSamples(
            rendered, in: 9_001..<11_001, tolerance: 0, "a paused layer that is stopped stays silent"
        ) { _ in 0 }
        let ended = events.contains {
            if case .deckEnded(second, .replaced) = $0.kind { true } else { false }
        }
        collector.expect(ended, "a paused layer that is stopped ends its deck", seen: "\(events.map(\.kind))")
    }

    func removed(_ collector: inout FindingCollector) async throws {
        let overlay = await engine.addLayer(.overlay)
        try await session.start(level(0.5, channel: 0, 100_000))
        try await session.start(level(0.5, channel: 1, 100_000), on: overlay)
        try await session.render(5_001)
        await engine.removeLayer(overlay)
        await engine.removeLayer(session.main)
        try await session.render(5_000)
        collector.expectEqual(
            await engine.status(of: overlay).activity, .idle, "a removed layer's status is idle")
        await collector.expectError(["invalidArgument"], "a removed layer takes no deck") {
            try await session.start(level(0.5, channel: 1, 100), on: overlay)
        }
        let (samples, _) = try await session.complete()
        collector.expectSamples(
            samples.channel(0), in: 0..<10_001, tolerance: 1e-7, "the main layer cannot be removed"
        ) { _ in 0.5 }
        collector.expectNoStep(
            samples.channel(1), in: 5_000..<10_001, greaterThan: 1.1 * 0.5 / Double(declick),
            "a removed layer ends in a ramp of 10 ms")
        collector.expectSamples(
            samples.channel(1), in: 5_001 + declick..<10_001, tolerance: 0, "a removed layer is silent after 10 ms"
        ) { _ in 0 }
    }
}
