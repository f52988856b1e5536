internal import DescantCore

struct PauseChecks: EngineChecks {
    let session: EngineSession

    init(_ session: EngineSession) { self.session = session }

    func exact(_ collector: inout FindingCollector) async throws {
        try await session.start(ramp(20_000))
        try await session.render(5_003)
        await engine.pause(session.main, ramp: 0)
        await engine.pause(session.main, ramp: 0)
        try await session.render(3_001)
        let status = await engine.status(of: session.main)
        collector.expectEqual(status.activity, .paused, "the status of a paused layer is paused")
        collector.expectEqual(format.frames(in: status.position), 5_003, "a pause keeps the position")
        try await engine.resume(session.main, ramp: 0)
        try await session.renderToIdle(limit: 100_000)
        let (samples, events) = try await session.complete()
        collector.expectRuns(
            samples,
            [
                RampRun(.source(0), at: 0, length: 5_003), RampRun(.silence, at: 5_003, length: 3_001),
                RampRun(.source(5_003), at: 8_004, length: 14_997),
            ], "a pause without a ramp loses and repeats no frame")
        let kinds = events.compactMap { event -> String? in
            switch event.kind {
            case .paused(let position): "paused \(event.frame) at \(format.frames(in: position))"
            case .resumed: "resumed \(event.frame)"
            default: nil
            }
        }
        collector.expectEqual(
            kinds, ["paused 5003 at 5003", "resumed 8004"], "pause and resume are reported at their frames")
    }

    func ramped(_ collector: inout FindingCollector) async throws {
        let content = ramp(20_000)
        try await session.start(content)
        try await session.render(5_003)
        await engine.pause(session.main, ramp: 0.01)
        try await session.render(3_001)
        try await engine.resume(session.main, ramp: 0.01)
        try await session.renderToIdle(limit: 100_000)
        let (samples, _) = try await session.complete()
        let (paused, resumed) = (5_003, 8_004)
        let (rendered, source) = (samples.channel(0), content.channel(0))
        let length = Double(declick)
        collector.expectSamples(
            rendered, in: 0..<paused, tolerance: 0, "a layer sounds unchanged up to the pause"
        ) { Double(source[$0]) }
        collector.expectSamples(
            rendered, in: paused..<paused + declick, tolerance: 2e-3, "a pause fades out the frames that follow"
        ) { Double(source[paused + $0]) * (1 - Double($0) / length) }
        collector.expectSamples(
            rendered, in: paused + declick..<resumed, tolerance: 0, "a paused layer is silent after its ramp"
        ) { _ in 0 }
        collector.expectSamples(
            rendered, in: resumed..<resumed + declick, tolerance: 2e-3,
            "a resumed layer fades in from the frame where the pause's ramp began"
        ) { Double(source[paused + $0]) * Double($0) / length }
        collector.expectSamples(
            rendered, in: resumed + declick..<resumed + 20_000 - paused, tolerance: 0,
            "a resumed layer sounds unchanged after its ramp"
        ) { Double(source[paused + declick + $0]) }
        collector.expectEqual(
            samples.frameCount, 20_000 + resumed - paused, "a pause lengthens the sound by its own length")
    }

    func startWhilePaused(_ collector: inout FindingCollector) async throws {
        try await session.start(ramp(20_000))
        try await session.render(2_000)
        await engine.pause(session.main, ramp: 0)
        try await session.render(1_000)
        let deck = try await session.start(ramp(10_000, from: 50_000))
        try await session.render(1_000)
        let status = await engine.status(of: session.main)
        collector.expectEqual(status.activity, .paused, "a paused layer stays paused when a deck is started on it")
        collector.expectEqual(status.deck, deck, "the deck started on a paused layer is the present one")
        try await engine.resume(session.main, ramp: 0)
        try await session.renderToIdle(limit: 100_000)
        let (samples, _) = try await session.complete()
        collector.expectSamples(
            samples.channel(0), in: 2_000..<4_000, tolerance: 0, "a deck started on a paused layer is silent"
        ) { _ in 0 }
        let runs = RampAnalysis.runs(in: samples.slice(4_000 + declick..<samples.frameCount))
        collector.expectEqual(
            runs, [RampRun(.source(50_000 + Int64(declick)), at: 0, length: 10_000 - declick)],
            "a resumed layer plays the new deck from its first frame")
    }
}
