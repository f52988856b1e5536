import DescantCore
import DescantTesting
import Foundation
import Testing

@testable import DescantPlayback

/// A player as an engine, alone and of a controller.
@Suite(.timeLimit(.minutes(2)))
struct AudioPlayerEngineTests {
    private static let rate = 8_000

    /// Ten seconds at 0.1, then ten at 0.5.
    private func twoLevels(_ session: PlayerSession) -> URL {
        let url = PlayerSession.url("levels")
        let samples = [Float](repeating: 0.1, count: 10 * Self.rate) + [Float](repeating: 0.5, count: 10 * Self.rate)
        session.manual.decks.register(SampleBuffer(format: PlayerSession.format, samples: samples), for: url)
        return url
    }

    private func wait(_ engine: AudioPlayerEngine, for state: EngineState) async {
        for await present in engine.stateUpdates where present == state { return }
    }

    @Test func statesAreThoseOfThePlayer() async throws {
        let session = await PlayerSession()
        let engine = AudioPlayerEngine(session.player)
        #expect(engine.identifier == "player" && engine.capabilities == [.playsURLs, .seeks, .changesRate])
        #expect(await engine.engineState == .idle)
        await #expect(throws: CoreError.self) { try await engine.play() }
        try await engine.loadContent(.url(twoLevels(session)))
        #expect(await engine.engineState == .ready)
        #expect(await engine.duration == 20)
        #expect(await engine.currentTrack?.title == "levels")
        #expect(await session.player.state == .finished)
        try await engine.play()
        #expect(await engine.engineState == .playing)
        try await session.advance(2)
        #expect(await engine.currentTime == 2)
        await engine.pause()
        #expect(await engine.engineState == .paused)
        try await engine.play()
        #expect(await engine.engineState == .playing)
        await engine.stop()
        #expect(await engine.engineState == .idle)
        #expect(await engine.currentTime == 0)
        #expect(await session.player.state == .finished)
    }

    @Test func aPlayerThatWaitsForTheNetworkIsBuffering() async throws {
        let session = await PlayerSession()
        let engine = AudioPlayerEngine(session.player)
        try await engine.loadContent(.url(session.track("radio", seconds: 60)))
        try await engine.play()
        try await session.advance(1)
        let deck = try #require(await session.player.main.current?.deck)
        func fill(_ percent: Int) async {
            await session.player.receive(
                MixEvent(
                    frame: 0, layer: session.manual.engine.mainLayer, kind: .buffering(deck, percent: percent)))
        }
        await fill(30)
        #expect(await session.player.isBuffering)
        await wait(engine, for: .buffering)
        await engine.pause()
        #expect(await engine.engineState == .paused)
        #expect(await !session.player.isBuffering)
        try await engine.play()
        await fill(100)
        await wait(engine, for: .playing)
        #expect(await !session.player.isBuffering)
    }

    @Test func contentThatWasHeardToItsEndStartsAgain() async throws {
        let session = await PlayerSession()
        let engine = AudioPlayerEngine(session.player)
        try await engine.loadContent(.url(session.track("a", seconds: 3)))
        try await engine.play()
        try await session.finish()
        await wait(engine, for: .finished)
        #expect(await engine.currentTime == 3)
        try await engine.play()
        try await session.advance(1)
        #expect(await engine.engineState == .playing)
        #expect(await engine.currentTime == 1)
    }

    /// A connection breaks and is there again; damaged content begins anew.
    @Test(arguments: [CoreError.ioError("the connection broke"), .decodeError("damage")])
    func contentThatBrokeOffGoesOnThere(_ error: CoreError) async throws {
        let session = await PlayerSession()
        let engine = AudioPlayerEngine(session.player)
        let url = twoLevels(session)
        var fault = DeckFault()
        fault.failure = (Int64(12 * Self.rate), error)
        session.manual.decks.setFault(fault, for: AudioSource.url(url).name)
        try await engine.loadContent(.url(url))
        try await engine.play()
        try await session.advance(13)
        for await state in engine.stateUpdates { if case .failed = state { break } }
        let goesOn = error.code == "ioError"
        #expect(await engine.currentTime == (goesOn ? 12 : 0))
        session.manual.decks.setFault(nil, for: AudioSource.url(url).name)
        let before = session.manual.rendered.frameCount
        try await engine.play()
        try await session.advance(1)
        #expect(session.manual.rendered.samples.dropFirst(before).allSatisfy { $0 == (goesOn ? 0.5 : 0.1) })
    }

