internal import DescantCore

struct CrossfadeChecks: EngineChecks {
    let session: EngineSession

    init(_ session: EngineSession) { self.session = session }

    func atEnd(_ curve: FadeCurve, _ collector: inout FindingCollector) async throws {
        let (outgoing, incoming) = (tone(440, 60_007), tone(1_000, 72_001))
        let overlap = frames(1)
        try await startPair(outgoing, incoming, join: .crossfade(1, curve: curve))
        let rendered = try await session.renderToIdle(limit: 500_000)
        collector.expectEqual(
            rendered, outgoing.frames + incoming.frames - overlap, "a crossfade has the length A + B - D")
        let (samples, events) = try await session.complete()
        judge(samples, outgoing, incoming, curve, overlap, &collector)
        expectCrossfadeEvents(
            events, from: outgoing.frames - overlap, frames: overlap, until: outgoing.frames, &collector)
    }

    func entry(_ collector: inout FindingCollector) async throws {
        var outgoing = tone(440, 100_000)
        let incoming = tone(1_000, 60_000)
        try await session.start(outgoing.samples())
        try await session.render(10_001)
        try await session.start(incoming.samples(), entry: .crossfade(0.5, curve: .equalPower))
        try await session.renderToIdle(limit: 500_000)
        let (samples, events) = try await session.complete()
        let overlap = frames(0.5)
        // Only the part of the outgoing tone that is heard is compared.
        outgoing.frames = 10_001 + overlap
        judge(samples, outgoing, incoming, .equalPower, overlap, &collector)
        expectCrossfadeEvents(events, from: 10_001, frames: overlap, until: outgoing.frames, &collector)
    }

    func shortened(_ collector: inout FindingCollector) async throws {
        let (outgoing, incoming) = (tone(440, 48_000), tone(1_000, 60_000))
        try await session.start(outgoing.samples())
        try await session.render(30_000)
        try await session.start(incoming.samples(), entry: .crossfade(4, curve: .linear))
        collector.expectEqual(
            try await session.renderToIdle(limit: 500_000), 60_000, "a crossfade is shortened to the rest of the deck")
        let (samples, events) = try await session.complete()
        judge(samples, outgoing, incoming, .linear, 18_000, &collector)
        expectCrossfadeEvents(events, from: 30_000, frames: 18_000, until: 48_000, &collector)
    }

    func asCut(_ collector: inout FindingCollector) async throws {
        try await session.start(level(0.5, channel: 0, 20_000))
        try await session.render(16_000)
        try await session.start(level(0.5, channel: 1, 20_000), entry: .crossfade(1, curve: .linear))
        try await session.renderToIdle(limit: 500_000)
        let (samples, events) = try await session.complete()
        collector.expectSamples(
            samples.channel(1), in: 16_000..<36_000, tolerance: 1e-7,
            "a crossfade with less than 0.1 s left is a cut: the new deck begins at full gain"
        ) { _ in 0.5 }
        collector.expectSamples(
            samples.channel(0), in: 16_000 + declick..<36_000, tolerance: 0,
            "a crossfade with less than 0.1 s left is a cut: the old deck ends within 10 ms"
        ) { _ in 0 }
        collector.expect(
            !events.contains { if case .crossfadeStarted = $0.kind { true } else { false } },
            "a cut is not reported as a crossfade", seen: "\(events.map(\.kind))")
    }

