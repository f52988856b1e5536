internal import DescantCore
internal import Foundation

struct CommandChecks: EngineChecks {
    let session: EngineSession

    init(_ session: EngineSession) { self.session = session }

    func unknownIdentifiers(_ collector: inout FindingCollector) async throws {
        let refused: Set<String> = ["invalidArgument"]
        let (noDeck, noLayer) = (DeckID(rawValue: 987_654), LayerID(rawValue: 987_654))
        let deck = try await session.open(ramp(20_000))
        let main = session.main
        await collector.expectError(refused, "an unknown deck is not played") {
            try await engine.play(noDeck, on: main, entry: .cut, loop: nil)
        }
        await collector.expectError(refused, "nothing is played on an unknown layer") {
            try await engine.play(deck, on: noLayer, entry: .cut, loop: nil)
        }
        await collector.expectError(refused, "an unknown deck does not follow") {
            try await engine.setFollowUp(.deck(noDeck, .gapless), on: main)
        }
        await collector.expectError(refused, "nothing follows on an unknown layer") {
            try await engine.setFollowUp(.nothing, on: noLayer)
        }
        collector.expectEqual(await engine.status(of: noLayer).activity, .idle, "an unknown layer is idle")
        await engine.closeDeck(noDeck)
        try await engine.play(deck, on: main, entry: .cut, loop: nil)
        try await session.render(1_000)
        await collector.expectError(refused, "a deck that is on a layer is not played on another") {
            try await engine.play(deck, on: await engine.addLayer(.overlay), entry: .cut, loop: nil)
        }
        await engine.closeDeck(deck)
        try await session.render(1_000)
        let closed = try await session.open(ramp(100))
        await engine.closeDeck(closed)
        await engine.closeDeck(closed)
        await collector.expectError(refused, "a closed deck is not played") {
            try await engine.play(closed, on: main, entry: .cut, loop: nil)
        }
        try await session.renderToIdle(limit: 100_000)
        await collector.expectError(refused, "a deck that has ended is not played again") {
            try await engine.play(deck, on: main, entry: .cut, loop: nil)
        }
        let (samples, _) = try await session.complete()
        collector.expectRuns(
            samples, [RampRun(.source(0), at: 0, length: 20_000)], "refused commands do not change the sound")
    }

    func missingSource(_ collector: inout FindingCollector) async throws {
        let url = URL(fileURLWithPath: "/nonexistent/descant-contract.wav")
        await collector.expectError(["notFound"], "a missing file is refused as not found") {
            try await engine.openDeck(.url(url), gain: 1, isClip: false)
        }
        do {
            _ = try await engine.openDeck(.url(url), gain: 1, isClip: false)
        } catch {
            let text = (error as? CoreError)?.message ?? ""
            collector.expect(text.contains(url.path), "the error for a missing file names it", seen: text)
        }
    }

    func status(_ collector: inout FindingCollector) async throws {
        collector.expectEqual(
            await engine.status(of: session.main).activity, .idle, "a layer without a deck is idle")
        let deck = try await session.start(ramp(48_000))
        try await session.render(12_000)
        var status = await engine.status(of: session.main)
        collector.expectEqual(status.activity, .playing, "a layer with a sounding deck is playing")
        collector.expectEqual(status.deck, deck, "the status names the present deck")
        collector.expectEqual(format.frames(in: status.position), 12_000, "the position is exact to the frame")
        collector.expectEqual(status.duration, format.seconds(of: 48_000), "the duration is exact to the frame")
        collector.expectEqual(status.isCrossfading, false, "no crossfade is reported without one")
        let next = try await session.start(ramp(48_000), entry: .crossfade(0.5, curve: .linear))
        try await session.render(6_000)
        status = await engine.status(of: session.main)
        collector.expectEqual(status.deck, next, "during a crossfade the incoming deck is the present one")
        collector.expectEqual(format.frames(in: status.position), 6_000, "the position is that of the incoming deck")
        collector.expectEqual(status.isCrossfading, true, "a crossfade is reported")
        collector.expectEqual(
            format.frames(in: status.crossfadeRemaining), Int64(frames(0.5) - 6_000),
            "the remaining time of a crossfade is exact")
        _ = try await session.complete()
    }

    func rate(_ collector: inout FindingCollector) async throws {
        for rate in [0.49, 3.01, -1, .nan] {
            await collector.expectError(["invalidArgument"], "a speed of \(rate) is refused") {
                try await engine.setRate(rate, of: session.main)
            }
        }
        let seconds = 3.0
        try await session.start(tone(440, frames(seconds)).samples())
        try await session.render(frames(0.5))
        try await engine.setRate(2, of: session.main)
        try await session.render(frames(0.5))
        let position = await engine.status(of: session.main).position
        collector.expect(
            abs(position - 1.5) < 0.1, "the position moves at the layer's speed", seen: "\(position) s instead of 1.5 s"
        )
        let rendered = Double(try await session.renderToIdle(limit: frames(10))) / Double(format.sampleRate)
        collector.expect(
            abs(rendered - 0.75) < 0.15, "at double speed a deck takes half its time",
            seen: "\(rendered) s instead of 0.75 s")
        _ = try await session.complete()
    }

    func mediaEngine(_ collector: inout FindingCollector) async throws {
        collector.expect(
            engine.capabilities.isSuperset(of: [.mixes, .rendersOffline, .playsURLs]),
            "an offline mixing engine has the capabilities mixing, offline rendering and URLs",
            seen: "capabilities \(engine.capabilities.rawValue)")
        await collector.expectError(["invalidState"], "nothing is played before anything is loaded") {
            try await engine.play()
        }
        await collector.expectError(["unsupported"], "a mixing engine does not speak text") {
            try await engine.loadContent(.text("hello", language: nil))
        }
        guard case .url(let url) = try await session.source(ramp(20_000), "media") else { return }
        try await engine.loadContent(.url(url))
        collector.expectEqual(await engine.engineState, .ready, "loaded content is ready")
        try await engine.play()
        try await session.render(5_000)
        collector.expectEqual(
            format.frames(in: await engine.currentTime), 5_000, "the media position is the main layer's")
        collector.expectEqual(await engine.isPlaying, true, "a playing engine reports that it plays")
        await engine.pause()
        try await session.render(2_000)
        collector.expectEqual(await engine.isPaused, true, "a paused engine reports that it is paused")
        try await engine.play()
        try await engine.seek(to: .fraction(0.5))
        try await session.renderToIdle(limit: 100_000)
        collector.expectEqual(await engine.engineState, .finished, "content heard to its end is finished")
        await engine.stop()
        collector.expectEqual(await engine.engineState, .idle, "a stopped engine is idle")
        _ = try await session.complete()
    }

    func shutdown(_ collector: inout FindingCollector) async throws {
        try await session.start(ramp(20_000))
        try await session.render(5_000)
        await engine.shutdown()
        await engine.shutdown()
        await collector.expectError(["invalidState", "ioError"], "an engine that was shut down opens no deck") {
            try await session.open(ramp(100))
        }
    }
}
