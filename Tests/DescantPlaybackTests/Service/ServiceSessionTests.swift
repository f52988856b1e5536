import DescantCore
import DescantTesting
import Foundation
import Testing

@testable import DescantPlayback

/// The one-file service in an audio session: calls, unplugged devices, policies, and other clients beside it.
@Suite(.timeLimit(.minutes(2)))
struct ServiceSessionTests {
    /// A service with a loaded file, on a desktop without a sound server. Its output takes 8,192 frames and waits.
    private struct Bench {
        let desktop = ScriptedAudioSession()
        let log = RecordingLogger()
        let sessionClock = ManualClock()
        let session: AudioSessionCoordinator
        let fixture: ServiceFixture

        init(_ policy: AudioSessionPolicy = AudioSessionPolicy()) throws {
            session = AudioSessionCoordinator(port: desktop, policy: policy, clock: sessionClock, logger: log)
            fixture = ServiceFixture(pacing: .output, capacity: 8_192, session: session)
            try fixture.service.load(url: fixture.url)
        }

        var service: DefaultPlaybackService { fixture.service }

        func playing() async throws -> Bench {
            try service.play()
            await wait(for: .active)
            return self
        }

        /// Waits until the session is in a state.
        func wait(for state: AudioSessionState) async {
            for await status in session.updates where status.state == state { return }
        }
    }

    @Test func aCallPausesAndItsEndResumes() async throws {
        let bench = try await Bench().playing()
        #expect(bench.desktop.activeConfiguration?.role == .music)
        let call = bench.desktop.beginStream(.phone)
        try await bench.fixture.wait(for: .paused)
        #expect(!bench.fixture.output.isStarted)
        bench.desktop.endStream(call)
        try await bench.fixture.wait(for: .playing)
        let commands = bench.fixture.logger.events.map(\.name).filter { ["engine.pause", "engine.play"].contains($0) }
        #expect(commands == ["engine.pause", "engine.play"])
        try await bench.fixture.playOut(until: .stopped)
        // What the output dropped at the pause is heard after the call.
        #expect(bench.fixture.output.content == bench.fixture.sound)
        await bench.wait(for: .inactive)
        #expect(bench.desktop.deactivationCount == 1)
    }

    /// While a file is being opened there is nothing that a call could pause, and nothing to go on with behind it.
    @Test func aCallWhileAFileIsOpenedStartsNothing() async throws {
        let bench = try await Bench().playing()
        bench.fixture.scripted.hold(.open)
        let url = bench.fixture.url
        async let load: Void = bench.fixture.calling { try $0.load(url: url) }
        await bench.fixture.scripted.isWaiting.value
        #expect(bench.service.pauseForSession {} == nil)
        bench.fixture.scripted.release()
        try await load
        #expect(bench.service.state == .paused)
    }

    /// A device that went away during the call is waited for, as one that goes away while it plays.
    @Test func aResumeWithoutADeviceWaitsForIt() async throws {
        let bench = try await Bench().playing()
        let (output, clock) = (bench.fixture.output, bench.fixture.clock)
        let call = bench.desktop.beginStream(.phone)
        try await bench.fixture.wait(for: .paused)
        output.failStarts(with: .ioError("there is no server"))
        bench.desktop.endStream(call)
        try await bench.fixture.wait(for: .buffering)
        output.failStarts(with: nil)
        try await ServiceFixture.within {
            while !output.isStarted {
                await clock.waitForSleepers()
                clock.advance(seconds: 0.5)
            }
        }
        try await bench.fixture.playOut(until: .stopped)
        #expect(output.content == bench.fixture.sound)
    }

    /// The service does not wait for the session, so its stream may be there, and muted for a call, while the session begins.
    @Test func aStreamThatIsMutedBeforeTheSessionBeganIsPaused() async throws {
        let desktop = MutedFromTheStart()
        let session = AudioSessionCoordinator(port: desktop)
        let fixture = ServiceFixture(pacing: .output, capacity: 8_192, session: session)
        try fixture.service.load(url: fixture.url)
        try fixture.service.play()
        try await fixture.wait(for: .paused)
        desktop.session.endInterruption()
        try await fixture.wait(for: .playing)
        fixture.service.stop()
    }

