import DescantCore
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

@testable import DescantPlayback

/// Calls and events that arrive while another call still waits.
@Suite(.timeLimit(.minutes(2)))
struct OvertakenCallsTests {
    private let gapless = PlayerConfiguration(crossfadeDuration: 0)

    // MARK: Volume

    @Test func volumeIsKeptWhenALoadFails() async throws {
        let session = await PlayerSession()
        let slow = session.slowTrack()
        try await session.player.loadPlaylist([session.track("a", level: 0.5, seconds: 20)], configuration: gapless)
        let loading = Task { try await session.player.startPlaying(url: slow, configuration: PlayerConfiguration()) }
        await session.waitForOpening(of: slow)
        await session.player.setVolume(0.2)
        loading.cancel()
        await #expect(throws: CancellationError.self) { try await loading.value }
        try await session.advance(1)
        #expect(abs(session.sample(at: 0.9) - 0.1) < 1e-6)
        #expect(await session.player.configuration.volume == 20)
        session.manual.decks.release(slow.path)
    }

    @Test(arguments: [nil, PlayerConfiguration(crossfadeDuration: 0, volume: 60)])
    func volumeSetDuringLoadIsKept(configuration: PlayerConfiguration?) async throws {
        let session = await PlayerSession()
        let slow = session.slowTrack(level: 0.5)
        let loading = Task { try await session.player.loadPlaylist([slow], configuration: configuration) }
        await session.waitForOpening(of: slow)
        await session.player.setVolume(0.2)
        session.manual.decks.release(slow.path)
        try await loading.value
        try await session.advance(1)
        #expect(abs(session.sample(at: 0.9) - 0.1) < 1e-6)
        #expect(await session.player.configuration.volume == 20)
    }

