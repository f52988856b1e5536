import DescantCore
import DescantTesting
import Foundation
import Testing

@testable import DescantPlayback

/// When `stop()` and `stopAll(fadeDuration:)` return, and what a second one does.
@Suite(.timeLimit(.minutes(2)))
struct StoppingTests {
    private let fading = PlayerConfiguration(crossfadeDuration: 2, fadeCurve: .linear, stopFadeDuration: 1)

    private func playing(_ names: [String] = ["a"]) async throws -> PlayerSession {
        let session = await PlayerSession()
        let urls = names.enumerated().map { session.track($1, level: Float($0 + 1) / 10, seconds: 20) }
        try await session.player.loadPlaylist(urls, configuration: fading)
        try await session.advance(2)
        return session
    }

    @Test func stopReturnsWhenTheLastSampleWasHeard() async throws {
        let session = await PlayerSession.realTime()
        let output = session.manual.output
        // Half a second lies between rendering and hearing.
        output.setLatency(frames: 4_000)
        try await session.player.loadPlaylist([session.track("a", seconds: 20)], configuration: fading)
        try await session.advance(1)
        let returned = Promise<Int64>()
        let stopping = Task {
            await session.player.stop()
            returned.resolve(output.renderedFrames)
        }
        try await session.wait(for: .fadingOut)
        await output.stepUntil { returned.present != nil }
        await stopping.value
        #expect(await session.player.state == .finished)
        // The fade of a second began with the next frame that was rendered.
        #expect(session.sample(at: 1.95) != 0)
        #expect(session.sample(at: 2.05) == 0)
        #expect(try #require(returned.present) >= 16_000 + 4_000)
    }

    @Test func cancelledStopReturnsAndItsFadeGoesOn() async throws {
        let session = await PlayerSession.realTime()
        try await session.player.loadPlaylist([session.track("a", seconds: 20)], configuration: fading)
        let stopping = Task { await session.player.stop() }
        try await session.wait(for: .fadingOut)
        stopping.cancel()
        await stopping.value
        #expect(await session.player.state == .fadingOut)
        try await session.advance(1.1)
        try await session.wait(for: .finished)
    }

    @Test func secondStopShortensTheFade() async throws {
        let session = try await playing()
        await session.player.stop(fadeDuration: 10)
        try await session.advance(1)
        await session.player.stop(fadeDuration: 0.5)
        // A longer one changes nothing.
        await session.player.stop(fadeDuration: 8)
        try await session.advance(1)
        try await session.wait(for: .finished)
        #expect(session.sample(at: 3.4) > 0)
        #expect(session.sample(at: 3.51) == 0)
    }

    @Test func allFadesOutTogether() async throws {
        let session = await PlayerSession.realTime()
        let player = session.player
        try await player.loadPlaylist([session.track("a", level: 0.25, seconds: 20)], configuration: fading)
        let rain = session.track("rain", level: 0.5, seconds: 20)
        try await player.startOverlay(
            url: rain, configuration: OverlayConfiguration(fadeCurve: .linear, fadesEnds: false))
        try await session.advance(1)
        let stopping = Task { await player.stopAll(fadeDuration: 2) }
        try await session.wait(for: .fadingOut)
        try await session.events.wait { $0.kind == .overlayChanged(.default, .stopping) }
        try await session.advance(1)
        #expect(abs(session.sample(at: 1.99) - 0.375) < 0.01)
        try await session.advance(1.1)
        await stopping.value
        #expect(await player.state == .idle)
        #expect(await player.getOverlayState() == .idle)
        #expect(await player.getPlaylistCount() == 1)
    }

