internal import DescantCore

struct EventChecks: EngineChecks {
    let session: EngineSession

    init(_ session: EngineSession) { self.session = session }

    func order(_ collector: inout FindingCollector) async throws {
        let first = try await session.open(ramp(20_000), "first")
        let second = try await session.open(ramp(30_000), "second")
        let third = try await session.open(ramp(10_000), "third")
        session.followUps[first] = .deck(second, .crossfade(0.125, curve: .linear))
        session.followUps[second] = .deck(third, .gapless)
        try await engine.play(first, on: session.main, entry: .cut, loop: nil)
        try await session.renderToIdle(limit: 200_000)
        let (_, events) = try await session.complete()
        let names = [first: "first", second: "second", third: "third"]
        let seen = events.compactMap { describe($0, names) }
        let expected = [
            "0 started first", "14000 crossfade first to second 6000", "14000 started second",
            "20000 ended first", "20000 crossfade ended second", "44000 ended second",
            "44000 joined second to third", "44000 started third", "54000 ended third", "54000 idle",
        ]
        collector.expectEqual(
            Set(seen), Set(expected), "every event of a playlist is reported once, with its exact frame")
        let frames = events.map(\.frame)
        collector.expectEqual(frames, frames.sorted(), "events are reported in the order of their frames")
        for (earlier, later) in [
            ("14000 crossfade first to second 6000", "14000 started second"), ("54000 ended third", "54000 idle"),
            ("44000 ended second", "44000 started third"),
        ] {
            let indices = (seen.firstIndex(of: earlier) ?? -1, seen.firstIndex(of: later) ?? -1)
            collector.expect(
                indices.0 < indices.1, "\"\(earlier)\" is reported before \"\(later)\"", seen: "\(seen)")
        }
        collector.expect(
            events.allSatisfy { $0.layer == session.main }, "events name their layer", seen: "\(events)")
    }

    private func describe(_ event: MixEvent, _ names: [DeckID: String]) -> String? {
        func name(_ deck: DeckID) -> String { names[deck] ?? deck.description }
        switch event.kind {
        case .deckStarted(let deck): return "\(event.frame) started \(name(deck))"
        case .deckEnded(let deck, .finished): return "\(event.frame) ended \(name(deck))"
        case .deckEnded(let deck, let end): return "\(event.frame) \(end) \(name(deck))"
        case .crossfadeStarted(let from, let to, let frames):
            return "\(event.frame) crossfade \(name(from)) to \(name(to)) \(frames)"
        case .crossfadeEnded(let to): return "\(event.frame) crossfade ended \(name(to))"
        case .joined(let from, let to): return "\(event.frame) joined \(name(from)) to \(name(to))"
        case .idle: return "\(event.frame) idle"
        default: return nil
        }
    }

    func followUps(_ collector: inout FindingCollector) async throws {
        let first = try await session.open(ramp(20_000))
        let second = try await session.open(ramp(10_000, from: 100_000))
        let third = try await session.open(ramp(10_000, from: 200_000))
        // The plan may be asked for late, behind what is decided here.
        session.followUps[first] = .deck(third, .gapless)
        try await engine.play(first, on: session.main, entry: .cut, loop: nil)
        try await engine.setFollowUp(.deck(second, .gapless), on: session.main)
        try await session.render(5_000)
        try await engine.setFollowUp(.deck(third, .gapless), on: session.main)
        try await session.render(5_000)
        let overlay = await engine.addLayer(.overlay)
        try await engine.play(second, on: overlay, entry: .cut, loop: nil)
        await engine.stop(overlay, fade: 0, curve: .linear)
        try await session.render(1_000)
        collector.expectEqual(
            try await session.renderToIdle(limit: 100_000), 19_000, "the last decision on the follow-up is carried out")
        let (samples, _) = try await session.complete()
        let runs = RampAnalysis.runs(in: samples)
        collector.expectEqual(
            runs.last, RampRun(.source(200_000), at: 20_000, length: 10_000),
            "a deck that no longer follows can be played on another layer, and the deck decided on last follows")
    }
}
