internal import DescantCore

struct TrackGainChecks: EngineChecks {
    let session: EngineSession

    init(_ session: EngineSession) { self.session = session }

    func ramp(_ collector: inout FindingCollector) async throws {
        let next = try await session.open(level(0.5, channel: 0, 10_000))
        let first = try await session.open(level(0.5, channel: 0, 40_000))
        session.followUps[first] = .deck(next, .gapless)
        await engine.setTrackGain(0.5, of: first, ramp: 0)
        try await engine.play(first, on: session.main, entry: .cut, loop: nil)
        try await session.render(5_003)
        await engine.setTrackGain(0.25, of: first, ramp: 0.1)
        try await session.render(10_000)
        await engine.setTrackGain(.nan, of: first, ramp: 0)
        await engine.setTrackGain(1, of: DeckID(rawValue: 987_654), ramp: 0)
        await engine.setTrackGain(1, of: first, ramp: 0)
        try await session.render(5_000)
        await engine.setTrackGain(0.125, of: next, ramp: 1)
        try await session.renderToIdle(limit: 100_000)
        let (samples, _) = try await session.complete()
        let rendered = samples.channel(0)
        let length = frames(0.1)
        collector.expectSamples(
            rendered, in: 0..<5_003, tolerance: 0, "a deck that has not sounded has its gain from the first frame"
        ) { _ in 0.25 }
        collector.expectSamples(
            rendered, in: 5_003..<5_003 + length, tolerance: 1e-6, "a deck's gain moves in a straight line"
        ) { 0.5 * (0.5 - 0.25 * Double($0 + 1) / Double(length)) }
        collector.expectSamples(
            rendered, in: 5_003 + length..<15_003, tolerance: 0, "a deck's gain is reached at the end of its ramp"
        ) { _ in 0.125 }
        collector.expectNoStep(
            rendered, in: 15_002..<20_003, greaterThan: 1.1 * 0.375 / Double(declick),
            "a deck's gain without a ramp takes 10 ms")
        collector.expectSamples(
            rendered, in: 15_003 + declick..<40_000, tolerance: 0, "a gain of 1 does not change the samples"
        ) { _ in 0.5 }
        collector.expectSamples(
            rendered, in: 40_000..<50_000, tolerance: 0,
            "a deck that follows has the gain that was set before it sounds"
        ) { _ in 0.0625 }
    }

    /// Several decks of one clip sound at the same time with separate gains and positions.
    func duplicates(_ collector: inout FindingCollector) async throws {
        let clip = try await session.open(ramp(9_001), isClip: true)
        let copies = try await [engine.duplicateDeck(clip), engine.duplicateDeck(clip)]
        let overlay = await engine.addLayer(.effects)
        await engine.closeDeck(clip)
        try await engine.play(copies[0].id, on: session.main, entry: .cut, loop: LoopPlan())
        try await session.renderToIdle(limit: 20_000)
        try await engine.play(copies[1].id, on: overlay, entry: .cut, loop: LoopPlan())
        try await session.render(9_001)
        collector.expectEqual(copies.map(\.frameCount), [9_001, 9_001], "a duplicate has the length of its deck")
        await collector.expectError(["invalidArgument"], "a closed deck is not duplicated") {
            try await engine.duplicateDeck(clip)
        }
        let (samples, _) = try await session.complete()
        collector.expectRuns(
            samples,
            [RampRun(.source(0), at: 0, length: 9_001), RampRun(.source(0), at: 9_001, length: 9_001)],
            "duplicates of a clip sound independently")
    }
}
