import DescantCore
import DescantPlayback
import DescantTesting
import Foundation
import Testing

/// What the service does when a port fails.
struct ServiceErrorTests {
    @Test func failedLoadThrowsAndSetsTheState() throws {
        let fixture = ServiceFixture()
        let missing = URL(fileURLWithPath: "/music/missing.mem")
        #expect { try fixture.service.load(url: missing) } throws: { ($0 as? CoreError)?.code == "notFound" }
        #expect(fixture.service.state == .error(.notFound(missing.path)))
        #expect(fixture.service.currentTime() == 0)
        #expect(fixture.service.duration() == 0)
        #expect(fixture.logger.messages(.error).contains { $0.contains("missing.mem") })
    }

    @Test func aFileWithoutAFrameIsAnError() async throws {
        let fixture = ServiceFixture(seconds: 0)
        try fixture.service.load(url: fixture.url)
        try fixture.service.play()
        let error = CoreError.decodeError("\(fixture.url.path) has no sound: it ends before its first frame")
        try await fixture.wait(for: .error(error))
    }

    @Test func formatRefusedByTheOutputIsUnsupported() throws {
        let fixture = ServiceFixture(sampleRate: 192_000)
        fixture.output.refuse(sampleRate: 192_000)
        #expect { try fixture.service.load(url: fixture.url) } throws: { ($0 as? CoreError)?.code == "unsupported" }
        #expect(fixture.decoder.openHandleCount == 0)
    }

    @Test func damageIsReportedAfterTheDecodedFrames() async throws {
        var fault = MemoryDecoder.Fault()
        fault.failure = (frame: 50_000, error: .decodeError("ramp.mem is damaged at 1.134 s"))
        let fixture = ServiceFixture(fault: fault)
        try fixture.service.load(url: fixture.url)
        try fixture.service.play()
        try await fixture.wait(for: .error(.decodeError("ramp.mem is damaged at 1.134 s")))
        #expect(fixture.output.content == fixture.sound.slice(0..<50_000))
        #expect(!fixture.output.isStarted)
        try fixture.service.load(url: fixture.url)
        #expect(fixture.service.state == .paused)
    }

    /// Decoders of hosts are checked as those of bundles are.
    @Test(arguments: [-1, 1_000_000]) func impossibleNumbersOfFramesAreAnError(count: Int) async throws {
        let fixture = ServiceFixture()
        try fixture.service.load(url: fixture.url)
        fixture.scripted.changeReads { _, _ in count }
        try fixture.service.play()
        let updates = fixture.service.stateUpdates
        for await state in updates {
            guard case .error(let error) = state else { continue }
            #expect("\(error)".contains("gave \(count) frames when asked for up to"), "\(error)")
            break
        }
    }

    @Test func samplesThatAreNoNumbersAreSilence() async throws {
        let fixture = ServiceFixture(seconds: 0.2)
        fixture.scripted.changeReads { samples, frames in
            if frames > 0 { samples[0] = .nan }
            return frames
        }
        try fixture.service.load(url: fixture.url)
        try fixture.service.play()
        try await fixture.wait(for: .stopped)
        #expect(fixture.output.content.frameCount == fixture.sound.frameCount)
        let isClean = fixture.output.content.samples.allSatisfy { $0.isFinite }
        #expect(isClean)
    }

    @Test func failedOutputStartCanBeRetried() async throws {
        let fixture = ServiceFixture(seconds: 0.2)
        try fixture.service.load(url: fixture.url)
        fixture.output.failStarts(with: .ioError("no server"))
        #expect(throws: CoreError.ioError("no server")) { try fixture.service.play() }
        #expect(fixture.service.state == .paused)
        fixture.output.failStarts(with: nil)
        try fixture.service.play()
        try await fixture.wait(for: .stopped)
        #expect(fixture.output.content == fixture.sound)
    }

    @Test func failingOutputEndsPlayback() async throws {
        let fixture = ServiceFixture(pacing: .output, capacity: 4_096)
        try fixture.service.load(url: fixture.url)
        try fixture.service.play()
        try await fixture.wait(forFrames: 4_096)
        fixture.output.failRendering(with: .ioError("the device is gone"))
        try await fixture.playOut(until: .error(.ioError("the device is gone; it did not come back within 30 s")))
        #expect(!fixture.output.isStarted)
    }

