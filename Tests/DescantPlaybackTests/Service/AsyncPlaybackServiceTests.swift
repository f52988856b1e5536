import DescantCore
import DescantPlayback
import DescantTesting
import Foundation
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

    @Test func theMainActorIsFreeWhileACallBlocks() async throws {
        let service = AsyncPlaybackService(fixture.service)
        fixture.scripted.hold(.open)
        var hasEnded = false
        let first = Task { () -> String in
            defer { hasEnded = true }
            do {
                try await service.load(url: URL(fileURLWithPath: "/music/missing.mem"))
                return "loaded"
            } catch {
                return "\(error)"
            }
        }
        await fixture.scripted.isWaiting.value
        // The call blocks its own thread, and this code runs on the main actor.
        let second = Task { await service.stop() }
        #expect(!hasEnded)
        fixture.scripted.release()
        #expect(await first.value == "Not found: /music/missing.mem")
        await second.value
        // An opening that fails after the stop would leave an error.
        #expect(await service.progress().state == .stopped)
    }
}