    /// The end of such an interruption may come while the client is still being paused.
    @Test func anEndDuringThePauseResumes() async throws {
        let desktop = MutedFromTheStart()
        let session = AudioSessionCoordinator(port: desktop)
        let client = SlowClient()
        try await session.activate(for: client)
        await client.isPausing.value
        desktop.session.endInterruption()
        // The coordinator hears of it before the client has paused. If it does not, the test does not see what it looks for.
        for _ in 0..<1_000 { await Task.yield() }
        client.mayPause.resolve(())
        await client.isResumed.value
    }

    @Test func aCommandDuringACallIsKept() async throws {
        let bench = try await Bench().playing()
        let call = bench.desktop.beginStream(.phone)
        try await bench.fixture.wait(for: .paused)
        bench.service.pause()
        bench.desktop.endStream(call)
        await bench.log.wait(for: "session.interruptionEnded")
        await bench.wait(for: .active)
        // The resumptions of a call come before the next event of the desktop.
        bench.desktop.beginStream(.phone)
        await bench.wait(for: .interrupted)
        #expect(bench.service.state == .paused)
    }

    @Test func unpluggedHeadphonesPauseForGood() async throws {
        let bench = try await Bench().playing()
        bench.desktop.changeRoute(to: ["loudspeaker"], reason: .oldDeviceUnavailable)
        await bench.sessionClock.waitForSleepers()
        bench.sessionClock.advance(seconds: 0.05)
        try await bench.fixture.wait(for: .paused)
        bench.desktop.changeRoute(to: ["headphones"], reason: .newDeviceAvailable)
        await bench.sessionClock.waitForSleepers()
        bench.sessionClock.advance(seconds: 0.05)
        await bench.log.wait(for: "session.routeChange", count: 2)
        #expect(bench.service.state == .paused)
    }

    @Test func theSessionIsSharedAndEndsWithTheLastClient() async throws {
        let bench = try await Bench().playing()
        let beside = ServiceFixture(pacing: .output, capacity: 8_192, session: bench.session)
        try beside.service.load(url: beside.url)
        try beside.service.play()
        for await status in bench.session.updates where status.clients.count == 2 { break }
        bench.desktop.beginStream(.phone)
        try await bench.fixture.wait(for: .paused)
        try await beside.wait(for: .paused)
        bench.service.stop()
        for await status in bench.session.updates where status.clients.count == 1 { break }
        #expect(bench.desktop.deactivationCount == 0)
        beside.service.stop()
        await bench.wait(for: .inactive)
        #expect(bench.desktop.activationCount == 1)
        #expect(bench.desktop.deactivationCount == 1)
    }

    @Test func theEndOfACallDuringASeekResumes() async throws {
        let decoder = ScriptedDecoder()
        let url = URL(fileURLWithPath: "/music/ramp.mem")
        decoder.base.register(TestSignal.ramp(frames: 132_300, sampleRate: 44_100).samples(), for: url)
        let service = DefaultPlaybackService(
            audio: MemoryOutput(pacing: .output, capacity: 8_192), decoder: decoder, clock: ManualClock(),
            logger: RecordingLogger(), fileAccess: nil, session: nil, limits: .patient)
        try service.load(url: url)
        try service.play()
        let token = try #require(service.pauseForSession {})
        decoder.hold(.seek)
        let (isSought, isCalled) = (Promise<Void>(), Promise<Void>())
        DedicatedQueue.run("seek") {
            try? service.seek(to: 1)
            isSought.resolve(())
        }
        await decoder.isWaiting.value
        DedicatedQueue.run("resume") {
            isCalled.resolve(())
            service.resumeForSession(token) {}
        }
        await isCalled.value
        // The call of the session comes during the seek. If it does not, the test does not see what it looks for.
        for _ in 0..<1_000 { await Task.yield() }
        decoder.release()
        await isSought.value
        for await state in service.stateUpdates where state == .playing { break }
        #expect(service.currentTime() == 1)
        service.stop()
    }

