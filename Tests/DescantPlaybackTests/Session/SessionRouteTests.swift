import DescantCore
import DescantTesting
import Foundation
import Testing

@testable import DescantPlayback

/// Devices that come and go, servers that are lost, and clients that share a session.
@Suite(.timeLimit(.minutes(2)))
struct SessionRouteTests {
    // MARK: Routes

    @Test func intermediateRoutesAreNotReported() async throws {
        let bench = try await ControllerBench().playing()
        bench.desktop.changeRoute(to: [], reason: .oldDeviceUnavailable)
        bench.desktop.changeRoute(to: ["@DEFAULT_SINK@"], reason: .override)
        bench.desktop.changeRoute(to: ["speaker"], reason: .newDeviceAvailable)
        // Each report delays the acceptance of the route, so that no intermediate one is accepted.
        while await bench.coordinator.desktop.reportedChanges.count < 3 { await Task.yield() }
        await bench.settleRoute()
        // Without the delay the intermediate route would be reported.
        while await !bench.coordinator.desktop.reportedChanges.isEmpty { await Task.yield() }
        bench.desktop.changeRoute(to: ["usb"], reason: .override)
        await bench.settleRoute()
        await bench.log.wait(for: "session.routeChange")
        #expect(bench.log.events.count { $0.name == "session.routeChange" } == 1)
        #expect(await bench.controller.state.activity == .playing)
    }

    /// As when headphones are unplugged, and the server moves the stream to a loudspeaker before it says so.
    @Test func aDeviceThatIsReportedGoneLatePausesPlayback() async throws {
        let bench = try await ControllerBench().playing()
        bench.desktop.changeRoute(to: ["other"], reason: .override)
        await bench.settleRoute()
        await bench.log.wait(for: "session.routeChange")
        bench.desktop.changeRoute(to: ["other"], reason: .oldDeviceUnavailable)
        await bench.settleRoute()
        await bench.wait { $0.activity == .paused }
    }

    @Test func deviceGoneDuringAConversationIsNotResumed() async throws {
        let bench = try await ControllerBench().playing()
        let call = bench.desktop.beginStream(.phone)
        await bench.wait { $0.activity == .paused }
        bench.desktop.changeRoute(to: ["other"], reason: .oldDeviceUnavailable)
        await bench.settleRoute()
        await bench.log.wait(for: "session.routeChange")
        bench.desktop.endStream(call)
        await bench.log.wait(for: "session.interruptionEnded")
        #expect(await bench.controller.state.activity == .paused)
    }

    @Test func lostDevicePolicyCanContinuePlayback() async throws {
        let bench = try await ControllerBench(session: AudioSessionPolicy(lostDevice: .keepPlaying)).playing()
        bench.desktop.changeRoute(to: ["other"], reason: .oldDeviceUnavailable)
        await bench.settleRoute()
        await bench.log.wait(for: "session.routeChange")
        #expect(await bench.controller.state.activity == .playing)
    }

    /// The sound server takes long to answer the start.
    @Test func aDeviceThatGoesDuringAStartPausesPlayback() async throws {
        let engine = StuckEngine()
        let (desktop, clock, log) = (ScriptedAudioSession(), ManualClock(), RecordingLogger())
        let session = AudioSessionCoordinator(port: desktop, clock: clock, logger: log)
        let controller = MediaPlaybackController(catalog: ScriptedEngines([engine]), session: session)
        try await controller.loadContent(ControllerBench.song)
        engine.hang(.suspended, [.play])
        let start = Task { try await controller.play() }
        await engine.isHanging.value
        desktop.changeRoute(to: ["loudspeaker"], reason: .oldDeviceUnavailable)
        await clock.waitForSleepers()
        clock.advance(seconds: 0.05)
        await log.wait(for: "session.routeChange")
        engine.release()
        try await start.value
        for await state in controller.updates where state.activity == .paused { break }
        #expect(engine.base.calls.suffix(2) == ["play", "pause"])
        #expect(engine.base.engineState == .paused)
    }

    @Test(arguments: [AudioSessionCause.oldDeviceUnavailable, .interruption])
    func aPauseDuringAResumptionHolds(cause: AudioSessionCause) async throws {
        let session = await PlayerSession()
        let engine = HeldStatusEngine(session.manual.engine)
        let player = AudioPlayerService(engine: engine)
        try await player.loadPlaylist(
            [session.track("a", level: 0.5, seconds: 20)], configuration: PlayerConfiguration(crossfadeDuration: 0))
        try await player.pause()
        engine.holdNext(.resumptionBeforeItsEffect)
        let resuming = Task { try await player.resume() }
        _ = await engine.isHeld.value(within: 60)
        let pausing = Task.immediate { await player.pauseForSession(cause) }
        // The pause has reached the player when it answers this call.
        #expect(await player.state == .paused)
        engine.mayGo.resolve(())
        try await resuming.value
        #expect(await pausing.value != nil)
        #expect(await player.state == .paused)
        // Behind the ramps of both.
        try await session.advance(0.1)
        let before = session.manual.rendered.samples.count
        try await session.advance(1)
        #expect(session.manual.rendered.samples.count > before)
        #expect(session.manual.rendered.samples.dropFirst(before).allSatisfy { $0 == 0 })
    }

