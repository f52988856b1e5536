internal import DescantCore

struct JoinChecks: EngineChecks {
    let session: EngineSession

    init(_ session: EngineSession) { self.session = session }

    func gapless(_ collector: inout FindingCollector) async throws {
        let lengths = [20_011, 4_801, 15_000]
        var first: Int64 = 0
        var decks: [DeckID] = []
        for length in lengths {
            decks.append(try await session.open(ramp(length, from: first)))
            first += Int64(length)
        }
        session.followUps[decks[0]] = .deck(decks[1], .gapless)
        session.followUps[decks[1]] = .deck(decks[2], .gapless)
        try await engine.play(decks[0], on: session.main, entry: .cut, loop: nil)
        collector.expectEqual(
            try await session.renderToIdle(limit: 100_000), Int(first), "gapless joins neither add nor lose a frame")
        let (samples, events) = try await session.complete()
        collector.expectRuns(
            samples, [RampRun(.source(0), at: 0, length: Int(first))], "gapless joins are exact to the sample")
        let joins = events.compactMap { event -> Int64? in
            if case .joined = event.kind { event.frame } else { nil }
        }
        collector.expectEqual(joins, [20_011, 24_812], "joins are reported at their frames")
    }

    func converted(_ collector: inout FindingCollector) async throws {
        let rate = 44_100
        let total = TestSignal.sine(
            441.3, amplitude: 0.5, seconds: 1.4, sampleRate: rate, channels: format.channels
        ).samples()
        let split = 30_001
        let first = try await session.open(total.slice(0..<split))
        let second = try await session.open(total.slice(split..<total.frameCount))
        session.followUps[first] = .deck(second, .gapless)
        try await engine.play(first, on: session.main, entry: .cut, loop: nil)
        let length = (total.frameCount * format.sampleRate + rate - 1) / rate
        collector.expectEqual(
            try await session.renderToIdle(limit: 200_000), length,
            "converted decks joined without a gap have the length of the sum, rounded up once")
        let (samples, _) = try await session.complete()
        let found = JoinAnalysis(
            frequency: 441.3, split: split * format.sampleRate / rate, expectedFrames: length
        ).measure(samples)
        collector.expect(
            found.residual <= -85, "a converted join is no louder than -85 dBFS", seen: "\(found.residual) dBFS")
        collector.expect(
            abs(found.shift) < 0.01, "a converted join neither adds nor loses a frame", seen: "\(found.shift) frames")
    }
}
