internal import DescantCore

struct SeekChecks: EngineChecks {
    let session: EngineSession

    init(_ session: EngineSession) { self.session = session }

    /// The fades before and behind a seek last 10 ms together.
    private var shortestFade: Int { declick / 2 }

    func playing(_ collector: inout FindingCollector) async throws {
        let content = ramp(72_000)
        try await session.start(content)
        try await session.render(10_001)
        try await engine.seek(session.main, to: format.seconds(of: 36_007), fade: 0)
        try await session.render(9_999)
        try await engine.seek(session.main, to: format.seconds(of: 1_234), fade: 0.05)
        try await session.render(20_000)
        let (samples, events) = try await session.complete()
        let fade = frames(0.05)
        expectJump(
            samples, content, at: 10_001, from: 10_001, to: 36_007, fade: shortestFade, until: 20_000, &collector)
        expectJump(
            samples, content, at: 20_000, from: 36_007 + 9_999 - shortestFade, to: 1_234, fade: fade, until: 40_000,
            &collector)
        let seen = events.compactMap { event -> String? in
            guard case .didSeek(_, let position) = event.kind else { return nil }
            return "\(event.frame) to \(format.frames(in: position))"
        }
        collector.expectEqual(
            seen, ["\(10_001 + shortestFade) to 36007", "\(20_000 + fade) to 1234"],
            "a seek is reported at the frame where the new position begins")
    }

    /// Expects a fade-out of the old position, a fade-in from the target, then the target's frames unchanged.
    private func expectJump(
        _ samples: SampleBuffer, _ content: SampleBuffer, at frame: Int, from present: Int, to target: Int, fade: Int,
        until end: Int, _ collector: inout FindingCollector
    ) {
        let (rendered, source) = (samples.channel(0), content.channel(0))
        collector.expectSamples(
            rendered, in: frame..<frame + fade, tolerance: 2e-3, "a seek fades out the old position"
        ) { Double(source[present + $0]) * (1 - Double($0) / Double(fade)) }
        collector.expectSamples(
            rendered, in: frame + fade..<frame + 2 * fade, tolerance: 2e-3, "a seek fades in from the exact frame"
        ) { Double(source[target + $0]) * Double($0) / Double(fade) }
        collector.expectEqual(
            RampAnalysis.runs(in: samples.slice(frame + 2 * fade..<end)),
            [RampRun(.source(Int64(target + fade)), at: 0, length: end - frame - 2 * fade)],
            "after a seek the frames are those of the new position")
    }

    func paused(_ collector: inout FindingCollector) async throws {
        try await session.start(ramp(48_000))
        try await session.render(5_000)
        await engine.pause(session.main, ramp: 0)
        try await session.render(1_000)
        try await engine.seek(session.main, to: format.seconds(of: 30_001), fade: 0.05)
        try await session.render(1_000)
        let status = await engine.status(of: session.main)
        collector.expectEqual(status.activity, .paused, "a paused layer stays paused after a seek")
        collector.expectEqual(
            format.frames(in: status.position), 30_001, "the status of a paused layer has the new position after a seek"
        )
        try await engine.resume(session.main, ramp: 0)
        try await session.renderToIdle(limit: 100_000)
        let (samples, _) = try await session.complete()
        collector.expectSamples(
            samples.channel(1), in: 5_000..<7_000, tolerance: 0, "a seek on a paused layer makes no sound"
        ) { _ in 0 }
        let end = RampAnalysis.runs(in: samples).last
        collector.expectEqual(end?.sourceEnd, 48_000, "after a seek while paused the deck plays to its end")
        collector.expectEqual(
            end?.end, 7_000 + 48_000 - 30_001, "after a seek while paused the layer resumes at the new position")
    }

    func toEnd(_ collector: inout FindingCollector) async throws {
        try await session.start(ramp(48_000))
        try await session.render(5_000)
        try await engine.seek(session.main, to: 99, fade: 0)
        let rendered = try await session.renderToIdle(limit: 100_000)
        collector.expect(
            rendered <= 2 * declick, "a seek to the end leads to the end at once", seen: "\(rendered) frames more")
        let (_, events) = try await session.complete()
        let end = events.contains { if case .deckEnded(_, .finished) = $0.kind { true } else { false } }
        collector.expect(end, "a deck ends naturally after a seek to its end", seen: "\(events.map(\.kind))")
        await collector.expectError(["invalidState", "invalidArgument"], "a seek on an idle layer is refused") {
            try await engine.seek(session.main, to: 0, fade: 0)
        }
    }
}
