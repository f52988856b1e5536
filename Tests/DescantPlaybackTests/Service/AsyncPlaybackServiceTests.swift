import DescantCore
import DescantPlayback
import DescantTesting
import Dispatch
import Foundation
import Synchronization
import Testing

/// Calls of a service from the main actor.
@MainActor
@Suite(.timeLimit(.minutes(5))) struct AsyncPlaybackServiceTests {
    private let fixture = ServiceFixture()

    @Test func callsReachTheServiceAndItsErrorsTheCaller() async throws {
        let service = AsyncPlaybackService(fixture.service)
        await #expect(throws: CoreError.self) { try await service.play() }
        try await service.load(url: fixture.url)
        #expect(await service.progress() == PlaybackProgress(state: .paused, position: 0, duration: 3))
        try await service.seek(to: 1)
        await #expect(throws: CoreError.self) { try await service.seek(to: 4) }
        await service.setVolume(0.5)
        #expect(await service.progress().position == 1)
        var states = service.stateUpdates.makeAsyncIterator()
        #expect(await states.next() == .paused)
        try await service.play()
        #expect(await states.next() == .playing)
        await service.pause()
        await service.stop()
        #expect(await service.progress() == PlaybackProgress(state: .stopped, position: 0, duration: 0))
    }

    /// A decoder whose opening waits for the test.
    private final class SlowDecoder: DecoderPort, Sendable {
        let opens = DispatchSemaphore(value: 0)
        let isOpening = EventHub<Void>()

        func open(url: URL) throws -> DecodeHandle {
            isOpening.post(())
            opens.wait()
            throw CoreError.notFound(url.lastPathComponent)
        }
        func read(_ handle: DecodeHandle, into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int { 0 }
        func seek(_ handle: DecodeHandle, toSeconds seconds: Double) throws {}
        func info(_ handle: DecodeHandle) throws -> StreamInfo { throw CoreError.invalidState("closed") }
        func close(_ handle: DecodeHandle) {}
    }

    @Test func theMainActorIsFreeWhileACallBlocks() async throws {
        let decoder = SlowDecoder()
        let service = AsyncPlaybackService(
            DefaultPlaybackService(
                decoder: decoder, audio: MemoryOutput(), clock: fixture.clock, logger: fixture.logger))
        var opening = decoder.isOpening.stream().makeAsyncIterator()
        var hasEnded = false
        let first = Task { () -> String in
            defer { hasEnded = true }
            do {
                try await service.load(url: URL(fileURLWithPath: "/a"))
                return "loaded"
            } catch {
                return "\(error)"
            }
        }
        await opening.next()
        // The call blocks its own thread, and this code runs on the main actor.
        let second = Task { await service.stop() }
        #expect(!hasEnded)
        decoder.opens.signal()
        #expect(await first.value == "Not found: a")
        await second.value
        // An opening that fails after the stop would leave an error.
        #expect(await service.progress().state == .stopped)
    }
}
