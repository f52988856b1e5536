internal import DescantCore

/// Transitions at a speed other than 1. The number of frames that a tempo changer returns varies a little, so lengths are
/// compared with a tolerance. Fades last their time on the output's timeline.
struct RateChecks: EngineChecks {
    let session: EngineSession

    init(_ session: EngineSession) { self.session = session }

    private static let tolerance = 0.02
    /// A tempo changer overlaps pieces of sound, and the first piece of a deck has nothing to overlap with: a join may be
    /// quieter for this time, in seconds.
    private static let overlap = 0.02

    func gapless(_ collector: inout FindingCollector) async throws {
        let first = try await session.open(level(0.5, channel: 0, 96_000))
        let second = try await session.open(level(0.5, channel: 0, 72_000))
        session.followUps[first] = .deck(second, .gapless)
        try await engine.setRate(2, of: session.main)
        try await engine.play(first, on: session.main, entry: .cut, loop: nil)
        let length = try await session.renderToIdle(limit: 400_000)
        expectLength(length, 84_000, "gapless decks at double speed take half their time", &collector)
        let (samples, events) = try await session.complete()
        let middle = samples.channel(0)[2_000..<max(2_000, min(length - 2_000, samples.frameCount))]
        let missing = middle.count { abs($0 - 0.5) > 0.01 }
        collector.expect(
            missing <= frames(Self.overlap), "a gapless join at double speed leaves no gap",
            seen: "\(missing) frames of it")
        let join = events.first { if case .joined = $0.kind { true } else { false } }
        expectLength(Int(join?.frame ?? 0), 48_000, "a join at double speed happens at the end of the deck", &collector)
    }

    func crossfade(_ collector: inout FindingCollector) async throws {
        let first = try await session.open(level(0.5, channel: 0, 96_000))
        let second = try await session.open(level(0.5, channel: 1, 96_000))
        session.followUps[first] = .deck(second, .crossfade(0.25, curve: .linear))
        try await engine.setRate(1.5, of: session.main)
        try await engine.play(first, on: session.main, entry: .cut, loop: nil)
        let overlap = frames(0.25)
        let length = try await session.renderToIdle(limit: 400_000)
        expectLength(length, 128_000 - overlap, "a crossfade at a speed of 1.5 overlaps its decks", &collector)
        let (samples, events) = try await session.complete()
        let start =
            events.first { if case .crossfadeStarted = $0.kind { true } else { false } }.map { Int($0.frame) } ?? 0
        expectLength(start, 64_000 - overlap, "a crossfade at a speed of 1.5 begins at the right frame", &collector)
        collector.expectSamples(
            samples.channel(1), in: start..<start + overlap, tolerance: 0.02,
            "a crossfade at a speed of 1.5 has its length on the output's timeline"
        ) { 0.5 * Double($0) / Double(overlap) }
    }

    func seek(_ collector: inout FindingCollector) async throws {
        try await session.start(tone(440, 240_000).samples())
        try await engine.setRate(2, of: session.main)
        try await session.render(24_000)
        try await engine.seek(session.main, to: 3, fade: 0.02)
        try await session.render(24_000)
        let position = await engine.status(of: session.main).position
        let ideal = 3 + 2 * (0.5 - 0.02)
        collector.expect(
            abs(position - ideal) < 0.05, "a seek at double speed leads to its position and keeps the speed",
            seen: "\(position) s instead of \(ideal) s")
        await engine.pause(session.main, ramp: 0)
        try await engine.seek(session.main, to: 1, fade: 0)
        try await engine.resume(session.main, ramp: 0)
        try await session.render(24_000)
        let moved = await engine.status(of: session.main).position
        collector.expect(
            abs(moved - 2) < 0.05, "a seek while paused at double speed leads to its position",
            seen: "\(moved) s instead of 2 s")
        _ = try await session.complete()
    }

    private func expectLength(_ frames: Int, _ ideal: Int, _ rule: String, _ collector: inout FindingCollector) {
        let isClose = abs(Double(frames - ideal)) <= Double(ideal) * Self.tolerance
        collector.expect(isClose, rule, seen: "\(frames) frames instead of \(ideal)")
    }
}