    /// The end of the call would play through the loudspeaker.
    @Test func aDeviceThatIsLostDuringThePauseForACallLetsNobodyResume() async throws {
        let (desktop, clock, log) = (ScriptedAudioSession(), ManualClock(), RecordingLogger())
        let session = AudioSessionCoordinator(port: desktop, clock: clock, logger: log)
        let client = SlowClient()
        try await session.activate(for: client)
        desktop.changeRoute(to: ["loudspeaker"], reason: .oldDeviceUnavailable)
        await clock.waitForSleepers()
        let call = desktop.beginStream(.phone)
        await client.isPausing.value
        clock.advance(seconds: 0.05)
        await log.wait(for: "session.routeChange")
        client.mayPause.resolve(())
        desktop.endStream(call)
        await log.wait(for: "session.interruptionEnded")
        // Events are handled one after another.
        desktop.beginStream(.music)
        for await status in session.updates where !status.situation.foreignStreams.isEmpty { break }
        #expect(client.isResumed.present == nil)
    }

    @Test func aCallMakesItQuieterWhereThePolicySaysSo() async throws {
        let bench = try await Bench(AudioSessionPolicy(interruption: .duck(to: 0.25))).playing()
        bench.service.setVolume(0.5)
        try await bench.fixture.wait(forFrames: 8_192)
        let client = try #require(bench.service.sessionMember).sessionClient
        let call = bench.desktop.beginStream(.phone)
        // Events are handled one after another: behind the second one the service is being given its gain.
        bench.desktop.beginStream(.music)
        for await status in bench.session.updates where status.situation.foreignStreams.count == 2 { break }
        await bench.session.waitForCalls(to: client)
        let fixture = bench.fixture
        fixture.output.play(frames: 8_192)
        try await ServiceFixture.within {
            while fixture.output.content.frameCount < 16_384 {
                try Task.checkCancellation()
                fixture.clock.advance(by: 20_000_000)
                await Task.yield()
            }
        }
        bench.desktop.endStream(call)
        await bench.log.wait(for: "session.interruptionEnded")
        await bench.session.waitForCalls(to: client)
        // On a busy machine the track may lack sound for a moment.
        #expect([.playing, .buffering].contains(bench.service.state))
        try await bench.fixture.playOut(until: .stopped)
        let (heard, source) = (fixture.output.content, fixture.sound)
        let during = 2 * 15_000..<2 * 16_000
        #expect(heard.samples[during].map { $0 * 8 } == Array(source.samples[during]))
        // The end has the volume that was set, without the session's gain.
        #expect(heard.samples.last.map { $0 * 2 } == source.samples.last)
    }

    @Test func aRefusalEndsPlayingWithItsReason() async throws {
        let bench = try Bench(AudioSessionPolicy(startsDuringInterruption: false))
        bench.desktop.beginStream(.phone, application: "telephone")
        try bench.service.play()
        for await state in bench.service.stateUpdates {
            guard case .error(let error) = state else { continue }
            #expect(error.message.contains("telephone"))
            break
        }
        #expect(!bench.fixture.output.isStarted)
        // Loading is the remedy, as after every error.
        try bench.service.load(url: bench.fixture.url)
        #expect(bench.service.state == .paused)
    }

    @Test func aReleasedServiceEndsItsSession() async throws {
        let desktop = ScriptedAudioSession()
        let log = RecordingLogger()
        let session = AudioSessionCoordinator(port: desktop, logger: log)
        do {
            let fixture = ServiceFixture(pacing: .output, capacity: 8_192, session: session)
            try fixture.service.load(url: fixture.url)
            try fixture.service.play()
            for await status in session.updates where status.state == .active { break }
        }
        await log.wait(for: "session.deactivate")
        #expect(desktop.activeConfiguration == nil)
    }
}

/// A server that has muted our streams by the time the session becomes active.
private struct MutedFromTheStart: AudioSessionPort {
    let session = ScriptedAudioSession()

    func activate(_ configuration: AudioSessionConfiguration) async throws {
        try await session.activate(configuration)
        session.beginInterruption()
        // The coordinator hears of it before this call returns. If it does not, the test does not see what it looks for.
        for _ in 0..<1_000 { await Task.yield() }
    }

    func deactivate() async { await session.deactivate() }
    var supportedOptions: AudioSessionOptions { session.supportedOptions }
    var situation: AudioSessionSnapshot { session.situation }
    var sessionEvents: EventStream<AudioSessionEvent> { session.sessionEvents }
}
