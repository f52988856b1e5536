import DescantCore
import DescantTesting
import Foundation
import Testing

@testable import DescantPlayback

/// The one-file service with a decoder that hangs: every command returns, and the service works again when the decoder does.
///
/// Limits are short for the calls that hang alone: a busy machine delays all others.
@Suite(.timeLimit(.minutes(2)))
struct HangingDecoderTests {
    private let decoder = ScriptedDecoder()
    private let output = MemoryOutput(pacing: .output, capacity: 8_192)
    private let clock = ManualClock()
    private let sound = TestSignal.ramp(frames: 132_300, sampleRate: 44_100).samples()
    private let url = URL(fileURLWithPath: "/music/ramp.mem")

    private func service(_ change: (inout DecoderLimits) -> Void) -> DefaultPlaybackService {
        decoder.base.register(sound, for: url)
        var limits = DecoderLimits()
        change(&limits)
        return DefaultPlaybackService(
            audio: output, decoder: decoder, clock: clock, logger: NoopLogger(), fileAccess: nil, session: nil,
            limits: limits)
    }

    /// Loads the file, as soon as the decoder is back.
    private func loadAgain(_ service: DefaultPlaybackService) async throws {
        let url = url
        try await ServiceFixture.within {
            while (try? service.load(url: url)) == nil {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
        #expect(service.state == .paused)
        #expect(decoder.base.openHandleCount == 1)
    }

    @Test func framesBeforeAReadThatHangsArePlayed() async throws {
        // A busy machine delays the five reads before it, which have the same limit.
        let service = service { $0.read = 5 }
        decoder.hold(.read, after: 5)
        try service.load(url: url)
        try service.play()
        await decoder.isWaiting.value
        let error = CoreError.ioError("the decoder hangs: its read has not returned within 5.0 s")
        let (output, clock) = (output, clock)
        try await ServiceFixture.within {
            while output.content.frameCount < 5 * 4_096 {
                try Task.checkCancellation()
                output.play(frames: .max)
                clock.advance(by: 20_000_000)
                await Task.yield()
            }
            // The error is told when all frames are heard, for which the service may wait by the clock.
            while service.state != .error(error) {
                try Task.checkCancellation()
                output.play(frames: .max)
                if clock.sleeperCount > 0 { clock.advance(by: 20_000_000) }
                await Task.yield()
            }
        }
        #expect(output.content == sound.slice(0..<5 * 4_096))
        let url = url
        await #expect(throws: error) { try await ServiceFixture.calling { try service.load(url: url) } }
        #expect(service.state == .error(error))
        try await ServiceFixture.calling { service.stop() }
        #expect(service.state == .stopped)
        decoder.release()
        try await loadAgain(service)
    }

    @Test func everyCommandReturnsDuringAReadThatHangs() async throws {
        let service = service {
            $0.read = 5
            $0.close = 0.2
        }
        decoder.hold(.read)
        try service.load(url: url)
        await decoder.isWaiting.value
        try await ServiceFixture.calling {
            try service.play()
            service.setVolume(0.5)
            service.pause()
            try service.setPlaybackRange(start: 0, end: 2)
            service.clearPlaybackRange()
        }
        await #expect(throws: CoreError.self) { try await ServiceFixture.calling { try service.seek(to: 1) } }
        try await ServiceFixture.calling { service.stop() }
        #expect(service.state == .stopped)
        decoder.release()
        try await loadAgain(service)
    }

    @Test func aStopDuringAReadThatHangsReturns() async throws {
        let service = service { $0.close = 0.2 }
        decoder.hold(.read)
        try service.load(url: url)
        try service.play()
        await decoder.isWaiting.value
        try await ServiceFixture.calling { service.stop() }
        #expect(service.state == .stopped)
        #expect(decoder.base.openHandleCount == 1)
        decoder.release()
        let decoder = decoder
        try await ServiceFixture.within { while decoder.base.openHandleCount > 0 { await Task.yield() } }
    }

    @Test func aSeekThatHangsIsAnError() async throws {
        let service = service { $0.seek = 0.2 }
        try service.load(url: url)
        decoder.hold(.seek)
        let error = CoreError.ioError("the decoder hangs: its seek has not returned within 0.2 s")
        await #expect(throws: error) { try await ServiceFixture.calling { try service.seek(to: 1) } }
        #expect(service.state == .error(error))
        decoder.release()
        try await loadAgain(service)
    }

    /// A call that waits for another one does not count as hanging: the error has the name and the limit of the one that does.
    @Test func aReadBehindASeekThatHangsIsNotBlamed() async throws {
        decoder.base.register(sound, for: url)
        var limits = DecoderLimits()
        limits.seek = 0.3
        limits.read = 0.1
        let decoding = StreamDecoding(decoder, files: nil, limits: limits)
        let track = try decoding.open(url: url)
        decoder.hold(.seek)
        let seek = Task { try await ServiceFixture.calling { try decoding.seek(track.handle, to: 0, seconds: 0) } }
        await decoder.isWaiting.value
        let error = await #expect(throws: CoreError.self) {
            try await ServiceFixture.calling {
                try decoding.read(track.handle, at: 0, frames: 10, channels: track.info.channels) { _ in }
            }
        }
        #expect(error?.message == "the decoder hangs: its seek has not returned within 0.3 s")
        await #expect(throws: CoreError.self) { try await seek.value }
        decoder.release()
        decoding.close()
    }

    @Test func aFileWhoseOpeningHangsIsClosedLater() async throws {
        let service = service { $0.open = 0.2 }
        decoder.hold(.open)
        let error = CoreError.ioError("the decoder hangs: its open has not returned within 0.2 s")
        let url = url
        await #expect(throws: error) { try await ServiceFixture.calling { try service.load(url: url) } }
        #expect(service.state == .error(error))
        try await ServiceFixture.calling { service.stop() }
        decoder.release()
        await decoder.isClosed.value
        #expect(decoder.base.openHandleCount == 0)
    }

    @Test func aCloseThatHangsKeepsNoStop() async throws {
        let service = service { $0.close = 0.2 }
        try service.load(url: url)
        decoder.hold(.close)
        try await ServiceFixture.calling { service.stop() }
        #expect(service.state == .stopped)
        await decoder.isWaiting.value
        decoder.release()
        try await loadAgain(service)
    }
}