    func shortenedLater(_ collector: inout FindingCollector) async throws {
        try await session.start(level(0.5, channel: 0, 400_000))
        try await session.render(1_000)
        try await session.start(level(0.5, channel: 1, 400_000), entry: .crossfade(4, curve: .linear))
        try await session.render(48_000)
        await engine.shortenCrossfade(session.main, within: 0.1)
        try await session.render(10_000)
        await engine.shortenCrossfade(session.main, within: 0.1)
        try await session.render(1_000)
        let (samples, events) = try await session.complete()
        let (start, end) = (49_000, 49_000 + frames(0.1))
        let rule = "a crossfade that is shortened while it runs ends within the new time"
        collector.expectSamples(samples.channel(0), in: end..<60_000, tolerance: 0, rule) { _ in 0 }
        collector.expectSamples(samples.channel(1), in: end..<60_000, tolerance: 1e-7, rule) { _ in 0.5 }
        for channel in 0...1 {
            collector.expectNoStep(
                samples.channel(channel), in: start - 10..<end + 10, greaterThan: 1.1 * 0.375 / Double(frames(0.1)),
                "a crossfade that is shortened while it runs continues without a step")
        }
        let ended = events.first { if case .crossfadeEnded = $0.kind { true } else { false } }
        collector.expectEqual(
            ended?.frame, Int64(end), "the end of a crossfade that is shortened while it runs is reported at its frame")
    }

    func paused(_ collector: inout FindingCollector) async throws {
        let (outgoing, incoming) = (tone(440, 48_000), tone(1_000, 60_000))
        try await startPair(outgoing, incoming, join: .crossfade(0.5, curve: .sCurve))
        try await session.render(30_001)
        await engine.pause(session.main, ramp: 0)
        try await session.render(5_000)
        try await engine.resume(session.main, ramp: 0)
        try await session.renderToIdle(limit: 500_000)
        var (samples, _) = try await session.complete()
        let silence = SilenceAnalysis.longest(in: samples, threshold: 0)
        collector.expect(
            silence.count >= 5_000 && silence.lowerBound <= 30_001 && silence.upperBound >= 35_001,
            "a pause within a crossfade is silent", seen: "silence in frames \(silence)")
        samples.samples.removeSubrange(30_001 * format.channels..<min(samples.frameCount, 35_001) * format.channels)
        judge(samples, outgoing, incoming, .sCurve, frames(0.5), &collector)
    }

    private func startPair(_ outgoing: TestSignal, _ incoming: TestSignal, join: DeckJoin) async throws {
        let first = try await session.open(outgoing.samples(), "outgoing")
        let second = try await session.open(incoming.samples(), "incoming")
        session.followUps[first] = .deck(second, join)
        try await engine.play(first, on: session.main, entry: .cut, loop: nil)
    }

    private func judge(
        _ samples: SampleBuffer, _ outgoing: TestSignal, _ incoming: TestSignal, _ curve: FadeCurve, _ overlap: Int,
        _ collector: inout FindingCollector
    ) {
        let analysis: CrossfadeAnalysis
        do {
            analysis = try CrossfadeAnalysis(outgoing: outgoing, incoming: incoming, curve: curve, overlap: overlap)
        } catch {
            collector.expect(false, "a crossfade can be measured", seen: "\(error)")
            return
        }
        let found = analysis.measure(samples)
        collector.expect(
            found.residual <= -85, "a crossfade is within -85 dBFS of the ideal",
            seen: "\(found.residual) dBFS at frame \(found.residualFrame)")
        collector.expect(
            max(found.outgoingEnvelopeError, found.incomingEnvelopeError) <= 0.02,
            "a crossfade's envelopes are within 0.02 dB of the curve",
            seen: "\(found.outgoingEnvelopeError) dB out, \(found.incomingEnvelopeError) dB in")
        collector.expect(
            abs(found.startError) < 0.05, "a crossfade's incoming deck begins at its frame",
            seen: "\(found.startError) frames late")
        collector.expectEqual(found.excessFrames, 0, "a crossfade has its exact length")
    }

    private func expectCrossfadeEvents(
        _ events: [MixEvent], from start: Int, frames: Int, until end: Int, _ collector: inout FindingCollector
    ) {
        var seen: [String] = []
        for event in events {
            if case .crossfadeStarted(_, _, let length) = event.kind { seen.append("\(event.frame) + \(length)") }
            if case .crossfadeEnded = event.kind { seen.append("\(event.frame)") }
        }
        collector.expectEqual(
            seen, ["\(start) + \(frames)", "\(end)"], "a crossfade's beginning and end are reported at their frames")
    }
}