    @Test func aSeekToTheBeginningBehindTheEndIsShown() async throws {
        let session = await PlayerSession()
        let engine = AudioPlayerEngine(session.player)
        try await engine.loadContent(.url(twoLevels(session)))
        try await engine.play()
        try await session.finish()
        await wait(engine, for: .finished)
        #expect(await engine.currentTime == 20)
        try await engine.seek(to: .time(0))
        #expect(await engine.currentTime == 0)
        #expect(await engine.progress == 0)
    }

    @Test(.timeLimit(.minutes(1))) func seekBeforeThePlayIsHeardFromTheFirstSample() async throws {
        let session = await PlayerSession()
        let engine = AudioPlayerEngine(session.player)
        try await engine.loadContent(.url(twoLevels(session)))
        try await engine.seek(to: .fraction(0.75))
        #expect(await engine.currentTime == 15)
        try await engine.play()
        #expect(await engine.currentTime == 15)
        try await session.advance(1)
        let samples = session.manual.rendered.samples
        #expect(samples.allSatisfy { $0 == 0.5 })
        // The target counts as the position until the player has received the seek's event.
        while await engine.currentTime != 16, !Task.isCancelled { await Task.yield() }
        #expect(await engine.currentTime == 16)
    }

    @Test func tracksOfTheHostFollowTheContent() async throws {
        let session = await PlayerSession()
        let engine = AudioPlayerEngine(session.player)
        try await engine.loadContent(.url(session.track("a", seconds: 20)))
        try await engine.play()
        await session.player.addTrackToPlaylist(session.track("b", seconds: 20))
        try await session.advance(1)
        #expect(await engine.currentTrack?.title == "a")
        try await session.advance(18)
        try await session.waitForStart(of: PlayerSession.url("b"))
        #expect(await engine.currentTrack?.title == "b")
        #expect(await engine.engineState == .playing)
        try await session.finish()
        await wait(engine, for: .finished)
    }

    @Test func whatTheHostDoesWithThePlayerIsReported() async throws {
        let session = await PlayerSession()
        let engine = AudioPlayerEngine(session.player)
        try await engine.loadContent(.url(session.track("a", seconds: 20)))
        try await engine.play()
        try await session.player.pause()
        await wait(engine, for: .paused)
        await session.player.stop(fadeDuration: 0)
        await wait(engine, for: .idle)
        // A content keeps its place in the engine: it is opened again.
        try await engine.play()
        #expect(await engine.engineState == .playing)
    }

    @Test func contentPlaysAfterTheHostHasPausedSomethingElse() async throws {
        let session = await PlayerSession()
        let engine = AudioPlayerEngine(session.player)
        try await engine.loadContent(.url(twoLevels(session)))
        try await session.player.loadPlaylist([session.track("other", seconds: 20)])
        try await session.advance(1)
        try await session.player.pause()
        try await session.advance(1)
        try await engine.play()
        #expect(await engine.engineState == .playing)
        #expect(await engine.currentTrack?.title == "levels")
        try await session.advance(1)
        #expect(session.sample(at: 2.9) == 0.1)
    }

