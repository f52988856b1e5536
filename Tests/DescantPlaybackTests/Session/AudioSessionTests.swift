import DescantCore
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

@testable import DescantPlayback

@Suite(.timeLimit(.minutes(2)))
struct AudioSessionTests {
    @Test func scriptedSessionKeepsTheContract() async throws {
        let session = ScriptedAudioSession()
        #expect(try await AudioSessionContract(port: session, bench: session).findings() == [])
    }

    // MARK: Interruptions

    @Test func commandDuringAnInterruptionTakesPrecedence() async throws {
        let bench = try await ControllerBench().playing()
        let call = bench.desktop.beginStream(.phone)
        await bench.wait { $0.activity == .paused }
        await bench.controller.pause()
        bench.desktop.endStream(call)
        await bench.settleSession()
        #expect(await bench.controller.state.activity == .paused)
        // Playback that was started during a call is not stopped by its end.
        let second = bench.desktop.beginStream(.phone)
        await bench.settleSession()
        await bench.coordinator.waitForCalls(to: bench.controller.sessionClient)
        try await bench.controller.play()
        bench.desktop.endStream(second)
        await bench.settleSession()
        #expect(bench.log.events.count { $0.name == "session.interruptionEnded" } == 2)
        #expect(await bench.controller.state.activity == .playing)
        #expect(bench.alpha.calls == ["load", "play", "pause", "play"])
    }

    @Test func serverAndConversationAreOneInterruption() async throws {
        let bench = try await ControllerBench().playing()
        let call = bench.desktop.beginStream(.phone)
        bench.desktop.beginInterruption()
        let second = bench.desktop.beginStream(.phone)
        await bench.wait { $0.activity == .paused }
        bench.desktop.endStream(call)
        bench.desktop.endStream(second)
        // The event of the server is sent last, or never.
        await bench.wait { $0.activity == .playing }
        bench.desktop.endInterruption()
        #expect(bench.log.events.count { $0.name == "session.interruptionBegan" } == 1)
        #expect(bench.alpha.calls == ["load", "play", "pause", "play"])
    }

    @Test func interruptionWithoutResumeStaysPaused() async throws {
        let bench = try await ControllerBench().playing()
        bench.desktop.beginInterruption()
        await bench.wait { $0.activity == .paused }
        bench.desktop.endInterruption(shouldResume: false)
        await bench.log.wait(for: "session.interruptionEnded")
        #expect(await bench.controller.state.activity == .paused)
    }

    @Test func serverMuteDuringACallPausesUntilItsEnd() async throws {
        let bench = ControllerBench()
        let call = bench.desktop.beginStream(.phone)
        _ = try await bench.playing()
        #expect(await bench.controller.state.session == .interrupted)
        #expect(await bench.controller.state.activity == .playing)
        bench.desktop.beginInterruption("muted")
        await bench.wait { $0.activity == .paused }
        bench.desktop.endStream(call)
        await bench.wait { $0.activity == .playing }
    }

