import DescantCore
@testable import DescantPlayback
import DescantTesting
import Dispatch
import Foundation
import Testing

/// ReplayGain that is set between the opening of a track and its start.
@Suite(.timeLimit(.minutes(2)))
struct ReplayGainStartTests {
    private let gapless = PlayerConfiguration(crossfadeDuration: 0)
    private let lowered = Float(0.5 * Decibels.linear(-6))

    private func track(in session: PlayerSession, _ name: String = "a") -> URL {
        session.level(name, 0.5, channel: 0, seconds: 4, replayGain: ReplayGainTags(trackGain: -6))
    }

    /// Whether everything that was rendered since a frame has the gain of the tags.
    private func isLowered(_ session: PlayerSession, since frame: Int = 0) -> Bool {
        let heard = session.manual.rendered.channel(0).dropFirst(frame)
        return !heard.isEmpty && heard.allSatisfy { abs($0 - lowered) < 1e-6 }
    }

    /// A file that an engine has loaded is no track of the player yet.
    @Test(arguments: [0.0, 1])
    func loadedContentStartsWithTheGainOfItsStart(position: Double) async throws {
        let session = await PlayerSession.inStereo()
        let engine = AudioPlayerEngine(session.player)
        try await engine.loadContent(.url(track(in: session)))
        try await engine.seek(to: .time(position))
        await session.player.setReplayGain(ReplayGainSettings(mode: .track))
        try await engine.play()
        try await session.advance(1)
        #expect(isLowered(session))
    }

    /// The deck is open, and an effect of the track is still being prepared.
    @Test func trackThatIsBeingPreparedStartsWithTheGainOfItsStart() async throws {
        let session = await PlayerSession.inStereo()
        let url = track(in: session)
        let gate = PreparationGate()
        try await session.player.setEffects([EffectInsert("gate", GatedEffect(gate: gate))], ofTrack: url)
        let loading = Task { try await session.player.loadPlaylist([url], configuration: gapless) }
        _ = await gate.reached.value(within: 60)
        await session.player.setReplayGain(ReplayGainSettings(mode: .track))
        gate.open()
        try await loading.value
        try await session.advance(1)
        #expect(isLowered(session))
    }

    /// The next track is open and waits for the end of the present one.
    @Test func preloadedTrackStartsWithTheGainOfItsStart() async throws {
        let session = await PlayerSession.inStereo()
        let tracks = [session.level("loud", 0.25, channel: 0, seconds: 1), track(in: session)]
        try await session.player.loadPlaylist(tracks, configuration: gapless)
        await session.waitForOpening(of: tracks[1])
        await session.player.setReplayGain(ReplayGainSettings(mode: .track))
        try await session.advance(2)
        #expect(isLowered(session, since: PlayerSession.stereo.sampleRate))
    }

    /// The track follows the crossfade that its call shortens.
    @Test func trackBehindAShortenedCrossfadeHasItsGain() async throws {
        let session = await PlayerSession.inStereo()
        let others = ["a", "b", "c"].map { session.level($0, 0.25, channel: 0, seconds: 20) }
        let configuration = PlayerConfiguration(crossfadeDuration: 2, transitionInterruption: .fastForward)
        await session.player.setReplayGain(ReplayGainSettings(mode: .track))
        try await session.player.loadPlaylist(others + [track(in: session, "d")], configuration: configuration)
        try await session.advance(1)
        try await session.player.nextTrack()
        try await session.advance(0.5)
        let moving = Task { try await session.player.jumpToTrack(at: 3) }
        while await session.player.main.deferred == nil { await Task.yield() }
        try await session.advance(4)
        try await moving.value
        // The crossfades are over, and the track has 4 s.
        let rate = PlayerSession.stereo.sampleRate
        let heard = session.manual.rendered.channel(0).suffix(rate / 2)
        #expect(heard.count == rate / 2 && heard.allSatisfy { abs($0 - lowered) < 1e-6 })
    }
}

/// Tells that an effect is being prepared, and holds it up.
private final class PreparationGate: Sendable {
    /// Resolved when the preparation has begun.
    let reached = Promise<Void>()
    private let mayGo = DispatchSemaphore(value: 0)

    /// Holds up the preparation until the gate is opened.
    func pass() {
        reached.resolve(())
        mayGo.wait()
    }

    func open() { mayGo.signal() }
}

/// An effect that changes nothing and whose preparation is held up.
private struct GatedEffect: AudioEffect {
    let gate: PreparationGate

    let parameters: [EffectParameter] = []
    let latency = 0
    let tail = 0

    mutating func prepare(_ format: PCMFormat, maximumFrames: Int) { gate.pass() }
    mutating func setParameter(_ identifier: String, to value: Double) {}
    mutating func process(_ block: EffectBlock) {}
    mutating func reset() {}
}