    @Test func failedLoadKeepsTheVolume() async throws {
        let session = await PlayerSession.realTime()
        await session.player.setVolume(0.2)
        session.manual.output.setStartError(.ioError("no device"))
        let a = session.track("a", level: 0.5, seconds: 20)
        await #expect(throws: AudioPlayerError.self) {
            try await session.player.loadPlaylist([a], configuration: PlayerConfiguration(volume: 60))
        }
        session.manual.output.setStartError(nil)
        try await session.player.loadPlaylist([a])
        try await session.advance(1)
        #expect(abs(session.sample(at: 0.9) - 0.1) < 1e-6)
        #expect(await session.player.configuration.volume == 20)
    }

    /// The engine may take a while to set a volume.
    @Test func theLastOfTwoVolumesAtOnceStays() async throws {
        let session = await PlayerSession()
        let engine = HeldStatusEngine(session.manual.engine)
        let player = AudioPlayerService(engine: engine, clock: session.clock)
        try await player.loadPlaylist([session.track("a", level: 0.5, seconds: 20)], configuration: gapless)
        engine.holdNext(.volumeBeforeItsEffect)
        let first = Task { await player.setVolume(0.2) }
        _ = await engine.isHeld.value(within: 60)
        let second = Task { await player.setVolume(0.8) }
        while await player.configuration.volume != 80, !Task.isCancelled { await Task.yield() }
        // The second volume would reach the engine by then. If it does not, the test does not see what it looks for.
        for _ in 0..<1_000 { await Task.yield() }
        engine.mayGo.resolve(())
        await first.value
        await second.value
        try await session.advance(1)
        #expect(abs(session.sample(at: 0.9) - 0.4) < 1e-6)
    }

    /// A configuration may wait for earlier commands.
    @Test func volumeSetWhileAConfigurationWaitsIsKept() async throws {
        let session = await PlayerSession()
        let player = session.player
        try await player.loadPlaylist([session.track("a", level: 0.5, seconds: 20)], configuration: gapless)
        let mayGoOn = await player.holdCommands()
        let updating = Task.immediate { try await player.updateConfiguration(gapless) }
        // The configuration has reached the player before this call.
        await player.setVolume(0.2)
        mayGoOn.resolve(())
        try await updating.value
        try await session.advance(1)
        #expect(abs(session.sample(at: 0.9) - 0.1) < 1e-6)
        #expect(await player.configuration.volume == 20)
    }

    @Test func theLastOfTwoConfigurationsThatWaitStays() async throws {
        let session = await PlayerSession()
        let player = session.player
        try await player.loadPlaylist([session.track("a", level: 0.5, seconds: 20)], configuration: gapless)
        let mayGoOn = await player.holdCommands()
        let updates = [60, 20].map { volume in
            Task.immediate {
                try await player.updateConfiguration(PlayerConfiguration(crossfadeDuration: 0, volume: volume))
            }
        }
        // Both have reached the player when it answers this call.
        #expect(await player.configuration.volume == 100)
        mayGoOn.resolve(())
        for update in updates { try await update.value }
        try await session.advance(1)
        #expect(abs(session.sample(at: 0.9) - 0.1) < 1e-6)
        #expect(await player.configuration.volume == 20)
    }

    /// Other players whose resumption holds up the change of a session's options.
    private final class SlowPlayers: OtherPlayersPort {
        let isResuming = Promise<Void>()
        let mayGoOn = Promise<Void>()

        func pauseOthers() async -> [String] { ["mpv"] }

        func resume(_ players: [String]) async {
            isResuming.resolve(())
            _ = await mayGoOn.value(within: 60)
        }
    }

    @Test func volumeSetWhileTheSessionTakesItsOptionsIsKept() async throws {
        let session = await PlayerSession()
        let others = SlowPlayers()
        let coordinator = AudioSessionCoordinator(port: ScriptedAudioSession(), others: others)
        let player = AudioPlayerService(engine: session.manual.engine, clock: session.clock, session: coordinator)
        try await player.loadPlaylist([session.track("a", level: 0.5, seconds: 20)], configuration: gapless)
        let updating = Task {
            try await player.updateConfiguration(PlayerConfiguration(crossfadeDuration: 0, mixWithOthers: true))
        }
        _ = await others.isResuming.value(within: 60)
        await player.setVolume(0.2)
        others.mayGoOn.resolve(())
        try await updating.value
        try await session.advance(1)
        #expect(abs(session.sample(at: 0.9) - 0.1) < 1e-6)
        #expect(await player.configuration.volume == 20)
    }

    // MARK: Ducking

    /// Layers are given their ducking one after the other.
    @Test func duckingThatEndsWhileThatOfAnotherLayerIsSetStaysEnded() async throws {
        let session = await PlayerSession()
        let engine = HeldStatusEngine(session.manual.engine)
        let player = AudioPlayerService(engine: engine, clock: session.clock)
        let layers = [await engine.addLayer(.overlay), await engine.addLayer(.overlay)]
        for layer in layers { await player.setDucking(Ducking(), of: .layer(layer)) }
        engine.holdNext(.duckingBeforeItsEffect)
        let refreshing = Task { await player.refreshDucking() }
        _ = await engine.isHeld.value(within: 60)
        let before = engine.duckings.count
        let held = try #require(engine.duckings.last?.layer)
        let other = try #require(layers.first { $0 != held })
        let ending = Task { await player.setDucking(nil, of: .layer(other)) }
        while await player.settings.duckings[.layer(other)] != nil, !Task.isCancelled { await Task.yield() }
        engine.mayGo.resolve(())
        await refreshing.value
        await ending.value
        let later = engine.duckings.dropFirst(before)
        #expect(!later.isEmpty && later.allSatisfy { $0.layer == other && $0.plan == nil })
    }

    // MARK: Stops

    enum Ending: CaseIterable {
        case stop, stopAll, reset
    }

    @Test(arguments: Ending.allCases)
    func stopDoesNotWaitForFilesOfEarlierCalls(ending: Ending) async throws {
        let session = await PlayerSession()
        let first = session.slowTrack("first")
        let urls = (0..<5).map { session.slowTrack("\($0)") }
        let opening = Task { try await session.player.loadPlaylist([first]) }
        await session.waitForOpening(of: first)
        let (begun, beginnings) = AsyncStream.makeStream(of: Void.self)
        let queued = urls.map { url in
            Task {
                beginnings.yield()
                try await session.player.loadPlaylist([url])
            }
        }
        var beginning = begun.makeAsyncIterator()
        for _ in urls { await beginning.next() }
        // A call that runs after the stop does no harm; it is cancelled below.
        for _ in 0..<100 { _ = await session.player.getPlaylistCount() }
        switch ending {
        case .stop: await session.player.stop()
        case .stopAll: await session.player.stopAll()
        case .reset: await session.player.reset()
        }
        await #expect(throws: CancellationError.self) { try await opening.value }
        for load in queued {
            load.cancel()
            await #expect(throws: CancellationError.self) { try await load.value }
        }
        // Later calls open files as usual.
        let good = session.track("good", seconds: 1)
        try await session.player.loadPlaylist([good])
        #expect(await session.player.state == .playing)
        for url in [first] + urls { session.manual.decks.release(url.path) }
    }

    /// What was started while an included engine still stops is paused for a call, and resumed after it.
    @Test(arguments: [Ending.stopAll, .reset])
    func aPauseWhileAnEngineStopsIsResumedFrom(ending: Ending) async throws {
        let session = await PlayerSession()
        let player = session.player
        let engine = StuckEngine()
        engine.hang(.suspended, [.stop])
        try await engine.loadContent(.text("text", language: nil))
        try await engine.play()
        await player.include(engine)
        let stopping = Task {
            if ending == .reset { await player.reset() } else { await player.stopAll() }
        }
        await engine.isHanging.value
        try await player.loadPlaylist([session.track("a", seconds: 20)], configuration: gapless)
        let pausing = Task { await player.pauseForSession(.interruption) }
        while await player.state != .paused, !Task.isCancelled { await Task.yield() }
        engine.release()
        await stopping.value
        let token = try #require(await pausing.value)
        await player.resumeForSession(token)
        #expect(await player.state == .playing)
    }

    // MARK: Tracks that cannot be read

    enum Edit: CaseIterable {
        case removal, load, swap
    }

    /// Tracks that could not be read, and are not in the playlist any more, do not count.
    @Test(arguments: Edit.allCases)
    func goodTrackFollowsAfterUnreadableOnesAreRemoved(edit: Edit) async throws {
        let session = await PlayerSession()
        var fault = DeckFault()
        fault.failure = (0, .decodeError("bad frame"))
        let bad = ["x", "y"].map { session.track($0, seconds: 1, fault: fault) }
        let good = ["a", "b"].map { session.track($0, seconds: 2) }
        try await session.player.loadPlaylist(bad + good, configuration: gapless)
        try await session.advance(0.5)
        try await session.waitForStart(of: good[0])
        switch edit {
        case .removal: for _ in bad { try await session.player.removeTrackFromPlaylist(at: 0) }
        case .load: try await session.player.loadPlaylist(good)
        case .swap: try await session.player.swapPlaylist(tracks: good, crossfadeDuration: 1)
        }
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(session.starts.last?.url == good[1])
    }

    // MARK: Session

    @Test func loadingInAPauseActivatesTheSession() async throws {
        let manual = await PlayerSession()
        let desktop = ScriptedAudioSession()
        let coordinator = AudioSessionCoordinator(
            port: desktop, policy: AudioSessionPolicy(deactivatesOnPause: true), clock: manual.clock)
        let player = AudioPlayerService(engine: manual.manual.engine, clock: manual.clock, session: coordinator)
        let a = manual.track("a", seconds: 20)
        try await player.loadPlaylist([a])
        try await player.pause()
        #expect(desktop.activeConfiguration == nil)
        try await player.loadPlaylist([a])
        #expect(await player.state == .playing)
        #expect(desktop.activeConfiguration != nil)
    }

    // MARK: Lost events

    @Test func playerRecoversStateAfterLostEvents() async throws {
        let session = await PlayerSession.realTime()
        try await session.player.loadPlaylist([session.track("a", seconds: 20)], configuration: gapless)
        let chime = session.track("chime", seconds: 0.2)
        try await session.player.startOverlay(url: chime, configuration: OverlayConfiguration())
        try await session.player.playSoundEffect(SoundEffect(url: chime))
        try await session.player.seekWithFade(to: 5, fadeDuration: 0.1)
        let (isHeld, mayGoOn) = (Promise<Void>(), Promise<Void>())
        let player = session.player
        let hold = Task {
            await player.serially {
                isHeld.resolve(())
                _ = await mayGoOn.value(within: 60)
            }
        }
        _ = await isHeld.value(within: 60)
        try await session.advance(1)
        let engine = session.manual.engine
        for _ in 0..<1_200 {
            await engine.pause(engine.mainLayer, ramp: 0)
            try await engine.resume(engine.mainLayer, ramp: 0)
            try await session.advance(0.001)
        }
        mayGoOn.resolve(())
        await hold.value
        try await session.events.wait { $0.kind == .effectEnded(chime) }
        #expect(await session.player.getOverlayState() == .idle)
        #expect(await session.player.playingSoundEffects == 0)
        try await session.advance(1)
        let position = try #require(await session.player.playbackPosition)
        #expect(position.currentTime > 5.5)
    }

    // MARK: Positions

    @Test func outdatedPositionAfterASeekIsIgnored() async throws {
        let session = await PlayerSession()
        let engine = HeldStatusEngine(session.manual.engine)
        let player = AudioPlayerService(engine: engine, clock: session.clock)
        let events = EventRecorder(player.events)
        try await player.loadPlaylist([session.track("a", seconds: 20)], configuration: gapless)
        try await session.advance(15)
        engine.holdNext(.status)
        let asking = Task { await player.playbackPosition }
        _ = await engine.isHeld.value(within: 60)
        try await player.seekWithFade(to: 2, fadeDuration: 0)
        try await session.advance(1)
        try await events.wait { if case .positionChanged = $0.kind { true } else { false } }
        engine.mayGo.resolve(())
        _ = await asking.value
        try await session.advance(1)
        let position = try #require(await player.playbackPosition)
        #expect(abs(position.currentTime - 4) < 0.1)
    }

    // MARK: Removals

    @Test func nextTrackPlaysAfterCancelledRemoval() async throws {
        let session = await PlayerSession.realTime()
        let slow = session.slowTrack()
        let urls = [session.track("a", seconds: 2), slow, session.track("c", seconds: 2)]
        try await session.player.loadPlaylist(urls, configuration: gapless)
        try await session.advance(1)
        await session.waitForOpening(of: slow)
        let removing = Task { try await session.player.removeTrackFromPlaylist(at: 0) }
        await session.waitForOpening(of: slow, count: 2)
        removing.cancel()
        try await removing.value
        #expect(await session.player.peekFollowingTrack() == slow)
        session.manual.decks.release(slow.path)
        try await session.advance(2)
        try await session.waitForStart(of: slow)
        #expect(await session.player.getCurrentTrackIndex() == 0)
        #expect(await session.player.state == .playing)
    }

    // MARK: Moves

    /// Whoever chooses a station that does not answer, and then another one, wants the second one now.
    @Test func aJumpEndsTheMovesThatStillOpenTheirTracks() async throws {
        let session = await PlayerSession()
        let slow = session.slowTrack()
        let urls = [session.track("a", seconds: 20), slow, session.track("b", seconds: 20)]
        try await session.player.loadPlaylist(urls, configuration: gapless)
        let first = Task { try await session.player.jumpToTrack(at: 1) }
        await session.waitForOpening(of: slow)
        let waiting = Task.immediate { try await session.player.nextTrack() }
        #expect(await session.player.getCurrentTrackIndex() == 0)
        try await session.player.jumpToTrack(at: 2)
        #expect(await session.player.getCurrentTrackIndex() == 2)
        for overtaken in [first, waiting] {
            await #expect(throws: CancellationError.self) { try await overtaken.value }
        }
        // What leads nowhere ends nothing.
        let second = Task { try await session.player.jumpToTrack(at: 1) }
        await session.waitForOpening(of: slow, count: 2)
        let nowhere = Task.immediate { try await session.player.jumpToTrack(at: 3) }
        #expect(await session.player.getCurrentTrackIndex() == 2)
        session.manual.decks.release(slow.path)
        try await second.value
        await #expect(throws: AudioPlayerError.invalidPlaylistIndex(index: 3, count: 3)) { try await nowhere.value }
        #expect(await session.player.getCurrentTrackIndex() == 1)
    }

    /// A playlist that is being loaded is not ended by a jump in the one before.
    @Test func aJumpWaitsForAPlaylistThatIsBeingLoaded() async throws {
        let session = await PlayerSession()
        let slow = session.slowTrack()
        let (a, b) = (session.track("a", seconds: 20), session.track("b", seconds: 20))
        try await session.player.loadPlaylist([a, b], configuration: gapless)
        let loading = Task { try await session.player.loadPlaylist([slow, b], configuration: gapless) }
        await session.waitForOpening(of: slow)
        let jumping = Task.immediate { try await session.player.jumpToTrack(at: 1) }
        session.manual.decks.release(slow.path)
        try await loading.value
        try await jumping.value
        #expect(await session.player.getCurrentPlaylist() == [slow, b])
        #expect(await session.player.currentTrack?.title == "b")
    }

    // MARK: Remote controls

    /// A lost connection or disk may be back.
    @Test func playGoesOnWhereATrackBrokeOff() async throws {
        let session = await PlayerSession()
        var fault = DeckFault()
        fault.failure = (frame: 8_000 * 12, error: .ioError("the connection was lost"))
        let url = session.track("book", level: 0.25, seconds: 20, fault: fault)
        try await session.player.loadPlaylist([url], configuration: gapless)
        try await session.advance(13)
        for await state in session.player.stateUpdates { if case .failed = state { break } }
        _ = session.track("book", level: 0.25, seconds: 20)
        try await session.player.perform(.togglePlayPause)
        #expect(await session.player.state == .playing)
        let position = try #require(await session.player.playbackPosition).currentTime
        #expect((11.5...12.5).contains(position), "\(position) s")
        // After a stop it begins at the beginning.
        await session.player.stopImmediatelyWithoutFade()
        try await session.advance(1)
        try await session.wait(for: .finished)
        try await session.player.perform(.play)
        let beginning = try #require(await session.player.playbackPosition).currentTime
        #expect(beginning < 1, "\(beginning) s")
    }

    @Test func pauseInAShortenedCrossfadeDoesNotBlockRemoteCommands() async throws {
        let session = await PlayerSession()
        let urls = ["a", "b", "c"].map { session.track($0, seconds: 20) }
        let configuration = PlayerConfiguration(crossfadeDuration: 2, transitionInterruption: .fastForward)
        try await session.player.loadPlaylist(urls, configuration: configuration)
        try await session.advance(1)
        try await session.player.nextTrack()
        try await session.advance(0.5)
        let moving = Task { try await session.player.perform(.next) }
        while await session.player.main.deferred == nil { await Task.yield() }
        try await session.player.pause()
        try await moving.value
        try await session.player.perform(.play)
        try await session.advance(3)
        try await session.waitForStart(of: urls[2])
        #expect(await session.player.state == .playing)
        #expect(await session.player.getCurrentTrackIndex() == 2)
    }

    /// Each press of a key that plays and pauses means the opposite of the one before, even if that one is not done yet.
    @Test func toggleDuringAResumptionPauses() async throws {
        let session = await PlayerSession()
        let engine = HeldStatusEngine(session.manual.engine)
        let player = AudioPlayerService(engine: engine)
        try await player.loadPlaylist([session.track("a", seconds: 20)], configuration: gapless)
        try await player.startOverlay(url: session.track("rain", seconds: 20), configuration: OverlayConfiguration())
        try await player.perform(.togglePlayPause)
        engine.holdNext(.resumption)
        let resuming = Task { try await player.perform(.togglePlayPause) }
        _ = await engine.isHeld.value(within: 60)
        let playing = Task.immediate { try await player.perform(.play) }
        let pausing = Task.immediate { try await player.perform(.togglePlayPause) }
        engine.mayGo.resolve(())
        for command in [resuming, playing, pausing] { try await command.value }
        #expect(await player.state == .paused)
        #expect(await !player.overlays.isSounding)
        try await player.perform(.togglePlayPause)
        #expect(await player.state == .playing)
        #expect(await player.overlays.isSounding)
    }
}