    @Test func interruptionPoliciesAreApplied() async throws {
        let stays = try await ControllerBench(session: AudioSessionPolicy(interruption: .pause)).playing()
        let call = stays.desktop.beginStream(.phone)
        await stays.wait { $0.activity == .paused }
        stays.desktop.endStream(call)
        await stays.log.wait(for: "session.interruptionEnded")
        #expect(await stays.controller.state.activity == .paused)

        let ignores = try await ControllerBench(session: AudioSessionPolicy(interruption: .ignore)).playing()
        ignores.desktop.beginStream(.phone)
        await ignores.log.wait(for: "session.interruptionBegan")
        #expect(await ignores.controller.state.activity == .playing)

        let busy = ControllerBench(session: AudioSessionPolicy(startsDuringInterruption: false))
        busy.desktop.beginStream(.phone, application: "phone")
        await #expect(throws: CoreError.invalidState("a conversation is going on (phone); play when it is over")) {
            _ = try await busy.playing()
        }
        #expect(busy.desktop.activeConfiguration == nil)
    }

    /// Nobody starts during a conversation, not even who was there before.
    @Test func aRefusalHoldsForEveryMember() async throws {
        let session = await PlayerSession()
        let (desktop, log) = (ScriptedAudioSession(), RecordingLogger())
        let coordinator = AudioSessionCoordinator(
            port: desktop, policy: AudioSessionPolicy(startsDuringInterruption: false), clock: session.clock,
            logger: log)
        let player = AudioPlayerService(
            engine: session.manual.engine, clock: session.clock, logger: log, session: coordinator)
        try await player.loadPlaylist([session.track("a", seconds: 20)])
        let call = desktop.beginStream(.phone, application: "phone")
        for await state in player.stateUpdates where state == .paused { break }
        let refusal = "a conversation is going on (phone); play when it is over"
        await #expect(throws: AudioPlayerError.sessionError(refusal)) { try await player.resume() }
        let other = AudioSessionMember()
        await #expect(throws: CoreError.invalidState(refusal)) { try await coordinator.activate(for: other) }
        #expect(log.events.count { $0.name == "session.activate" && $0.level == .warning } == 2)
        desktop.endStream(call)
        await log.wait(for: "session.interruptionEnded")
        try await coordinator.activate(for: other)
        try await player.resume()
        #expect(await player.state == .playing)
    }

    /// Who plays quietly beside a conversation may go on with other options; a newcomer may not start.
    @Test func whoIsDuckedMayGoOn() async throws {
        let desktop = ScriptedAudioSession()
        let policy = AudioSessionPolicy(interruption: .duck(to: 0.5), startsDuringInterruption: false)
        let coordinator = AudioSessionCoordinator(port: desktop, policy: policy)
        let (present, other) = (AudioSessionMember(), AudioSessionMember())
        try await coordinator.activate(for: present)
        desktop.beginStream(.phone)
        for await status in coordinator.updates where status.state == .interrupted { break }
        try await coordinator.activate(for: present, as: AudioSessionConfiguration(options: .mixWithOthers))
        await #expect(throws: CoreError.self) { try await coordinator.activate(for: other) }
    }

    /// A client that hangs keeps no other one from pausing, and its own calls come when it answers.
    @Test func aClientThatHangsDelaysNobody() async throws {
        let desktop = ScriptedAudioSession()
        let coordinator = AudioSessionCoordinator(port: desktop)
        let (hanging, other) = (SlowClient(), SlowClient())
        other.mayPause.resolve(())
        try await coordinator.activate(for: hanging)
        try await coordinator.activate(for: other)
        let call = desktop.beginStream(.phone)
        await hanging.isPausing.value
        await other.isPausing.value
        desktop.endStream(call)
        await other.isResumed.value
        #expect(hanging.isResumed.present == nil)
        hanging.mayPause.resolve(())
        await hanging.isResumed.value
    }

    @Test func playerIsPausedAndResumedWithEverythingItPlays() async throws {
        let manual = await PlayerSession()
        let desktop = ScriptedAudioSession()
        let log = RecordingLogger()
        let coordinator = AudioSessionCoordinator(port: desktop, clock: manual.clock, logger: log)
        let player = AudioPlayerService(
            engine: manual.manual.engine, clock: manual.clock, logger: log, session: coordinator)
        try await player.loadPlaylist([manual.track("a", seconds: 20)])
        try await manual.advance(1)
        let call = desktop.beginStream(.phone)
        for await state in player.stateUpdates where state == .paused { break }
        desktop.endStream(call)
        for await state in player.stateUpdates where state == .playing { break }
        // A pause by the user is kept, also during a pause by the session.
        let second = desktop.beginStream(.phone)
        for await state in player.stateUpdates where state == .paused { break }
        try await player.pause()
        desktop.endStream(second)
        await log.wait(for: "session.interruptionEnded", count: 2)
        #expect(await player.state == .paused)
        await player.stop(fadeDuration: 0)
        #expect(desktop.activeConfiguration == nil)
    }

    @Test func overlayAloneTakesPartInTheSession() async throws {
        let manual = await PlayerSession()
        let desktop = ScriptedAudioSession()
        let log = RecordingLogger()
        let coordinator = AudioSessionCoordinator(port: desktop, clock: manual.clock, logger: log)
        let player = AudioPlayerService(
            engine: manual.manual.engine, clock: manual.clock, logger: log, session: coordinator)
        try await player.startOverlay(url: manual.track("rain", seconds: 20), configuration: .ambient)
        #expect(desktop.activeConfiguration?.role == .music)
        #expect(await player.nowPlaying().status == .playing)
        var states = player.overlayUpdates().makeAsyncIterator()
        func wait(for state: OverlayState) async { while let next = await states.next(), next != state {} }
        let call = desktop.beginStream(.phone)
        await wait(for: .paused)
        #expect(await player.nowPlaying().status == .paused)
        desktop.endStream(call)
        await wait(for: .playing)
        // A pause of the person stays one, also when it came while the session had paused.
        let second = desktop.beginStream(.phone)
        await wait(for: .paused)
        await player.pauseOverlay()
        desktop.endStream(second)
        await log.wait(for: "session.interruptionEnded", count: 2)
        #expect(await player.getOverlayState() == .paused)
        // A remote control pauses and resumes it as it does music.
        try await player.perform(.play)
        #expect(await player.getOverlayState() == .paused)
        await player.resumeOverlay()
        try await player.perform(.togglePlayPause)
        #expect(await player.getOverlayState() == .paused)
        try await player.perform(.play)
        #expect(await player.getOverlayState() == .playing)
        await player.stopAll()
        #expect(desktop.activeConfiguration == nil)
    }

    @Test func sessionIsActiveWhileAnythingSounds() async throws {
        let manual = await PlayerSession()
        let desktop = ScriptedAudioSession()
        let coordinator = AudioSessionCoordinator(
            port: desktop, policy: AudioSessionPolicy(deactivatesOnPause: true), clock: manual.clock)
        let player = AudioPlayerService(engine: manual.manual.engine, clock: manual.clock, session: coordinator)
        let chime = manual.track("chime", seconds: 1)
        let events = EventRecorder(player.events)
        try await player.playSoundEffect(SoundEffect(url: chime))
        #expect(desktop.activeConfiguration != nil)
        try await player.loadPlaylist([manual.track("a", seconds: 20)])
        try await player.startOverlay(url: manual.track("rain", seconds: 5), configuration: .notification)
        try await manual.advance(2)
        try await events.wait { $0.kind == .effectEnded(chime) }
        // The rain goes on beside a pause and a stop of the music.
        try await player.pause()
        #expect(desktop.activeConfiguration != nil)
        await player.stop(fadeDuration: 0)
        #expect(desktop.activeConfiguration != nil)
        #expect(desktop.deactivationCount == 0)
        try await manual.advance(5)
        try await events.wait { $0.kind == .overlayChanged(.default, .idle) }
        for await status in coordinator.updates where status.state == .inactive { break }
        #expect(desktop.activeConfiguration == nil)
        try await player.playSoundEffect(SoundEffect(url: chime))
        #expect(desktop.activeConfiguration != nil)
        try await manual.advance(2)
        for await status in coordinator.updates where status.state == .inactive { break }
        #expect(desktop.deactivationCount == 2)
    }

    @Test func refusedSessionRefusesOverlaysAndEffects() async throws {
        let manual = await PlayerSession()
        let desktop = ScriptedAudioSession()
        desktop.refuse(.ioError("no server"), .ioError("no server"))
        let coordinator = AudioSessionCoordinator(port: desktop, clock: manual.clock)
        let player = AudioPlayerService(engine: manual.manual.engine, clock: manual.clock, session: coordinator)
        let rain = manual.track("rain", seconds: 5)
        await #expect(throws: AudioPlayerError.sessionError("no server")) {
            try await player.startOverlay(url: rain, configuration: .ambient)
        }
        await #expect(throws: AudioPlayerError.sessionError("no server")) {
            try await player.playSoundEffect(SoundEffect(url: rain))
        }
        #expect(await player.getOverlayState() == .idle)
        #expect(await player.playingSoundEffects == 0)
    }

    @Test func userPauseDuringSessionPauseIsKept() async throws {
        let session = await PlayerSession()
        let player = session.player
        try await player.loadPlaylist([session.track("a", seconds: 20)])
        try await player.startOverlay(url: session.track("rain", seconds: 20), configuration: .ambient)
        let (isHeld, mayGoOn) = (Promise<Void>(), Promise<Void>())
        // The session's pause stops at the overlay, behind the main layer.
        let hold = Task {
            await player.overlaySerially(.default) {
                isHeld.resolve(())
                _ = await mayGoOn.value(within: 60)
            }
        }
        _ = await isHeld.value(within: 60)
        let pause = Task { await player.pauseForSession(.interruption) }
        for await state in player.stateUpdates where state == .paused { break }
        try await player.pause()
        mayGoOn.resolve(())
        await hold.value
        let mark = try #require(await pause.value)
        await player.resumeForSession(mark)
        #expect(await player.state == .paused)
        #expect(await player.getOverlayState() == .paused)
    }

    @Test func playerIsDuckedDuringACall() async throws {
        let manual = await PlayerSession()
        let desktop = ScriptedAudioSession()
        let log = RecordingLogger()
        let coordinator = AudioSessionCoordinator(
            port: desktop, policy: AudioSessionPolicy(interruption: .duck(to: 0.25)), clock: manual.clock, logger: log)
        let player = AudioPlayerService(engine: manual.manual.engine, clock: manual.clock, session: coordinator)
        try await player.loadPlaylist([manual.track("a", seconds: 20)])
        try await manual.advance(1)
        let call = desktop.beginStream(.phone)
        await log.wait(for: "session.interruptionBegan")
        // The next command runs after the coordinator's command.
        for await status in coordinator.updates where status.state == .interrupted { break }
        #expect(await player.state == .playing)
        desktop.endStream(call)
        await log.wait(for: "session.interruptionEnded")
        #expect(await player.state == .playing)
    }

    @Test func volumeIsRestoredAfterStopDuringACall() async throws {
        let manual = await PlayerSession()
        let desktop = ScriptedAudioSession()
        let coordinator = AudioSessionCoordinator(
            port: desktop, policy: AudioSessionPolicy(interruption: .duck(to: 0.25)), clock: manual.clock)
        let player = AudioPlayerService(engine: manual.manual.engine, clock: manual.clock, session: coordinator)
        for name in ["a", "b", "c"] {
            let before = manual.renderedSeconds
            try await player.loadPlaylist([manual.track(name, level: 0.5, seconds: 20)])
            try await manual.advance(1)
            #expect(manual.sample(at: before + 0.9) == 0.5)
            let call = desktop.beginStream(.phone)
            while await player.settings.volume.sessionGain != 0.25 { await Task.yield() }
            // The engine is given the volume behind that.
            await coordinator.waitForCalls(to: player.sessionClient)
            try await manual.advance(1)
            #expect(manual.sample(at: before + 1.9) == 0.125)
            await player.stop(fadeDuration: 0)
            desktop.endStream(call)
            while await player.settings.volume.sessionGain != 1 { await Task.yield() }
            await coordinator.waitForCalls(to: player.sessionClient)
        }
    }

    @Test func replacedEngineIsRestoredDuringACall() async throws {
        let manual = await PlayerSession()
        let url = manual.track("a", level: 0.5, seconds: 60)
        let desktop = ScriptedAudioSession()
        let log = RecordingLogger()
        let coordinator = AudioSessionCoordinator(
            port: desktop, policy: AudioSessionPolicy(interruption: .duck(to: 0.25)), clock: manual.clock, logger: log)
        let engine = manual.manual.engine
        let controller = MediaPlaybackController(
            catalog: ScriptedEngines([engine, ScriptedEngine("other")]), session: coordinator, clock: manual.clock,
            logger: log)
        try await controller.loadContent(.url(url))
        try await controller.play()
        let call = desktop.beginStream(.phone)
        await log.wait(for: "engine.setGain")
        try await manual.advance(1)
        #expect(manual.sample(at: 0.9) == 0.125)
        try await controller.selectEngine("other")
        // Another client may use the engine meanwhile.
        try await engine.play()
        try await manual.advance(1)
        #expect(manual.sample(at: 1.9) == 0.5)
        try await controller.selectEngine(engine.identifier)
        try await manual.advance(1)
        #expect(manual.sample(at: 2.9) == 0.125)
        try await controller.selectEngine("other")
        desktop.endStream(call)
        while await controller.gain.level != 1 { await Task.yield() }
        try await controller.selectEngine(engine.identifier)
        try await manual.advance(1)
        #expect(manual.sample(at: 3.9) == 0.5)
    }
}