    @Test func contentThatCannotPlayIsRefused() async throws {
        let session = await PlayerSession()
        let engine = AudioPlayerEngine(session.player)
        await #expect { try await engine.loadContent(.text("words", language: nil)) } throws: {
            ($0 as? CoreError)?.code == "unsupported"
        }
        await #expect { try await engine.loadContent(.url(PlayerSession.url("missing"))) } throws: {
            ($0 as? CoreError)?.code == "notFound"
        }
        guard case .failed(.notFound) = await engine.engineState else {
            Issue.record("the engine has not failed")
            return
        }
        await #expect { try await engine.setRate(9) } throws: { ($0 as? CoreError)?.code == "invalidArgument" }
    }

    /// An engine that opens a file, and does not come to an end of it.
    private func engineThatLoads() async -> (AudioPlayerEngine, loading: Task<Void, any Error>) {
        let session = await PlayerSession()
        let engine = AudioPlayerEngine(session.player)
        let slow = session.slowTrack(seconds: 5)
        let loading = Task { try await engine.loadContent(.url(slow)) }
        await session.waitForOpening(of: slow)
        return (engine, loading)
    }

    @Test func stopEndsAnOpening() async throws {
        let (engine, loading) = await engineThatLoads()
        await engine.stop()
        await #expect(throws: CancellationError.self) { try await loading.value }
        #expect(await engine.engineState == .idle)
    }

    @Test func aCancelledLoadLeavesAnIdleEngine() async throws {
        let (engine, loading) = await engineThatLoads()
        loading.cancel()
        await #expect(throws: CancellationError.self) { try await loading.value }
        #expect(await engine.engineState == .idle)
    }

    @Test func theLastOfTwoLoadsAtOnceCounts() async throws {
        let session = await PlayerSession()
        let engine = AudioPlayerEngine(session.player)
        let urls = ["a", "b"].map { session.track($0, seconds: 5) }
        let loads = await engine.loadAtOnce(urls.map(MediaContent.url))
        await #expect(throws: CancellationError.self) { try await loads[0].value }
        try await loads[1].value
        #expect(await engine.engineState == .ready)
        #expect(await engine.currentTrack?.title == "b")
    }

    @Test func aCancelledTaskPauses() async throws {
        let session = await PlayerSession()
        let engine = AudioPlayerEngine(session.player)
        try await engine.loadContent(.url(session.track("a", seconds: 20)))
        try await engine.play()
        let pausing = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await engine.pause()
        }
        await pausing.value
        #expect(await session.player.state == .paused)
        #expect(await engine.engineState == .paused)
    }

    @Test func aPlayerThatIsResumedBesideItsControllerIsFollowed() async throws {
        let session = await PlayerSession()
        let desktop = ScriptedAudioSession()
        let policy = AudioSessionPolicy(startsDuringInterruption: false, deactivatesOnPause: true)
        let coordinator = AudioSessionCoordinator(port: desktop, policy: policy, clock: session.clock)
        let engine = AudioPlayerEngine(session.player)
        let controller = MediaPlaybackController(
            catalog: ScriptedEngines([engine, ScriptedEngine("other")]), session: coordinator, policy: .onDemand,
            clock: session.clock)
        try await controller.loadContent(.url(session.track("a", seconds: 20)))
        try await controller.play()
        await controller.pause()
        #expect(desktop.activeConfiguration == nil)
        try await session.player.resume()
        for await state in controller.updates where state.activity == .playing { break }
        #expect(desktop.activeConfiguration != nil)
        #expect(await session.player.state == .playing)
        // Where the session refuses, the player is silent again.
        await controller.pause()
        desktop.beginStream(.phone)
        try await session.player.resume()
        for await state in controller.updates where state.activity == .failed { break }
        while await session.player.state != .paused { await Task.yield() }
    }

    /// A controller whose player plays while the sound server is lost, for the controller and for the output.
    private func controllerThatWaitsForTheServer(
        _ session: PlayerSession, clock: ManualClock, log: RecordingLogger
    ) async throws -> MediaPlaybackController {
        let desktop = ScriptedAudioSession()
        let controller = MediaPlaybackController(
            catalog: ScriptedEngines([AudioPlayerEngine(session.player)]),
            session: AudioSessionCoordinator(port: desktop, clock: ManualClock()), policy: .onDemand, clock: clock,
            logger: log)
        try await controller.loadContent(.url(session.track("a", seconds: 20)))
        try await controller.play()
        session.manual.output.lose(reason: "the server is gone")
        await session.clock.waitForSleepers()
        desktop.loseServer("the server is gone")
        await clock.waitForSleepers()
        return controller
    }

    /// The limits of both end at about the same time. The player's is first here.
    @Test func aControllerFailsWhenItsPlayerHasGivenUpTheLostOutput() async throws {
        let (session, clock, log) = (await PlayerSession.realTime(), ManualClock(), RecordingLogger())
        let controller = try await controllerThatWaitsForTheServer(session, clock: clock, log: log)
        session.clock.advance(seconds: 30)
        await log.wait(for: "engine.didPause")
        // Comes behind what the controller makes of the pause.
        await controller.setNowPlaying(nil)
        try #require(await controller.state.activity == .playing)
        clock.advance(seconds: 30)
        for await state in controller.updates where state.activity == .failed { break }
        #expect(await controller.errorMessage?.contains("the server is gone") == true)
    }

    @Test func aPlayerThatIsPausedBesideItsControllerIsFollowedWhileTheServerIsLost() async throws {
        let (session, clock) = (await PlayerSession.realTime(), ManualClock())
        let controller = try await controllerThatWaitsForTheServer(session, clock: clock, log: RecordingLogger())
        try await session.player.pause()
        for await state in controller.updates where state.activity == .paused { break }
    }

    @Test func theSessionMakesThePlayerOfAControllerQuieter() async throws {
        let session = await PlayerSession()
        let desktop = ScriptedAudioSession()
        let log = RecordingLogger()
        let coordinator = AudioSessionCoordinator(
            port: desktop, policy: AudioSessionPolicy(interruption: .duck(to: 0.25)), clock: session.clock, logger: log)
        let (engine, other) = (AudioPlayerEngine(session.player), ScriptedEngine("other"))
        let controller = MediaPlaybackController(
            catalog: ScriptedEngines([engine, other]), session: coordinator, policy: .onDemand, clock: session.clock,
            logger: log)
        try await controller.loadContent(.url(session.track("a", level: 0.8, seconds: 20)))
        await session.player.setVolume(0.5)
        try await controller.play()
        try await session.advance(1)
        #expect(session.sample(at: 0.9) == 0.4)
        let call = desktop.beginStream(.phone)
        await log.wait(for: "engine.setGain")
        #expect(await session.player.state == .playing)
        try await session.advance(1)
        #expect(session.sample(at: 1.9) == 0.1)
        // A volume that is set meanwhile is that of the player, and the call's gain comes on top.
        await session.player.setVolume(1)
        try await session.advance(1)
        #expect(session.sample(at: 2.9) == 0.2)
        desktop.endStream(call)
        await log.wait(for: "engine.setGain", count: 2)
        try await session.advance(1)
        #expect(session.sample(at: 3.9) == 0.8)
    }

    @Test func controllerHandsThePlayerOverAndBack() async throws {
        let session = await PlayerSession()
        let url = twoLevels(session)
        let engine = AudioPlayerEngine(session.player)
        let other = ScriptedEngine("other")
        let controller = MediaPlaybackController(
            catalog: ScriptedEngines([engine, other]), session: nil, policy: .onDemand, clock: session.clock)
        try await controller.loadContent(.url(url))
        try await controller.play()
        #expect(await controller.state.engine == "player")
        try await session.advance(4)
        #expect(await controller.nowPlaying().track?.title == "levels")
        try await controller.selectEngine("other")
        #expect(await session.player.state == .finished)
        #expect(other.currentTime == 4)
        other.pass(8)
        try await controller.selectEngine("player")
        #expect(await session.player.state == .playing)
        try await session.advance(1)
        #expect(session.sample(at: 4.5) == 0.5)
        await controller.pause()
        #expect(await session.player.state == .paused)
        try await controller.play()
        try await session.finish()
        for await state in controller.updates where state.activity == .finished { break }
    }
}

extension AudioPlayerEngine {
    /// Loads contents one after the other, the next one before the last one has stopped what plays.
    fileprivate func loadAtOnce(_ contents: [MediaContent]) -> [Task<Void, any Error>] {
        contents.map { content in Task { try await loadContent(content) } }
    }
}
