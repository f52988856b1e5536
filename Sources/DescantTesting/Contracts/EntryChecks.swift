internal import DescantCore

struct EntryChecks: EngineChecks {
    let session: EngineSession

    init(_ session: EngineSession) { self.session = session }

    func cut(_ collector: inout FindingCollector) async throws {
        try await startBoth(entry: .cut)
        let (samples, events) = try await session.complete()
        collector.expectSamples(
            samples.channel(1), in: 10_001..<20_001, tolerance: 1e-7, "a cut begins at full gain with the first frame"
        ) { _ in 0.5 }
        expectOldDeckEnds(samples, &collector)
        let ends = events.compactMap { event -> String? in
            if case .deckEnded(_, .replaced) = event.kind { "replaced" } else { nil }
        }
        collector.expectEqual(ends.count, 1, "a deck that is cut off is reported as replaced")
    }

    func fadeIn(_ curve: FadeCurve, _ collector: inout FindingCollector) async throws {
        let length = frames(0.15)
        try await startBoth(entry: .fadeIn(0.15, curve: curve))
        let (samples, _) = try await session.complete()
        collector.expectSamples(
            samples.channel(1), in: 10_001..<10_001 + length, tolerance: 1e-4, "a fade-in follows its curve"
        ) { 0.5 * curve.gain(at: Double($0) / Double(length)) }
        collector.expectSamples(
            samples.channel(1), in: 10_001 + length..<20_001, tolerance: 1e-7, "a fade-in arrives at full gain"
        ) { _ in 0.5 }
        expectOldDeckEnds(samples, &collector)
    }

    private func startBoth(entry: DeckEntry) async throws {
        try await session.start(level(0.5, channel: 0, 100_000))
        try await session.render(10_001)
        try await session.start(level(0.5, channel: 1, 100_000), entry: entry)
        try await session.render(10_000)
    }

    private func expectOldDeckEnds(_ samples: SampleBuffer, _ collector: inout FindingCollector) {
        let old = samples.channel(0)
        collector.expectSamples(old, in: 0..<10_001, tolerance: 1e-7, "the old deck sounds up to the cut") { _ in 0.5 }
        collector.expectNoStep(
            old, in: 10_000..<20_001, greaterThan: 1.1 * 0.5 / Double(declick),
            "the old deck ends in a ramp of 10 ms rather than in a step")
        collector.expectSamples(
            old, in: 10_001 + declick..<20_001, tolerance: 0, "the old deck is silent 10 ms after the cut"
        ) { _ in 0 }
    }
}
