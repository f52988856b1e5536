import DescantCore
import DescantTesting
import Foundation
import Testing

@testable import DescantPlayback

/// The one-file service while its output takes long to start, as on a sound server that hangs.
@Suite(.timeLimit(.minutes(2)))
struct SlowStartTests {
    private let output = SlowOutput()
    private let service: DefaultPlaybackService
    private let sound = TestSignal.ramp(frames: 44_100, sampleRate: 44_100).samples()
    private let desktop = ScriptedAudioSession()
    private let sessionClock = ManualClock()
    private let log = RecordingLogger()
    private let session: AudioSessionCoordinator

    init() throws {
        let decoder = MemoryDecoder()
        let url = URL(fileURLWithPath: "/music/ramp.mem")
        decoder.register(sound, for: url)
        session = AudioSessionCoordinator(port: desktop, clock: sessionClock, logger: log)
        service = DefaultPlaybackService(
            audio: output, decoder: decoder, clock: MonotonicClock(), logger: NoopLogger(), fileAccess: nil,
            session: session)
        try service.load(url: url)
    }

    @Test func callsDoNotWaitForTheStart() async throws {
        let service = service
        async let play: Void = ServiceFixture.calling { try service.play() }
        await output.isWaiting.value
        #expect(service.state == .paused)
        #expect(service.currentTime() == 0)
        service.setVolume(0.5)
        service.setVolume(1)
        try service.setPlaybackRange(start: 0, end: 0.5)
        output.release()
        try await play
        // Played to the end of the range.
        let base = output.base
        try await ServiceFixture.within { await base.waitForFrames(22_050) }
        #expect(output.base.content == sound.slice(0..<22_050))
    }

    /// Nothing sounds, and a later start plays all of the file.
    private func isSilentUntilPlay() async throws {
        let service = service
        #expect(service.state == .paused)
        #expect(!output.base.isStarted)
        #expect(output.base.content.frameCount == 0)
        output.release()
        try await ServiceFixture.calling { try service.play() }
        let base = output.base
        try await ServiceFixture.within { await base.waitForFrames(44_100) }
    }

    @Test func aPauseKeepsItFromPlaying() async throws {
        let service = service
        async let play: Void = ServiceFixture.calling { try service.play() }
        await output.isWaiting.value
        service.pause()
        output.release()
        try await play
        try await isSilentUntilPlay()
    }

    /// A service that was paused is in the session, and is started again.
    @Test func headphonesThatAreUnpluggedMeanwhileKeepItFromPlaying() async throws {
        let service = service
        let member = try #require(service.sessionMember)
        try await session.activate(for: member)
        async let play: Void = ServiceFixture.calling { try service.play() }
        await output.isWaiting.value
        desktop.changeRoute(to: ["loudspeaker"], reason: .oldDeviceUnavailable)
        await sessionClock.waitForSleepers()
        sessionClock.advance(seconds: 0.05)
        await log.wait(for: "session.routeChange")
        await session.waitForCalls(to: member.sessionClient)
        output.release()
        try await play
        // A person may play on through the loudspeaker.
        try await isSilentUntilPlay()
    }

    @Test func theEndOfACallThatBeganMeanwhileResumes() async throws {
        let service = service
        async let play: Void = ServiceFixture.calling { try service.play() }
        await output.isWaiting.value
        let pause = service.pauseForSession {}
        output.release()
        try await play
        #expect(service.state == .paused)
        #expect(!output.base.isStarted)
        let token = try #require(pause)
        output.release()
        try await ServiceFixture.calling { service.resumeForSession(token) {} }
        let base = output.base
        try await ServiceFixture.within { await base.waitForFrames(44_100) }
        #expect(base.content == sound)
    }

    /// Somebody who has paused is not resumed behind a call.
    @Test func aCallBehindAPauseMeanwhileIsNothingToResumeFrom() async throws {
        let service = service
        async let play: Void = ServiceFixture.calling { try service.play() }
        await output.isWaiting.value
        service.pause()
        #expect(service.pauseForSession {} == nil)
        output.release()
        try await play
        #expect(!output.base.isStarted)
    }

    /// The session's resumption is a start, too.
    @Test func aPauseKeepsItFromResuming() async throws {
        let service = service
        let token = InterruptionToken(commands: service.control.withLock { $0.userCommandCount })
        async let resume: Void = ServiceFixture.calling { service.resumeForSession(token) {} }
        await output.isWaiting.value
        service.pause()
        output.base.failStarts(with: .ioError("there is no server"))
        output.release()
        try await resume
        #expect(service.state == .paused)
    }
}

/// An output in memory whose starts wait for the test.
private final class SlowOutput: AudioOutputPort {
    let base = MemoryOutput(pacing: .none, capacity: 16_384)
    /// Resolved when the first start waits.
    let isWaiting = Promise<Void>()
    private let gate = DispatchSemaphore(value: 0)

    /// Lets a start go on.
    func release() { gate.signal() }

    func start() throws {
        isWaiting.resolve(())
        gate.wait()
        try base.start()
    }

    func configure(sampleRate: Double, channels: Int, framesPerBuffer: Int) throws {
        try base.configure(sampleRate: sampleRate, channels: channels, framesPerBuffer: framesPerBuffer)
    }

    func render(_ buffer: UnsafePointer<Float>, frameCount: Int) throws -> Int {
        try base.render(buffer, frameCount: frameCount)
    }

    func stop() { base.stop() }
    func flush() { base.flush() }
    var pendingFrames: Int { base.pendingFrames }
    var pacing: OutputPacing { base.pacing }
}
