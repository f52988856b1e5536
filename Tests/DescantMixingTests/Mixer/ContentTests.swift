import DescantCore
import DescantTesting
import Foundation
import Testing

@testable import DescantMixing

/// The mixer as an engine of one content.
@Suite(.timeLimit(.minutes(2))) struct ContentTests {
    private let url = URL(fileURLWithPath: "/sounds/ramp.flac")

    private func engine() -> ManualMixingEngine {
        let manual = ManualMixingEngine.realTime()
        manual.decks.register(TestSignal.ramp(frames: 20_000).samples(), for: url)
        return manual
    }

    /// The frames of the ramp with which the runs begin that were rendered from a frame on. Within a fade of 10 ms, few frames look like
    /// others; longer runs are what is heard.
    private func heardFrames(_ manual: ManualMixingEngine, since start: Int) -> [Int64] {
        RampAnalysis.runs(in: manual.rendered).compactMap { run in
            guard run.at >= start, run.length >= 64, case .source(let frame) = run.kind else { return nil }
            return frame
        }
    }

    @Test(arguments: ["loaded", "stopped", "finished"])
    func aSeekBeforeThePlayIsHeardFromItsFirstFrame(_ state: String) async throws {
        let manual = engine()
        let engine = manual.engine
        try await engine.loadContent(.url(url))
        if state != "loaded" {
            try await engine.play()
            await manual.output.step(frames: state == "stopped" ? 480 : 24_000)
            if state == "stopped" { await engine.stop() }
        }
        let before = manual.rendered.frameCount
        try await engine.seek(to: .time(0.25))
        #expect(await engine.currentTime == 0.25)
        try await engine.play()
        await manual.output.step(frames: 4_800)
        let frames = heardFrames(manual, since: before)
        #expect(frames == [12_480], "\(state): it begins with a ramp of 480 frames")
        await engine.shutdown()
    }

    /// A connection breaks and is there again. Damaged content begins anew, as does what has no end to come back to.
    @Test(arguments: [
        (CoreError.ioError("the connection broke"), true), (.ioError("a radio"), false), (.decodeError("damage"), true),
    ])
    func contentThatBrokeOffGoesOnThere(_ error: CoreError, _ hasLength: Bool) async throws {
        let manual = engine()
        let engine = manual.engine
        let name = AudioSource.url(url).name
        var fault = DeckFault()
        fault.failure = (9_600, error)
        fault.announcesLength = hasLength
        let sound = TestSignal.ramp(frames: 20_000).samples()
        let track = TrackInfo(
            title: "ramp", duration: hasLength ? sound.duration : 0,
            format: AudioFormat(sampleRate: 48_000, channelCount: 1))
        manual.decks.register(sound, for: url, track: track, fault: fault)
        try await engine.loadContent(.url(url))
        try await engine.play()
        await manual.output.step(frames: 14_400)
        for await state in engine.stateUpdates where state == .failed(error) { break }
        let goesOn = error.code == "ioError" && hasLength
        if goesOn { #expect(await engine.currentTime == 0.2) }
        manual.decks.setFault(nil, for: name)
        let before = manual.rendered.frameCount
        try await engine.play()
        await manual.output.step(frames: 4_800)
        let frames = heardFrames(manual, since: before)
        #expect(frames == [goesOn ? 9_600 + 480 : 0], "\(error)")
        await engine.shutdown()
    }

    @Test func contentThatFailedBeginsWhereItIsMovedTo() async throws {
        let manual = engine()
        let engine = manual.engine
        let name = AudioSource.url(url).name
        var fault = DeckFault()
        fault.failure = (9_600, .decodeError("damage"))
        manual.decks.setFault(fault, for: name)
        try await engine.loadContent(.url(url))
        try await engine.play()
        await manual.output.step(frames: 14_400)
        for await state in engine.stateUpdates { if case .failed = state { break } }
        try await engine.seek(to: .time(0.3))
        #expect(await engine.currentTime == 0.3)
        manual.decks.setFault(nil, for: name)
        try await engine.play()
        #expect(await engine.currentTime == 0.3)
        await engine.shutdown()
    }

    /// The device is busy, and free when the start is tried again. The events of a failed start come at once, or later.
    @Test(arguments: [0, 2_400], [false, true])
    func contentWhoseStartFailedBeginsAtItsPlaceWithTheNextStart(_ latency: Int, _ isMoved: Bool) async throws {
        let manual = engine()
        let engine = manual.engine
        manual.output.setLatency(frames: Int64(latency))
        try await engine.loadContent(.url(url))
        try await engine.play()
        await manual.output.step(frames: 4_800)
        await engine.stop()
        await manual.output.step(frames: 960)
        if isMoved { try await engine.seek(to: .time(0.25)) }
        let busy = CoreError.ioError("the device is busy")
        manual.output.setStartError(busy)
        for _ in 0..<2 {
            await #expect(throws: busy) { try await engine.play() }
            #expect(await engine.engineState == .ready)
            #expect(await engine.currentTime == (isMoved ? 0.25 : 0))
        }
        manual.output.setStartError(nil)
        let before = manual.rendered.frameCount
        try await engine.play()
        #expect(await engine.engineState == .playing)
        await manual.output.step(frames: 4_800)
        let frames = heardFrames(manual, since: before)
        #expect(frames == [isMoved ? 12_480 : 0])
        await engine.shutdown()
    }

    @Test(arguments: [0.05, 0.35])
    func theTargetOfASeekIsThePositionUntilItIsHeard(_ target: Double) async throws {
        let manual = engine()
        let engine = manual.engine
        try await engine.loadContent(.url(url))
        try await engine.play()
        await manual.output.step(frames: 9_600)
        #expect(await engine.currentTime > 0.1)
        try await engine.seek(to: .time(target))
        #expect(await engine.currentTime == target)
        await manual.output.step(frames: 2_400)
        // The event of the seek is handled on another thread.
        var later = target
        while later == target { later = await engine.currentTime }
        #expect(later > target && later < target + 0.05)
        await engine.shutdown()
    }

    /// The layer's end is told when it is heard, which may be after the next start.
    @Test func theEndOfWhatWasStoppedIsNotTheEndOfWhatPlaysNext() async throws {
        let manual = engine()
        let engine = manual.engine
        manual.output.setLatency(frames: 2_400)
        let updates = engine.stateUpdates.buffered(.bounded(64))
        let events = engine.mixEvents.buffered(.bounded(64))
        try await engine.loadContent(.url(url))
        try await engine.play()
        await manual.output.step(frames: 4_800)
        await engine.stop()
        await manual.output.step(frames: 960)
        try await engine.play()
        await manual.output.step(frames: 4_800)
        var starts = 0
        for await event in events {
            if case .deckStarted = event.kind { starts += 1 }
            if starts == 2 { break }
        }
        await manual.output.step(frames: 24_000)
        var states: [EngineState] = []
        for await state in updates {
            // Playing is told by the command, and when the first frame is heard if that is later.
            if state != states.last { states.append(state) }
            if state == .finished { break }
        }
        #expect(states.suffix(4) == [.idle, .ready, .playing, .finished])
        await engine.shutdown()
    }

    /// A pause takes 10 ms to be heard; a stop within them ends it.
    @Test(arguments: [0, 100, 2_400])
    func contentPlaysAgainAfterAPauseAndAStop(_ frames: Int) async throws {
        let manual = engine()
        let engine = manual.engine
        manual.output.setLatency(frames: 2_400)
        let events = engine.mixEvents.buffered(.bounded(64))
        try await engine.loadContent(.url(url))
        try await engine.play()
        await manual.output.step(frames: 4_800)
        await engine.pause()
        await manual.output.step(frames: frames)
        await engine.stop()
        #expect(await engine.engineState == .idle)
        try await engine.play()
        let before = manual.rendered.frameCount
        await manual.output.step(frames: 9_600)
        var starts = 0
        for await event in events {
            if case .deckStarted = event.kind { starts += 1 }
            if starts == 2 { break }
        }
        // The events of the pause came before.
        #expect(await engine.engineState == .playing)
        let runs = RampAnalysis.runs(in: manual.rendered).filter { $0.at >= before && $0.length >= 960 }
        #expect(runs.count == 1, "\(runs)")
        await engine.shutdown()
    }

    @Test func contentThatWaitsForTheNetworkIsBuffering() async throws {
        let manual = engine()
        let engine = manual.engine
        let name = AudioSource.url(url).name
        try await engine.loadContent(.url(url))
        manual.decks.report(buffering: 40, of: name)
        #expect(await engine.engineState == .ready)
        try await engine.play()
        await manual.output.step(frames: 4_800)
        // The start is told on another thread, perhaps behind a report.
        while await engine.engineState != .buffering {
            manual.decks.report(buffering: 40, of: name)
            await Task.yield()
        }
        manual.decks.report(buffering: 100, of: name)
        #expect(await engine.engineState == .playing)
        manual.decks.report(buffering: 10, of: name)
        await engine.pause()
        #expect(await engine.engineState == .paused)
        manual.decks.report(buffering: 50, of: name)
        #expect(await engine.engineState == .paused)
        try await engine.play()
        manual.decks.report(buffering: 100, of: name)
        await manual.output.step(frames: 48_000)
        for await state in engine.stateUpdates where state == .finished { break }
        await engine.shutdown()
    }

    /// The device takes a while to open, so that the starts overlap.
    @Test func startsAtOnceBeginTheContentOnce() async throws {
        let manual = engine()
        let engine = manual.engine
        manual.output.setDuringStart { for _ in 0..<20 { await Task.yield() } }
        for _ in 0..<50 {
            try await engine.loadContent(.url(url))
            async let first: Void = engine.play()
            async let second: Void = engine.play()
            _ = try await (first, second)
            #expect(await engine.engineState == .playing)
            await manual.output.step(frames: 960)
            await engine.stop()
            await manual.output.step(frames: 960)
        }
        await engine.shutdown()
    }

    /// What is told late does not count any more, however the threads are scheduled.
    @Test func lateEventsDoNotChangeTheState() async throws {
        let manual = engine()
        let engine = try #require(manual.engine as? Mixer)
        try await engine.loadContent(.url(url))
        try await engine.play()
        let layer = engine.mainLayer
        let events = Task.detached {
            while !Task.isCancelled {
                for kind in [MixEvent.Kind.paused(position: 0), .resumed, .idle] {
                    engine.updateMediaState(MixEvent(frame: 0, layer: layer, kind: kind))
                }
                await Task.yield()
            }
        }
        for _ in 0..<300 {
            await engine.pause()
            #expect(await engine.engineState == .paused)
            await engine.stop()
            #expect(await engine.engineState == .idle)
            await manual.output.step(frames: 960)
            try await engine.play()
            #expect(await engine.engineState == .playing)
            await manual.output.step(frames: 960)
            #expect(await engine.engineState == .playing)
        }
        events.cancel()
        await events.value
        await engine.shutdown()
    }

    /// The device takes long to open.
    @Test(arguments: [false, true]) func aPauseDuringAStartStaysInEffect(_ isResumed: Bool) async throws {
        let manual = engine()
        let engine = manual.engine
        try await engine.loadContent(.url(url))
        manual.output.setDuringStart {
            manual.output.setDuringStart(nil)
            await engine.pause()
            if isResumed { try? await engine.resume(engine.mainLayer, ramp: 0.01) }
        }
        try await engine.play()
        #expect(await engine.engineState == (isResumed ? .playing : .paused))
        await manual.output.step(frames: 4_800)
        #expect(await engine.engineState == (isResumed ? .playing : .paused))
        if !isResumed { try await engine.play() }
        #expect(await engine.engineState == .playing)
        await manual.output.step(frames: 24_000)
        for await state in engine.stateUpdates where state == .finished { break }
        await engine.shutdown()
    }

    /// What is rendered to its end is heard later.
    @Test func aPauseThatComesTooLateIsNone() async throws {
        let manual = engine()
        let engine = manual.engine
        manual.output.setLatency(frames: 2_400)
        try await engine.loadContent(.url(url))
        try await engine.play()
        await manual.output.step(frames: 21_000)
        await engine.pause()
        #expect(await engine.engineState == .playing)
        await manual.output.step(frames: 4_800)
        for await state in engine.stateUpdates where state == .finished { break }
        await engine.shutdown()
    }

    @Test func contentThatEndsDuringItsStartIsFinished() async throws {
        let manual = engine()
        let engine = manual.engine
        try await engine.loadContent(.url(url))
        manual.output.setDuringStart { await manual.output.step(frames: 24_000) }
        try await engine.play()
        for await state in engine.stateUpdates where state == .finished { break }
        #expect(await engine.engineState == .finished)
        await engine.shutdown()
    }

    /// The ramp of the pause is not over, so the layer is still paused when its content is replaced.
    @Test(arguments: [MixEvent.Kind.paused(position: 0), .resumed])
    func eventsOfReplacedContentDoNotCount(_ kind: MixEvent.Kind) async throws {
        let manual = engine()
        let engine = try #require(manual.engine as? Mixer)
        try await engine.loadContent(.url(url))
        try await engine.play()
        await manual.output.step(frames: 4_800)
        await engine.pause()
        if case .resumed = kind { try await engine.play() }
        try await engine.loadContent(.url(url))
        engine.updateMediaState(MixEvent(frame: 0, layer: engine.mainLayer, kind: kind))
        #expect(await engine.engineState == .ready)
        await engine.shutdown()
    }

    /// The place is that of the content that is replaced, also when its start fails behind the load.
    @Test(arguments: [false, true]) func aStartThatALoadOvertakesLeavesItsPlaceBehind(_ fails: Bool) async throws {
        let manual = engine()
        let engine = manual.engine
        let otherURL = URL(fileURLWithPath: "/sounds/other.flac")
        manual.decks.register(TestSignal.ramp(frames: 20_000).samples(), for: otherURL)
        try await engine.loadContent(.url(url))
        try await engine.seek(to: .time(0.25))
        let busy = CoreError.ioError("the device is busy")
        manual.output.setDuringStart {
            try await engine.loadContent(.url(otherURL))
            if fails { throw busy }
        }
        let error = await #expect(throws: (any Error).self) { try await engine.play() }
        #expect(fails ? error as? CoreError == busy : error is CancellationError)
        manual.output.setDuringStart(nil)
        #expect(await engine.engineState == .ready)
        #expect(await engine.currentTime == 0)
        // The stop of what had begun takes 10 ms.
        await manual.output.step(frames: 960)
        while manual.decks.openDeckCount > 1 { await Task.yield() }
        let before = manual.rendered.frameCount
        try await engine.play()
        await manual.output.step(frames: 4_800)
        let frames = heardFrames(manual, since: before)
        #expect(frames == [0])
        await engine.shutdown()
    }

    @Test func aFileShowsItsTags() async throws {
        let manual = engine()
        let engine = try #require(manual.engine as? any EngineTrackReporting)
        #expect(await engine.currentTrack == nil)
        try await engine.loadContent(.url(url))
        let track = try #require(await engine.currentTrack)
        #expect(track.url == url && track.title == "ramp" && track.duration == 20_000.0 / 48_000)
        await manual.engine.shutdown()
    }

    // MARK: Commands that overtake an opening

    private let slowURL = URL(fileURLWithPath: "/sounds/slow.flac")

    /// Begins to load content that opens when its name is released.
    private func loadSlowly(_ manual: ManualMixingEngine) async -> Task<Void, any Error> {
        var fault = DeckFault()
        fault.opensOnRelease = true
        manual.decks.register(TestSignal.ramp(frames: 1_000).samples(), for: slowURL, fault: fault)
        let loading = Task { [engine = manual.engine, slowURL] in try await engine.loadContent(.url(slowURL)) }
        while !manual.decks.openedNames.contains(slowURL.path) { await Task.yield() }
        return loading
    }

    @Test func aLoadThatIsOvertakenByAnotherLeavesNoDeckOpen() async throws {
        let manual = engine()
        let engine = manual.engine
        let overtaken = await loadSlowly(manual)
        try await engine.loadContent(.url(url))
        manual.decks.release(slowURL.path)
        await #expect(throws: CancellationError.self) { try await overtaken.value }
        #expect(manual.decks.openDeckCount == 1)
        #expect(await engine.engineState == .ready)
        #expect(await engine.duration == 20_000.0 / 48_000)
        try await engine.play()
        #expect(await engine.engineState == .playing)
        await engine.shutdown()
    }

    @Test func aStopEndsALoad() async throws {
        let manual = engine()
        let engine = manual.engine
        let overtaken = await loadSlowly(manual)
        await engine.stop()
        manual.decks.release(slowURL.path)
        await #expect(throws: CancellationError.self) { try await overtaken.value }
        #expect(manual.decks.openDeckCount == 0)
        #expect(await engine.engineState == .idle)
        await engine.shutdown()
    }

    @Test func aPauseDoesNotEndALoad() async throws {
        let manual = engine()
        let loading = await loadSlowly(manual)
        await manual.engine.pause()
        manual.decks.release(slowURL.path)
        try await loading.value
        #expect(await manual.engine.engineState == .ready)
        await manual.engine.shutdown()
    }

    /// An engine whose content was heard to its end. The next start opens it again, and waits until the test releases it.
    private func engineAtTheEnd() async throws -> ManualMixingEngine {
        let manual = engine()
        let engine = manual.engine
        try await engine.loadContent(.url(url))
        try await engine.play()
        await manual.output.step(frames: 24_000)
        for await state in engine.stateUpdates where state == .finished { break }
        await manual.decks.waitUntilAllAreClosed()
        var fault = DeckFault()
        fault.opensOnRelease = true
        manual.decks.setFault(fault, for: url.path)
        return manual
    }

    @Test func startsAtOnceOpenTheContentAgainOnce() async throws {
        let manual = try await engineAtTheEnd()
        let engine = manual.engine
        let opened = manual.decks.openedNames.count
        let starts = (0..<2).map { _ in Task { try await engine.play() } }
        while manual.decks.openedNames.count == opened { await Task.yield() }
        for _ in 0..<100 { await Task.yield() }
        manual.decks.release(url.path)
        for start in starts { try await start.value }
        #expect(manual.decks.openedNames.count == opened + 1)
        #expect(manual.decks.openDeckCount == 1)
        #expect(await engine.engineState == .playing)
        await engine.shutdown()
    }

    @Test func aStartBehindAStopDoesNotWaitForTheOneBefore() async throws {
        let manual = try await engineAtTheEnd()
        let engine = manual.engine
        let opened = manual.decks.openedNames.count
        let overtaken = Task { try await engine.play() }
        while manual.decks.openedNames.count == opened { await Task.yield() }
        await engine.stop()
        let start = Task { try await engine.play() }
        while manual.decks.openedNames.count == opened + 1 { await Task.yield() }
        manual.decks.release(url.path)
        await #expect(throws: CancellationError.self) { try await overtaken.value }
        try await start.value
        #expect(await engine.engineState == .playing)
        #expect(manual.decks.openDeckCount == 1)
        await engine.shutdown()
    }

    @Test(arguments: ["pause", "stop", "load"])
    func aLaterCommandEndsAStartThatOpensItsContentAgain(_ command: String) async throws {
        let manual = try await engineAtTheEnd()
        let engine = manual.engine
        let otherURL = URL(fileURLWithPath: "/sounds/other.flac")
        manual.decks.register(TestSignal.ramp(frames: 20_000).samples(), for: otherURL)
        let opened = manual.decks.openedNames.count
        let start = Task { try await engine.play() }
        while manual.decks.openedNames.count == opened { await Task.yield() }
        switch command {
        case "pause": await engine.pause()
        case "stop": await engine.stop()
        default: try await engine.loadContent(.url(otherURL))
        }
        manual.decks.release(url.path)
        await #expect(throws: CancellationError.self) { try await start.value }
        let expected: EngineState = command == "pause" ? .finished : command == "stop" ? .idle : .ready
        #expect(await engine.engineState == expected)
        #expect(manual.decks.openDeckCount == (command == "load" ? 1 : 0))
        let before = manual.rendered.frameCount
        await manual.output.step(frames: 4_800)
        #expect(manual.rendered.samples.dropFirst(2 * before).allSatisfy { $0 == 0 })
        try await engine.play()
        #expect(await engine.engineState == .playing)
        await engine.shutdown()
    }
}
