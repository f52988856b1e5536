import DescantCore
import DescantTesting
import Foundation
import Testing

@testable import DescantPlayback

/// What Stop on a remote control ends: everything that sounds, as Pause pauses everything.
@Suite(.timeLimit(.minutes(1)))
struct RemoteStopTests {
    private let remote = RecordingRemote()

    /// A second of a track with an endless overlay and an effect.
    private func playing() async throws -> PlayerSession {
        let session = await PlayerSession.realTime()
        let configuration = PlayerConfiguration(crossfadeDuration: 0, fadeCurve: .linear, stopFadeDuration: 0.5)
        try await session.player.loadPlaylist(
            [session.track("song", level: 0.25, seconds: 20)], configuration: configuration)
        try await session.player.startOverlay(
            url: session.track("rain", level: 0.125, seconds: 4),
            configuration: OverlayConfiguration(loopMode: .infinite, fadeOutDuration: 1, fadesEnds: false))
        try await session.player.playSoundEffect(
            SoundEffect(url: session.track("bell", level: 0.0625, seconds: 20), fadeOut: 0.2))
        await session.player.connectRemoteControl(remote)
        try await session.advance(1)
        return session
    }

    @Test func stopEndsOverlaysAndEffectsEachWithItsFade() async throws {
        let session = try await playing()
        #expect(session.sample(at: 0.9) > 0.375, "all three sound")
        let stopping = Task { try await remote.send(.stop) }
        try await session.wait(for: .fadingOut)
        try await session.events.wait { $0.kind == .overlayChanged(.default, .stopping) }
        // Effects are stopped behind the overlays.
        for layer in await session.player.effects.layers {
            while await session.manual.engine.status(of: layer).activity != .stopping, !Task.isCancelled {
                await Task.yield()
            }
        }
        try await session.advance(0.25)
        #expect(remote.nowPlaying.status == .playing)
        try await session.advance(1)
        try await stopping.value
        #expect(session.sample(at: 1.6) > 0 && session.sample(at: 1.6) < 0.125, "only the overlay's fade")
        #expect(session.sample(at: 2.1) == 0)
        #expect(remote.nowPlaying.status == .stopped && remote.nowPlaying.track == nil)
        #expect(await session.player.getOverlayState() == .idle)
        try await remote.send(.play)
        #expect(remote.nowPlaying.status == .playing)
        #expect(await session.player.getOverlayState() == .idle)
        await session.player.disconnectRemoteControl()
    }

    @Test func stopEndsWhatIsPaused() async throws {
        let session = try await playing()
        try await remote.send(.pause)
        // The ramp of the pause.
        try await session.advance(0.1)
        #expect(remote.nowPlaying.status == .paused)
        try await remote.send(.stop)
        #expect(remote.nowPlaying.status == .stopped)
        #expect(await session.player.getOverlayState() == .idle)
        await session.player.disconnectRemoteControl()
    }

    /// The track ends as it would by itself.
    @Test func seekPastTheEndKeepsOverlays() async throws {
        let session = try await playing()
        let seeking = Task { try await remote.send(.seek(by: 60)) }
        try await session.wait(for: .fadingOut)
        try await session.advance(1)
        try await seeking.value
        #expect(remote.nowPlaying.status == .playing && remote.nowPlaying.track == nil)
        #expect(await session.player.getOverlayState() == .playing)
        await session.player.disconnectRemoteControl()
    }
}
