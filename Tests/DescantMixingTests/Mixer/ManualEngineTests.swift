import DescantCore
import DescantTesting
import Foundation
import Testing

/// A sound of the host, which may be without a length.
private final class HostSound: PCMSource {
    let name = "sound of the host"
    let frameCount: Int64?
    private let source: SampleSource

    init(_ content: SampleBuffer, announcesLength: Bool) {
        source = SampleSource(content)
        frameCount = announcesLength ? Int64(content.frameCount) : nil
    }

    var format: PCMFormat { source.format }

    func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) -> Int {
        source.read(into: buffer, maxFrames: maxFrames)
    }

    func seek(toFrame frame: Int64) throws { try source.seek(toFrame: frame) }
}

/// The mixer in real time and with faults, on an output that the test steps.
@Suite(.timeLimit(.minutes(2))) struct ManualEngineTests {
    private let url = URL(fileURLWithPath: "/sounds/ramp")
    private let nextURL = URL(fileURLWithPath: "/sounds/next")

    private func register(_ manual: ManualMixingEngine, fault: DeckFault? = nil) {
        manual.decks.register(TestSignal.ramp(frames: 20_000).samples(), for: url, fault: fault)
        manual.decks.register(TestSignal.ramp(frames: 5_000, firstIndex: 100_000).samples(), for: nextURL)
    }

    private func start(_ manual: ManualMixingEngine, followedByNext: Bool = false) async throws -> DeckID {
        let engine = manual.engine
        let deck = try await engine.openDeck(.url(url), gain: 1, isClip: false).id
        try await engine.play(deck, on: engine.mainLayer, entry: .cut, loop: nil)
        guard followedByNext else {
            try await engine.setFollowUp(.nothing, on: engine.mainLayer)
            return deck
        }
        let next = try await engine.openDeck(.url(nextURL), gain: 1, isClip: false).id
        try await engine.setFollowUp(.deck(next, .gapless), on: engine.mainLayer)
        return deck
    }

    /// All events until the shutdown of the engine.
    private func events(
        _ manual: ManualMixingEngine, _ recording: AsyncStream<Numbered<MixEvent>>
    ) async -> [MixEvent] {
        await manual.engine.shutdown()
        var all: [MixEvent] = []
        for await numbered in recording { all.append(numbered.event) }
        return all
    }

    /// The heard position in frames.
    private func position(_ manual: ManualMixingEngine) async -> Int64 {
        let status = await manual.engine.status(of: manual.engine.mainLayer)
        return manual.engine.mixFormat.frames(in: status.position)
    }

    // MARK: Faults

    @Test func starvedDeckIsSilentInRealTimeAndReportedOnce() async throws {
        let manual = ManualMixingEngine.realTime()
        var fault = DeckFault()
        fault.starvesAtFrame = 5_000
        register(manual, fault: fault)
        let recording = manual.engine.mixEvents.buffered(.bounded(256)).numbered
        _ = try await start(manual)
        await manual.output.step(frames: 9_600)
        manual.decks.release(url.path)
        await manual.output.step(frames: 24_000)
        let runs = RampAnalysis.runs(in: manual.rendered)
        #expect(runs.first == RampRun(.source(0), at: 0, length: 5_000))
        #expect(runs.dropFirst().first == RampRun(.silence, at: 5_000, length: 4_600))
        #expect(runs.dropFirst(2).first == RampRun(.source(5_000), at: 9_600, length: 15_000), "no frame is skipped")
        let underruns = await events(manual, recording).compactMap { event -> Int64? in
            if case .underrun(let frames) = event.kind { frames } else { nil }
        }
        #expect(underruns == [4_600])
    }

    /// A stop fades out for 480 frames, in which another deck may be started.
    @Test(arguments: ["is stopped", "was stopped", "has failed"])
    func startDoesNotReportTheGapOfADeckThat(_ end: String) async throws {
        let manual = ManualMixingEngine.realTime()
        let engine = manual.engine
        var fault = DeckFault()
        fault.starvesAtFrame = 5_000
        fault.failure = (5_000, .ioError("the connection broke"))
        register(manual, fault: fault)
        let recording = engine.mixEvents.buffered(.bounded(256)).numbered
        let deck = try await start(manual)
        await manual.output.step(frames: 9_600)
        if end == "has failed" {
            manual.decks.release(url.path)
        } else {
            await engine.stop(engine.mainLayer, fade: 0, curve: .linear)
        }
        if end != "is stopped" { await manual.output.step(frames: 960) }
        let next = try await engine.openDeck(.url(nextURL), gain: 1, isClip: false).id
        try await engine.play(next, on: engine.mainLayer, entry: .cut, loop: nil)
        await manual.output.step(frames: 2_400)
        let kinds = await events(manual, recording).map(\.kind)
        #expect(kinds.contains(.starved(deck)) && kinds.contains(.deckStarted(next)))
        #expect(!kinds.contains { if case .underrun = $0 { true } else { false } })
    }

    @Test func offlineRenderWaitsForAStarvedDeck() async throws {
        let manual = ManualMixingEngine.offline()
        var fault = DeckFault()
        fault.starvesAtFrame = 5_000
        register(manual, fault: fault)
        _ = try await start(manual)
        async let rendered = manual.engine.advance(frames: 50_000, untilIdle: manual.engine.mainLayer)
        manual.decks.release(url.path)
        #expect(try await rendered == 20_000)
        #expect(RampAnalysis.runs(in: manual.rendered) == [RampRun(.source(0), at: 0, length: 20_000)])
    }

    @Test func failingDeckReportsItsErrorAndNextDeckFollows() async throws {
        let manual = ManualMixingEngine.realTime()
        var fault = DeckFault()
        fault.failure = (7_001, .decodeError("damaged at frame 7001"))
        register(manual, fault: fault)
        let recording = manual.engine.mixEvents.buffered(.bounded(256)).numbered
        let deck = try await start(manual, followedByNext: true)
        await manual.output.step(frames: 14_400)
        let runs = RampAnalysis.runs(in: manual.rendered).prefix(2)
        #expect(
            Array(runs) == [
                RampRun(.source(0), at: 0, length: 7_001), RampRun(.source(100_000), at: 7_001, length: 5_000),
            ])
        let end = try #require(
            await events(manual, recording).compactMap { event -> (Int64, MixEvent.DeckEnd)? in
                if case .deckEnded(deck, let end) = event.kind { (event.frame, end) } else { nil }
            }.first)
        guard case .failed(let position, .decodeError("damaged at frame 7001")) = end.1 else {
            Issue.record("\(end)")
            return
        }
        #expect(end.0 == 7_001)
        #expect(abs(position - 7_001.0 / 48_000) < 1e-6)
    }

    @Test func deckThatEndsEarlyIsTruncated() async throws {
        let manual = ManualMixingEngine.realTime()
        var fault = DeckFault()
        fault.endsAtFrame = 6_000
        register(manual, fault: fault)
        let recording = manual.engine.mixEvents.buffered(.bounded(256)).numbered
        let deck = try await start(manual)
        await manual.output.step(frames: 9_600)
        let ends = await events(manual, recording).compactMap { event -> Double? in
            if case .deckEnded(deck, .truncated(let position, _)) = event.kind { position } else { nil }
        }
        #expect(ends == [0.125])
    }

    @Test(arguments: [Int64?.none, 19_000, 21_000])
    func crossfadeFromDeckOfEstimatedLengthEndsWithItsLastFrame(announced: Int64?) async throws {
        let manual = ManualMixingEngine.offline()
        var fault = DeckFault()
        fault.announcesLength = announced != nil
        fault.announcedFrames = announced
        fault.isLengthExact = false
        let (outgoing, incoming) = (
            TestSignal.sine(440, seconds: 1), TestSignal.sine(1_000, seconds: 1)
        )
        manual.decks.register(outgoing.samples(), for: url, fault: fault)
        manual.decks.register(incoming.samples(), for: nextURL)
        let engine = manual.engine
        let first = try await engine.openDeck(.url(url), gain: 1, isClip: false).id
        let second = try await engine.openDeck(.url(nextURL), gain: 1, isClip: false).id
        let starts = engine.mixEvents.buffered(.bounded(256)).numbered
        let decision = Task { [main = engine.mainLayer] in
            for await numbered in starts {
                if case .deckStarted(second) = numbered.event.kind {
                    return try await engine.setFollowUp(.nothing, on: main)
                }
            }
        }
        try await engine.play(first, on: engine.mainLayer, entry: .cut, loop: nil)
        try await engine.setFollowUp(.deck(second, .crossfade(0.5, curve: .equalPower)), on: engine.mainLayer)
        #expect(try await engine.advance(frames: 200_000, untilIdle: engine.mainLayer) == 72_000)
        try await decision.value
        let found = try CrossfadeAnalysis(
            outgoing: outgoing, incoming: incoming, curve: .equalPower, overlap: 24_000
        ).measure(manual.rendered)
        #expect(found.residual <= -85)
    }

    @Test func hangingOpenDoesNotBlockOtherDecks() async throws {
        let manual = ManualMixingEngine.realTime()
        var fault = DeckFault()
        fault.opensOnRelease = true
        manual.decks.register(TestSignal.ramp(frames: 100).samples(), for: nextURL, fault: fault)
        manual.decks.register(TestSignal.ramp(frames: 20_000).samples(), for: url)
        let slow = Task { [engine = manual.engine, nextURL] in
            try await engine.openDeck(.url(nextURL), gain: 1, isClip: false)
        }
        _ = try await start(manual)
        await manual.output.step(frames: 9_600)
        #expect(RampAnalysis.runs(in: manual.rendered) == [RampRun(.source(0), at: 0, length: 9_600)])
        manual.decks.release(nextURL.path)
        #expect(try await slow.value.frameCount == 100)
    }

    // MARK: Loops

    /// A clip of more than 30 s is not kept in memory, and its source is read by one deck at a time.
    @Test(arguments: [true, false])
    func longClipOfTheHostIsLoopedFromItsBeginning(announcesLength: Bool) async throws {
        let rate = 8_000
        let manual = ManualMixingEngine.offline(format: PCMFormat(sampleRate: rate, channels: 2))
        let frames = 31 * rate
        let content = TestSignal.ramp(frames: frames, sampleRate: rate).samples()
        let source = HostSound(content, announcesLength: announcesLength)
        var fault = DeckFault()
        fault.rewindsInstantly = false
        manual.decks.setFault(fault, for: source.name)
        let engine = manual.engine
        let overlay = await engine.addLayer(.overlay)
        let deck = try await engine.openDeck(.pcm(source), gain: 1, isClip: true).id
        try await engine.play(deck, on: overlay, entry: .cut, loop: LoopPlan(passes: 2))
        #expect(try await engine.advance(frames: Int64(4 * frames), untilIdle: overlay) == Int64(2 * frames))
        let passes = [0, frames].map { RampRun(.source(0), at: $0, length: frames) }
        #expect(RampAnalysis.runs(in: manual.rendered) == passes)
        #expect(manual.decks.openedNames == [source.name])
        await engine.shutdown()
    }

    /// Plays a loop with a crossfade into the next sound; returns the frame and the length of each crossfade.
    private func crossfades(
        _ manual: ManualMixingEngine, outOf loop: LoopPlan, over seconds: Double
    ) async throws -> [[Int64]] {
        let engine = manual.engine
        let recording = engine.mixEvents.buffered(.bounded(256)).numbered
        let first = try await engine.openDeck(.url(url), gain: 1, isClip: false).id
        let next = try await engine.openDeck(.url(nextURL), gain: 1, isClip: false).id
        try await engine.play(first, on: engine.mainLayer, entry: .cut, loop: loop)
        try await engine.setFollowUp(.deck(next, .crossfade(seconds, curve: .linear)), on: engine.mainLayer)
        await manual.output.step(frames: 48_000)
        return await events(manual, recording).compactMap { event -> [Int64]? in
            if case .crossfadeStarted(_, _, let frames) = event.kind { [event.frame, frames] } else { nil }
        }
    }

    /// The end of a source of estimated length is known when its last frames have been read.
    @Test(arguments: [true, false])
    func crossfadeOutOfALoopEndsWithItsLastPass(isLengthExact: Bool) async throws {
        let manual = ManualMixingEngine.realTime()
        var fault = DeckFault()
        fault.isLengthExact = isLengthExact
        register(manual, fault: fault)
        #expect(try await crossfades(manual, outOf: LoopPlan(passes: 2), over: 0.1) == [[35_200, 4_800]])
    }

    /// At another rate than the mix's, the passes are one stream in the converter.
    @Test(arguments: [48_000, 44_100])
    func crossfadeThatIsLongerThanAPassBeginsInThePassBefore(rate: Int) async throws {
        let manual = ManualMixingEngine.realTime()
        register(manual)
        manual.decks.register(TestSignal.ramp(frames: rate / 10, sampleRate: rate).samples(), for: url)
        #expect(try await crossfades(manual, outOf: LoopPlan(passes: 3), over: 0.15) == [[7_200, 7_200]])
    }

    // MARK: The device

    @Test func eventsAndPositionsFollowTheHeardFrame() async throws {
        let manual = ManualMixingEngine.realTime()
        register(manual)
        manual.output.setLatency(frames: 4_800)
        let events = manual.engine.mixEvents.buffered(.bounded(256)).numbered
        _ = try await start(manual)
        await manual.output.step(frames: 4_800)
        #expect(await position(manual) == 0)
        await manual.output.step(frames: 4_800)
        #expect(await position(manual) == 4_800)
        await manual.output.step(frames: 9_600)
        #expect(await position(manual) == 14_400)
        await manual.output.step(frames: 2_400)
        manual.output.setLatency(frames: 0)
        for await numbered in events {
            guard case .idle = numbered.event.kind else { continue }
            #expect(numbered.event.frame == 20_000)
            break
        }
        await manual.engine.shutdown()
    }

    @Test func playThrowsTheErrorOfAMissingDevice() async throws {
        let manual = ManualMixingEngine.realTime()
        register(manual)
        manual.output.setStartError(.ioError("no device; start one"))
        let engine = manual.engine
        let deck = try await engine.openDeck(.url(url), gain: 1, isClip: false).id
        await #expect(throws: CoreError.ioError("no device; start one")) {
            try await engine.play(deck, on: engine.mainLayer, entry: .cut, loop: nil)
        }
        #expect(await engine.status(of: engine.mainLayer).activity == .idle)
        manual.output.setStartError(nil)
        let second = try await engine.openDeck(.url(url), gain: 1, isClip: false).id
        try await engine.play(second, on: engine.mainLayer, entry: .cut, loop: nil)
        #expect(await manual.output.step(frames: 480) == 480)
    }

    @Test func idleDeviceIsReleasedAfterItsTime() async throws {
        let clock = ManualClock()
        let manual = ManualMixingEngine.realTime(clock: clock, idleRelease: 5)
        register(manual)
        _ = try await start(manual)
        await manual.output.step(frames: 4_800)
        #expect(manual.output.isStarted)
        await manual.engine.pause(manual.engine.mainLayer, ramp: 0.01)
        await manual.output.step(frames: 4_800)
        await clock.waitForSleepers()
        clock.advance(seconds: 4.9)
        #expect(manual.output.isStarted)
        clock.advance(seconds: 0.2)
        await manual.output.waitForRelease()
        #expect(!manual.output.isStarted)
        try await manual.engine.resume(manual.engine.mainLayer, ramp: 0.01)
        #expect(manual.output.startCount == 2)
        await manual.output.step(frames: 24_000)
        let runs = RampAnalysis.runs(in: manual.rendered).filter { $0.kind != .other && $0.kind != .silence }
        #expect(runs.last?.sourceEnd == 20_000, "it goes on where it was paused")
    }

    @Test func deviceThatIsReleasedAtOnceWaitsForTheFadeOfAPause() async throws {
        let clock = ManualClock()
        let manual = ManualMixingEngine.realTime(clock: clock, idleRelease: 0)
        register(manual)
        _ = try await start(manual)
        await manual.output.step(frames: 4_800)
        await manual.engine.pause(manual.engine.mainLayer, ramp: 0.01)
        await clock.waitForSleepers()
        #expect(manual.output.isStarted, "the fade still sounds")
        await manual.output.step(frames: 4_800)
        clock.advance(seconds: 0.1)
        await manual.output.waitForRelease()
        #expect(!manual.output.isStarted)
    }

    @Test(arguments: [false, true]) func idleDeviceIsReleasedAfterEndAndFade(isStopped: Bool) async throws {
        let clock = ManualClock()
        let manual = ManualMixingEngine.realTime(clock: clock, idleRelease: 0.1)
        register(manual)
        _ = try await start(manual)
        await manual.output.step(frames: 4_800)
        if isStopped {
            await manual.engine.stop(manual.engine.mainLayer, fade: 0.2, curve: .linear)
            await clock.waitForSleepers()
            clock.advance(seconds: 0.15)
            #expect(manual.output.isStarted, "it still sounds")
        }
        await manual.output.step(frames: 48_000)
        await clock.waitForSleepers()
        clock.advance(seconds: 0.15)
        await manual.output.waitForRelease()
        #expect(!manual.output.isStarted)
    }

    /// A fade without a device is skipped, because it must not be heard when the device is back.
    @Test func stopWithoutDeviceCompletesAtOnce() async throws {
        let manual = ManualMixingEngine.realTime()
        register(manual)
        let recording = manual.engine.mixEvents.buffered(.bounded(256)).numbered
        _ = try await start(manual)
        await manual.output.step(frames: 4_800)
        manual.output.lose(reason: "unplugged")
        await manual.engine.stop(manual.engine.mainLayer, fade: 1, curve: .linear)
        #expect(await manual.engine.status(of: manual.engine.mainLayer).activity == .idle)
        for await numbered in recording { if case .idle = numbered.event.kind { break } }
        await manual.engine.shutdown()
    }

    @Test func lostOutputIsReportedAndFreezesEveryLayer() async throws {
        let manual = ManualMixingEngine.realTime()
        register(manual)
        let events = manual.engine.mixEvents.buffered(.bounded(256)).numbered
        _ = try await start(manual)
        await manual.output.step(frames: 4_800)
        manual.output.lose(reason: "unplugged")
        #expect(await manual.output.step(frames: 4_800) == 0)
        #expect(await position(manual) == 4_800)
        manual.output.restore()
        await manual.output.step(frames: 20_000)
        #expect(RampAnalysis.runs(in: manual.rendered).first == RampRun(.source(0), at: 0, length: 20_000))
        await manual.engine.shutdown()
        var kinds: [String] = []
        for await numbered in events {
            if case .outputLost("unplugged") = numbered.event.kind { kinds.append("lost \(numbered.event.frame)") }
            if case .outputRestored = numbered.event.kind { kinds.append("restored \(numbered.event.frame)") }
        }
        #expect(kinds == ["lost 4800", "restored 4800"])
    }

    /// The sound server is away when another track is chosen; the one that was heard goes on when it is back.
    @Test func whatALossHasFrozenIsKeptWhenAnotherTrackCannotStart() async throws {
        let manual = ManualMixingEngine.realTime()
        register(manual)
        let engine = manual.engine
        _ = try await start(manual)
        await manual.output.step(frames: 4_800)
        manual.output.lose(reason: "the server went away")
        let away = CoreError.ioError("the server went away")
        manual.output.setStartError(away)
        let next = try await engine.openDeck(.url(nextURL), gain: 1, isClip: false).id
        await #expect(throws: away) {
            try await engine.play(next, on: engine.mainLayer, entry: .crossfade(0.05, curve: .linear), loop: nil)
        }
        #expect(await engine.status(of: engine.mainLayer).activity == .playing)
        manual.output.setStartError(nil)
        manual.output.restore()
        await manual.output.step(frames: 9_600)
        #expect(RampAnalysis.runs(in: manual.rendered).first == RampRun(.source(0), at: 0, length: 14_400))
        // The deck was not touched.
        try await engine.play(next, on: engine.mainLayer, entry: .cut, loop: nil)
        #expect(await engine.status(of: engine.mainLayer).deck == next)
        await engine.shutdown()
    }

    @Test func unusedDecksAreClosed() async throws {
        let manual = ManualMixingEngine.offline()
        register(manual)
        let engine = manual.engine
        for _ in 0..<3 {
            _ = try await start(manual)
            _ = try await engine.advance(frames: 5_000, untilIdle: nil)
        }
        await engine.stop(engine.mainLayer, fade: 0, curve: .linear)
        _ = try await engine.advance(frames: 5_000, untilIdle: nil)
        await engine.shutdown()
        await manual.decks.waitUntilAllAreClosed()
        #expect(manual.decks.openDeckCount == 0)
    }
}
