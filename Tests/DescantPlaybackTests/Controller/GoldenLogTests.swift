import DescantCore
import DescantPlayback
import DescantTesting
import Testing

/// The log records of common scenarios, field by field.
@Suite(.timeLimit(.minutes(2)))
struct GoldenLogTests {
    private func bench() async throws -> ControllerBench { try await ControllerBench().playing() }

    @Test func firstPlay() async throws {
        let bench = try await bench()
        try GoldenLog.check(bench.log, "first-play")
        #expect(bench.log.entries.allSatisfy { $0.level <= .info })
    }

    @Test func pauseAndResume() async throws {
        let bench = try await bench()
        await bench.controller.pause()
        try await bench.controller.play()
        try GoldenLog.check(bench.log, "pause-and-resume")
    }

    @Test func stop() async throws {
        let bench = try await bench()
        await bench.controller.stop()
        try GoldenLog.check(bench.log, "stop")
    }

    @Test func switchWhilePlaying() async throws {
        let bench = try await bench()
        try await bench.controller.selectEngine("beta")
        try GoldenLog.check(bench.log, "switch-while-playing")
    }

    @Test func switchWhilePaused() async throws {
        let bench = try await bench()
        await bench.controller.pause()
        try await bench.controller.selectEngine("beta")
        try await bench.controller.play()
        try GoldenLog.check(bench.log, "switch-while-paused")
    }

    @Test func otherAudioPlaying() async throws {
        let bench = ControllerBench()
        let film = bench.desktop.beginStream(.video, application: "film")
        _ = try await bench.playing()
        bench.desktop.endStream(film)
        await bench.log.wait(for: "session.otherAudio")
        bench.desktop.beginStream("", application: "unknown")
        await bench.log.wait(for: "session.otherAudio", count: 2)
        try GoldenLog.check(bench.log, "other-audio-playing")
    }

    @Test func routeChange() async throws {
        let bench = try await bench()
        bench.desktop.changeRoute(to: ["usb"], reason: .defaultChanged)
        await bench.settleRoute()
        await bench.log.wait(for: "session.routeChange")
        try GoldenLog.check(bench.log, "route-change")
        #expect(await bench.controller.state.activity == .playing)
    }

    @Test func headphonesUnplugged() async throws {
        let bench = ControllerBench()
        bench.desktop.changeRoute(to: ["headphones"], reason: .defaultChanged)
        _ = try await bench.playing()
        bench.desktop.changeRoute(to: ["speaker"], reason: .oldDeviceUnavailable)
        await bench.settleRoute()
        await bench.wait { $0.activity == .paused }
        bench.desktop.changeRoute(to: ["headphones"], reason: .newDeviceAvailable)
        await bench.settleRoute()
        await bench.log.wait(for: "session.routeChange", count: 2)
        try GoldenLog.check(bench.log, "headphones-out")
        #expect(await bench.controller.state.activity == .paused)
    }

    @Test func interruptionWhilePlaying() async throws {
        let bench = try await bench()
        let call = bench.desktop.beginStream(.phone, application: "phone")
        await bench.wait { $0.activity == .paused }
        await bench.coordinator.waitForCalls(to: bench.controller.sessionClient)
        bench.desktop.endStream(call)
        await bench.wait { $0.activity == .playing }
        try GoldenLog.check(bench.log, "interruption-while-playing")
    }

    @Test func interruptionWhileUserPaused() async throws {
        let bench = try await bench()
        await bench.controller.pause()
        let call = bench.desktop.beginStream(.phone, application: "phone")
        await bench.log.wait(for: "session.interruptionBegan")
        bench.desktop.endStream(call)
        await bench.log.wait(for: "session.interruptionEnded")
        try GoldenLog.check(bench.log, "interruption-while-user-paused")
        #expect(await bench.controller.state.activity == .paused)
    }

    @Test func serverLostAndBack() async throws {
        let bench = try await bench()
        bench.alpha.set(.failed(.ioError("Connection terminated")))
        await bench.wait { $0.activity == .buffering }
        bench.desktop.loseServer()
        await bench.log.wait(for: "session.serverLost")
        bench.desktop.restoreServer()
        await bench.wait { $0.activity == .playing }
        try GoldenLog.check(bench.log, "server-lost-and-back")
        #expect(bench.alpha.currentTime == 10)
    }

    @Test func failedStartWithTwoRetries() async throws {
        let bench = ControllerBench()
        bench.alpha.failPlaying(.ioError("no device"), .ioError("no device"), .ioError("no device"))
        try await bench.controller.loadContent(ControllerBench.song)
        let start = Task { try await bench.controller.play() }
        await bench.clock.waitForSleepers()
        bench.clock.advance(seconds: 0.1)
        await bench.log.wait(for: "engine.retry", count: 2)
        await bench.clock.waitForSleepers()
        bench.clock.advance(seconds: 0.3)
        await #expect(throws: MediaPlaybackError.startFailed(engine: "alpha", reason: "no device")) {
            try await start.value
        }
        try GoldenLog.check(bench.log, "failed-start-with-two-retries")
    }
}