    @Test func fileAccessLimitsOpenedFiles() throws {
        let directory = try TemporaryDirectory(label: "descant-access")
        let inside = try directory.write(MemoryDecoder.fileHeader, to: "inside.mem")
        let decoder = MemoryDecoder()
        let outside = URL(fileURLWithPath: "/etc/hostname")
        for url in [inside, outside] { decoder.register(TestSignal.silence(seconds: 1).samples(), for: url) }
        let service = DefaultPlaybackService(
            audio: MemoryOutput(), decoder: decoder, clock: ManualClock(), logger: NoopLogger(),
            fileAccess: LocalFileAccess(roots: [directory.url]))
        try service.load(url: inside)
        #expect(service.state == .paused)
        #expect { try service.load(url: outside) } throws: { ($0 as? CoreError)?.code == "ioError" }
    }

    @Test func slowDecoderIsReportedAsBuffering() async throws {
        let fixture = ServiceFixture(pacing: .output, capacity: 100_000)
        fixture.scripted.hold(.read, after: 1)
        try fixture.service.load(url: fixture.url)
        try fixture.service.play()
        try await fixture.wait(forFrames: 4_096)
        fixture.output.play(frames: .max)
        let advancing = Task { [clock = fixture.clock] in
            while !Task.isCancelled {
                clock.advance(by: 50_000_000)
                await Task.yield()
            }
        }
        try await fixture.wait(for: .buffering)
        advancing.cancel()
        await advancing.value
        // The output had nothing to play for so long, and is not lost.
        fixture.clock.advance(seconds: 15)
        fixture.scripted.release()
        try await fixture.wait(for: .playing)
        try await fixture.playOut(until: .stopped)
        #expect(fixture.output.startCount == 1)
        #expect(fixture.output.content == fixture.sound)
    }

    @Test func equalizerIsSetOnTheOutput() {
        let output = EqualizedOutput()
        let service = DefaultPlaybackService(
            decoder: MemoryDecoder(), audio: output, clock: ManualClock(), logger: NoopLogger())
        #expect(service.hasEqualizer)
        service.setEQEnabled(true)
        service.setEQPreamp(-3)
        service.setEQBandGains([1, 2])
        #expect(output.isEnabled && output.preamp == -3 && output.bandGains == [1, 2])
        #expect(!ServiceFixture().service.hasEqualizer)
    }

    /// An endless stream has every position, but no more frames than can be counted.
    @Test(arguments: [Double.infinity, 1e300])
    func positionsThatCannotBeCountedAreRefused(duration: Double) throws {
        let decoder = ScriptedDecoder(duration: duration)
        let url = URL(fileURLWithPath: "/music/endless.mem")
        decoder.base.register(TestSignal.ramp(frames: 44_100, sampleRate: 44_100).samples(), for: url)
        let service = DefaultPlaybackService(
            decoder: decoder, audio: MemoryOutput(pacing: .none), clock: ManualClock(), logger: RecordingLogger())
        try service.load(url: url)
        for seconds in [1e15, 1e299] {
            #expect { try service.seek(to: seconds) } throws: { ($0 as? CoreError)?.code == "invalidArgument" }
            #expect { try service.setPlaybackRange(start: 0, end: seconds) } throws: {
                ($0 as? CoreError)?.code == "invalidArgument"
            }
        }
        try service.seek(to: 0.5)
        #expect(service.currentTime() == 0.5)
    }
}

/// An output of another program: a plain class with the requirements of the port's first version, and an equaliser.
private final class EqualizedOutput: AudioOutputPort, EQPort {
    var isEnabled = false
    var preamp: Float = 0
    var bandGains: [Float] = []
    func configure(sampleRate: Double, channels: Int, framesPerBuffer: Int) throws {}
    func start() throws {}
    func stop() {}
    func render(_ buffer: UnsafePointer<Float>, frameCount: Int) throws -> Int { frameCount }
}