    // MARK: The server

    @Test func serverLostForTooLongEndsPlayback() async throws {
        let bench = try await ControllerBench().playing()
        bench.desktop.loseServer("killed")
        await bench.clock.waitForSleepers()
        bench.clock.advance(seconds: 30)
        await bench.wait { $0.activity == .failed }
        #expect(await bench.controller.errorMessage == "I/O error: killed")
        #expect(await bench.controller.progress.position == 10)
    }

    @Test func aSeekDuringServerLossIsWherePlayingGoesOn() async throws {
        let bench = try await ControllerBench().playing()
        bench.desktop.loseServer("killed")
        await bench.clock.waitForSleepers()
        try await bench.controller.seek(to: .time(50))
        bench.clock.advance(seconds: 30)
        await bench.wait { $0.activity == .failed }
        #expect(await bench.controller.progress.position == 50)
    }

    @Test func pauseDuringServerLossIsKept() async throws {
        let bench = try await ControllerBench().playing()
        bench.desktop.loseServer()
        await bench.log.wait(for: "session.serverLost")
        await bench.controller.pause()
        bench.desktop.restoreServer()
        await bench.log.wait(for: "session.serverRestored")
        #expect(await bench.controller.state.activity == .paused)
        #expect(bench.alpha.calls == ["load", "play", "pause"])
    }

    @Test func failureOtherThanServerLossIsReported() async throws {
        let bench = try await ControllerBench().playing()
        bench.alpha.set(.failed(.ioError("the stream broke off")))
        await bench.clock.waitForSleepers()
        bench.clock.advance(seconds: 1)
        await bench.wait { $0.activity == .failed }
        #expect(bench.desktop.activeConfiguration == nil)
    }

    @Test func playDuringServerLossKeepsWaiting() async throws {
        let bench = try await ControllerBench().playing()
        bench.alpha.set(.failed(.ioError("the stream broke off")))
        await bench.clock.waitForSleepers()
        try await bench.controller.play()
        // A selection of the same engine has no effect either.
        try await bench.controller.selectEngine("alpha")
        #expect(await bench.controller.state.activity == .buffering)
        bench.clock.advance(seconds: 1)
        await bench.wait { $0.activity == .failed }

        let restored = try await ControllerBench().playing()
        restored.alpha.set(.failed(.ioError("the server is gone")))
        await restored.clock.waitForSleepers()
        restored.desktop.loseServer()
        await restored.log.wait(for: "session.serverLost")
        try await restored.controller.play()
        restored.desktop.restoreServer()
        await restored.wait { $0.activity == .playing }
        #expect(restored.alpha.calls == ["load", "play", "load", "seek 10.0", "play"])
    }

    @Test func pauseDuringServerLossKeepsThePosition() async throws {
        let bench = try await ControllerBench().playing()
        bench.alpha.set(.failed(.ioError("the stream broke off")))
        await bench.clock.waitForSleepers()
        await bench.controller.pause()
        #expect(await bench.controller.progress.position == 10)
        try await bench.controller.play()
        #expect(bench.alpha.calls == ["load", "play", "pause", "load", "seek 10.0", "play"])
        bench.alpha.pass(10)
        // The next failure is handled like the first one, with its own position.
        bench.alpha.set(.failed(.ioError("the stream broke off")))
        await bench.wait { $0.activity == .buffering }
        await bench.clock.waitForSleepers()
        bench.clock.advance(seconds: 1)
        await bench.wait { $0.activity == .failed }
        #expect(await bench.controller.progress.position == 20)
    }

    // MARK: Several clients

    @Test func sessionEndsWithTheLastClient() async throws {
        let bench = try await ControllerBench().playing()
        let manual = await PlayerSession()
        let player = AudioPlayerService(
            engine: manual.manual.engine, clock: manual.clock, session: bench.coordinator)
        try await player.loadPlaylist(
            [manual.track("a", seconds: 20)], configuration: PlayerConfiguration(mixWithOthers: true))
        // The first one's options hold.
        #expect(bench.desktop.activeConfiguration?.options == [])
        #expect(bench.log.events.contains { $0.name == "session.optionsIgnored" && $0.level == .warning })
        await bench.controller.stop()
        #expect(bench.desktop.activeConfiguration != nil)
        await player.stop(fadeDuration: 0)
        #expect(bench.desktop.activationCount == 1)
        #expect(bench.desktop.deactivationCount == 1)
    }

    @Test func releasedClientEndsItsSession() async throws {
        let desktop = ScriptedAudioSession()
        let log = RecordingLogger()
        let coordinator = AudioSessionCoordinator(port: desktop, logger: log)
        do {
            let controller = MediaPlaybackController(
                catalog: ScriptedEngines([ScriptedEngine("alpha")]), session: coordinator)
            try await controller.loadContent(ControllerBench.song)
            try await controller.play()
        }
        await log.wait(for: "session.deactivate")
        #expect(desktop.activeConfiguration == nil)
    }
}
