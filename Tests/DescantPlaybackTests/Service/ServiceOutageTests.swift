import DescantCore
import DescantPlayback
import DescantTesting
import Foundation
import Testing

/// The one-file service when its sound device is lost: it stands still, goes on where the sound broke off, or fails after 30 s.
@Suite(.timeLimit(.minutes(2)))
struct ServiceOutageTests {
    private let fixture = ServiceFixture(pacing: .output, capacity: 8_192)

    /// Plays 3,000 frames and loses the output.
    private func lose() async throws {
        try fixture.service.load(url: fixture.url)
        try fixture.service.play()
        try await fixture.wait(forFrames: 8_192)
        // The output fails when it is offered the next block. Without one the service finds that it plays nothing,
        // which is another error.
        let scripted = fixture.scripted
        try await ServiceFixture.within {
            while scripted.readCount < 5 {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
        fixture.output.play(frames: 3_000)
        fixture.output.failRendering(with: .ioError("the server is gone"))
        fixture.output.failStarts(with: .ioError("there is no server"))
        try await advance(until: .buffering)
        #expect(!fixture.output.isStarted)
        #expect(fixture.service.currentTime() == 3_000 / 44_100.0)
    }

    private func repair() {
        fixture.output.failRendering(with: nil)
        fixture.output.failStarts(with: nil)
    }

    /// Lets half a second pass before each attempt, and no more while the service has not made it, until the output is started.
    private func waitForStart() async throws {
        let (output, clock) = (fixture.output, fixture.clock)
        try await ServiceFixture.within {
            while !output.isStarted {
                await clock.waitForSleepers()
                clock.advance(seconds: 0.5)
            }
        }
    }

    /// Lets time pass until the service is in a state; the output plays nothing.
    private func advance(until state: PlaybackState) async throws {
        let (service, clock) = (fixture.service, fixture.clock)
        try await ServiceFixture.within {
            while service.state != state {
                try Task.checkCancellation()
                clock.advance(by: 20_000_000)
                await Task.yield()
            }
        }
    }

    @Test func aLostOutputFreezesAndGoesOnWhereItWas() async throws {
        try await lose()
        // Attempts fail meanwhile.
        for _ in 0..<20 {
            await fixture.clock.waitForSleepers()
            fixture.clock.advance(seconds: 0.5)
        }
        #expect(fixture.service.state == .buffering)
        #expect(fixture.service.currentTime() == 3_000 / 44_100.0)
        repair()
        try await waitForStart()
        try await fixture.playOut(until: .stopped)
        #expect(fixture.output.content == fixture.sound)
    }

    @Test func anOutputThatStaysAwayIsAnErrorAfter30Seconds() async throws {
        try await lose()
        let begin = fixture.clock.now()
        try await advance(until: .error(.ioError("")))
        guard case .error(let error) = fixture.service.state else { return }
        #expect(error.message == "the server is gone; it did not come back within 30 s: there is no server")
        let seconds = Double(fixture.clock.now() - begin) / 1e9
        #expect(seconds >= 29.5, "failed after \(seconds) s")
        #expect(throws: CoreError.self) { try fixture.service.play() }
        repair()
        try fixture.service.load(url: fixture.url)
        try fixture.service.play()
        try await fixture.playOut(until: .stopped)
        #expect(fixture.output.content.frameCount == 3_000 + fixture.sound.frameCount)
    }

    @Test func aPauseDuringTheLossStays() async throws {
        try await lose()
        fixture.service.pause()
        #expect(fixture.service.state == .paused)
        repair()
        fixture.clock.advance(seconds: 60)
        #expect(fixture.service.state == .paused)
        #expect(fixture.output.startCount == 1)
        try fixture.service.play()
        try await fixture.playOut(until: .stopped)
        #expect(fixture.output.content == fixture.sound)
    }

    @Test func aSeekDuringTheLossIsWhereItGoesOn() async throws {
        try await lose()
        try fixture.service.seek(to: 2)
        #expect(fixture.service.state == .buffering)
        #expect(fixture.service.currentTime() == 2)
        repair()
        try await waitForStart()
        try await fixture.playOut(until: .stopped)
        let expected = fixture.sound.slice(0..<3_000).samples + fixture.sound.slice(88_200..<132_300).samples
        #expect((fixture.output.content.samples == expected) == true)
    }

    /// A sound server that hangs reports no error.
    @Test func anOutputThatPlaysNothingIsOpenedAgain() async throws {
        try fixture.service.load(url: fixture.url)
        try fixture.service.play()
        try await fixture.wait(forFrames: 8_192)
        fixture.output.play(frames: 3_000)
        try await advance(until: .buffering)
        #expect(fixture.service.currentTime() == 3_000 / 44_100.0)
        try await waitForStart()
        try await fixture.playOut(until: .stopped)
        #expect(fixture.output.startCount > 1)
        #expect(fixture.output.content == fixture.sound)
    }

    /// A seek may take longer than the output may stay away. The output gets its attempt nevertheless.
    @Test func anAttemptIsMadeBehindALongSeek() async throws {
        try await lose()
        fixture.scripted.hold(.seek)
        async let seek: Void = fixture.calling { try $0.seek(to: 2) }
        await fixture.scripted.isWaiting.value
        fixture.clock.advance(seconds: 40)
        repair()
        fixture.scripted.release()
        try await seek
        try await waitForStart()
        try await fixture.playOut(until: .stopped)
        let expected = fixture.sound.slice(0..<3_000).samples + fixture.sound.slice(88_200..<132_300).samples
        #expect((fixture.output.content.samples == expected) == true)
    }

    /// When the device is lost its queue may hold all that is left, and nothing is rendered any more that would say so.
    @Test(arguments: [0, 5_000]) func aLossBehindTheLastRenderedFrameIsNoEnd(heard: Int) async throws {
        let fixture = ServiceFixture(seconds: 0.2, pacing: .output, capacity: 100_000)
        try fixture.service.load(url: fixture.url)
        try fixture.service.play()
        try await fixture.wait(for: .buffering)
        fixture.output.play(frames: heard)
        let (output, clock) = (fixture.output, fixture.clock)
        try await ServiceFixture.within {
            while output.startCount < 2 {
                await clock.waitForSleepers()
                clock.advance(seconds: 0.1)
            }
        }
        try await fixture.playOut(until: .stopped)
        #expect(fixture.output.content == fixture.sound)
        #expect(fixture.output.startCount == 2)
    }

    @Test func aFileThatFailsIsAnErrorAtOnce() async throws {
        let fixture = ServiceFixture(pacing: .none)
        fixture.output.failRendering(with: .ioError("the disk is full"))
        try fixture.service.load(url: fixture.url)
        try fixture.service.play()
        try await fixture.wait(for: .error(.ioError("the disk is full")))
    }
}