    @Test func allShortensTheFadeOfAnOverlay() async throws {
        let session = await PlayerSession()
        let rain = session.track("rain", level: 0.5, seconds: 40)
        try await session.player.startOverlay(
            url: rain,
            configuration: OverlayConfiguration(fadeOutDuration: 10, fadeCurve: .linear, fadesEnds: false))
        try await session.advance(1)
        await session.player.stopOverlay()
        try await session.advance(1)
        await session.player.stopAll(fadeDuration: 0.5)
        // A longer one changes nothing.
        await session.player.stopAll(fadeDuration: 8)
        try await session.advance(1)
        try await session.events.wait { $0.kind == .overlayChanged(.default, .idle) }
        #expect(session.sample(at: 2.4) > 0)
        #expect(session.sample(at: 2.51) == 0)
    }

    /// A host that quits shuts the engine down, before or while it stops the player.
    @Test(arguments: [false, true]) func anEngineThatWasShutDownKeepsNobodyWaiting(isStopping: Bool) async throws {
        let session = await PlayerSession.realTime()
        let player = session.player
        try await player.loadPlaylist([session.track("a", seconds: 20)], configuration: fading)
        let rain = session.track("rain", seconds: 20)
        try await player.startOverlay(url: rain, configuration: OverlayConfiguration())
        try await player.playSoundEffect(SoundEffect(url: session.track("gong", seconds: 20)))
        try await session.advance(1)
        let stopping = isStopping ? Task { await player.stopAll(fadeDuration: 3) } : nil
        if isStopping { try await session.wait(for: .fadingOut) }
        await session.manual.engine.shutdown()
        await stopping?.value
        await player.stop()
        await player.stopAll(fadeDuration: 1)
        #expect(await player.state == .idle)
        #expect(await player.activeOverlays.isEmpty)
        #expect(await player.playingSoundEffects == 0)
    }

    /// A remote control's command waits until the crossfade is over.
    @Test func anEngineThatWasShutDownKeepsNoMoveWaiting() async throws {
        let session = await PlayerSession.realTime()
        let player = session.player
        let urls = ["a", "b", "c"].map { session.track($0, seconds: 20) }
        let configuration = PlayerConfiguration(crossfadeDuration: 2, transitionInterruption: .fastForward)
        try await player.loadPlaylist(urls, configuration: configuration)
        try await session.advance(1)
        try await player.nextTrack()
        try await session.advance(0.5)
        let moving = Task { try await player.perform(.next) }
        while await player.main.deferred == nil, !Task.isCancelled { await Task.yield() }
        await session.manual.engine.shutdown()
        try await moving.value
        try await session.wait(for: .finished)
    }

    @Test func aResetEndsTheWaitForTheFadeOfAnEffect() async throws {
        let session = await PlayerSession.realTime()
        let player = session.player
        try await player.playSoundEffect(SoundEffect(url: session.track("gong", seconds: 20)))
        try await session.advance(1)
        let layer = try #require(await player.effects.layers.first)
        let stopping = Task { await player.stopAll(fadeDuration: 2) }
        while await session.manual.engine.status(of: layer).activity != .stopping { await Task.yield() }
        // The call waits by then. If it does not, the test does not see what it looks for.
        for _ in 0..<1_000 { await Task.yield() }
        await player.reset()
        await stopping.value
    }

    /// An effect that never began has no event that tells its end.
    @Test func allDoesNotWaitForAnEffectThatGaveUp() async throws {
        let session = await PlayerSession.realTime()
        let engine = HeldStatusEngine(session.manual.engine)
        let player = AudioPlayerService(engine: engine, clock: session.clock)
        engine.holdNext(.layerGain)
        let effect = SoundEffect(url: session.track("ping", seconds: 5))
        let playing = Task { try await player.playSoundEffect(effect) }
        await engine.isHeld.value
        let stopping = Task { await player.stopAll(fadeDuration: 1) }
        // The call waits for the effect by then. If it does not, the test does not see what it looks for.
        for _ in 0..<1_000 { await Task.yield() }
        engine.mayGo.resolve(())
        await #expect(throws: CancellationError.self) { try await playing.value }
        await stopping.value
    }
}
