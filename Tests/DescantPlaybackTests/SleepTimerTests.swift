import DescantCore
import DescantTesting
import Foundation
import Testing

@testable import DescantPlayback

/// The sleep timer, on the frames of the main layer.
@Suite(.timeLimit(.minutes(2)))
struct SleepTimerTests {
    private let fading = PlayerConfiguration(crossfadeDuration: 2, fadeCurve: .linear, stopFadeDuration: 2)

    private func playing() async throws -> PlayerSession {
        let session = await PlayerSession()
        let urls = ["a", "b"].map { session.track($0, level: 0.4, seconds: 20) }
        try await session.player.loadPlaylist(urls, configuration: fading)
        return session
    }

    @Test func fadeBeginsAtTheExactFrame() async throws {
        let session = try await playing()
        try await session.advance(1)
        try await session.player.setSleepTimer(.after(3.5))
        #expect(await session.player.sleepTimerRemaining == 3.5)
        try await session.advance(1)
        #expect(await session.player.sleepTimerRemaining == 2.5)
        try await session.advance(5)
        try await session.wait(for: .finished)
        #expect(session.states.all.suffix(3) == [.playing, .fadingOut, .finished])
        #expect(session.sample(at: 4.5) == 0.4)
        let second = 1 / 8_000.0
        #expect(session.sample(at: 4.5 + second) < 0.4)
        #expect(abs(session.sample(at: 5.5) - 0.2) < 1e-4)
        #expect(session.sample(at: 6.5) == 0)
        #expect(session.events.all.contains { $0.kind == .sleepTimerEnded && $0.frame == 36_000 })
        #expect(await session.player.sleepTimerRemaining == nil)
    }

    /// Also on a device whose queue is replaced.
    @Test func aTimerOfNoTimeTellsItsEnd() async throws {
        let session = await PlayerSession(.rewinding(format: PlayerSession.format))
        session.manual.output.setLatency(frames: 800)
        try await session.player.loadPlaylist([session.track("a", seconds: 20)], configuration: fading)
        try await session.advance(1)
        try await session.player.setSleepTimer(.after(0), fadeDuration: 0)
        try await session.advance(1)
        try await session.wait(for: .finished)
        #expect(session.events.all.contains { $0.kind == .sleepTimerEnded })
    }

    @Test func openingOverlayIsStoppedByTheSleepTimer() async throws {
        let session = try await playing()
        let slow = session.slowTrack()
        try await session.player.setSleepTimer(.after(1), fadeDuration: 0.5)
        let start = Task { try await session.player.startOverlay(url: slow, configuration: .ambient) }
        await session.waitForOpening(of: slow)
        try await session.advance(2)
        try await session.wait(for: .finished)
        session.manual.decks.release("/music/slow.wav")
        await #expect(throws: CancellationError.self) { try await start.value }
        #expect(await session.player.getOverlayState() == .idle)
    }

    @Test func openingTrackIsEndedByTheSleepTimer() async throws {
        let session = try await playing()
        let slow = session.slowTrack()
        try await session.player.setSleepTimer(.after(1), fadeDuration: 0.5)
        let load = Task { try await session.player.loadPlaylist([slow], configuration: fading) }
        await session.waitForOpening(of: slow)
        try await session.advance(2)
        try await session.wait(for: .finished)
        session.manual.decks.release(slow.path)
        await #expect(throws: CancellationError.self) { try await load.value }
        #expect(await session.player.state == .finished)
    }

    /// The planned stop goes with the track that fails.
    @Test func aPlayerThatFailsForgetsTheTimer() async throws {
        let session = await PlayerSession()
        let bad = PlayerSession.url("missing")
        try await session.player.loadPlaylist([session.track("a", seconds: 20), bad], configuration: fading)
        try await session.player.setSleepTimer(.after(100))
        try await session.player.removeTrackFromPlaylist(at: 0)
        let state = await session.player.state
        #expect({ if case .failed = state { true } else { false } }(), "\(state)")
        #expect(await !session.player.settings.sleep.isSet)
    }

    @Test func pauseStopsTheTimer() async throws {
        let session = try await playing()
        try await session.player.setSleepTimer(.after(2), fadeDuration: 1)
        try await session.advance(1)
        try await session.player.pause()
        try await session.advance(5)
        let rest = try #require(await session.player.sleepTimerRemaining)
        #expect(abs(rest - 0.99) < 1e-6)
        try await session.player.resume()
        try await session.advance(3)
        try await session.wait(for: .finished)
        #expect(session.sample(at: 6.99) == 0.4)
        #expect(abs(session.sample(at: 7.5) - 0.2) < 0.01)
    }

    /// The engine has begun the fade, and the player has not been told yet.
    @Test func aPauseThatOvertakesTheFadeOfTheTimerEndsIt() async throws {
        let session = await PlayerSession.realTime()
        let player = session.player
        try await player.loadPlaylist([session.track("a", seconds: 20)], configuration: fading)
        try await player.setSleepTimer(.after(1), fadeDuration: 1)
        let mayGoOn = await player.holdCommands()
        let pausing = Task.immediate { try await player.pause() }
        // The pause has reached the player when it answers this call.
        #expect(await player.state == .playing)
        try await session.advance(1.5)
        mayGoOn.resolve(())
        try await pausing.value
        try await session.advance(0.5)
        try await session.wait(for: .finished)
        #expect(session.events.all.contains { $0.kind == .sleepTimerEnded })
        #expect(!session.events.all.contains { $0.kind == .playlistEnded })
        #expect(await !player.settings.sleep.isSet)
    }

    @Test func cancelledTimerDoesNothing() async throws {
        let session = try await playing()
        try await session.player.setSleepTimer(.after(2))
        try await session.player.setSleepTimer(.after(3))
        await session.player.cancelSleepTimer()
        #expect(await session.player.sleepTimerRemaining == nil)
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(session.renderedSeconds == 38)
    }

    @Test func timerLastsAcrossTracks() async throws {
        let session = try await playing()
        try await session.player.setSleepTimer(.after(19))
        try await session.advance(25)
        try await session.wait(for: .finished)
        // The fade of the timer overlaps the crossfade; both tracks end with it.
        #expect(session.sample(at: 21.01) == 0)
        #expect(session.sample(at: 20) > 0)
    }

    @Test func endOfTrackTimerStopsAtTheEnd() async throws {
        let session = try await playing()
        try await session.advance(4)
        try await session.player.setSleepTimer(.endOfTrack)
        #expect(await session.player.sleepTimerRemaining == 16)
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(session.renderedSeconds == 20)
        #expect(session.sample(at: 19.99) == 0.4)
        #expect(session.events.all.contains { $0.kind == .sleepTimerEnded })
        #expect(!session.events.all.contains { $0.kind == .playlistEnded })
    }

    @Test func overlaysStopWithTheTimer() async throws {
        let session = try await playing()
        let rain = session.track("rain", level: 0.1, seconds: 60)
        try await session.player.startOverlay(url: rain, configuration: .ambient)
        try await session.player.setSleepTimer(.after(3), fadeDuration: 1)
        try await session.advance(3.5)
        try await session.events.wait { $0.kind == .overlayChanged(.default, .stopping) }
        try await session.advance(3)
        try await session.events.wait { $0.kind == .overlayChanged(.default, .idle) }
        #expect(session.sample(at: 6) == 0)
    }

    /// The main layer is on the left, overlays on the right.
    private func beside(_ configuration: OverlayConfiguration, startsAt start: Double) async throws -> PlayerSession {
        let session = await PlayerSession.inStereo()
        let track = session.level("a", 0.5, channel: 0, seconds: 60)
        let rain = session.level("rain", 0.25, channel: 1, seconds: 40)
        try await session.player.loadPlaylist([track], configuration: fading)
        if start == 0 { try await session.player.startOverlay(url: rain, configuration: configuration) }
        try await session.player.setSleepTimer(.after(6), fadeDuration: 2)
        if start > 0 {
            try await session.advance(start)
            try await session.player.startOverlay(url: rain, configuration: configuration)
        }
        return session
    }

    @Test(arguments: [0, 1.25])
    func overlaysFadeOnTheSameFrame(start: Double) async throws {
        let endless = OverlayConfiguration(loopMode: .infinite, fadesEnds: false, crossfadeDuration: 0.5)
        let session = try await beside(endless, startsAt: start)
        try await session.advance(2)
        try await session.player.replaceOverlay(url: PlayerSession.url("rain"))
        try await session.advance(1)
        await session.player.pauseAll()
        try await session.advance(1)
        await session.player.resumeAll()
        try await session.advance(8)
        try await session.wait(for: .finished)
        try await session.wait(for: .idle, of: .default)
        let left = session.manual.rendered.channel(0)
        let right = session.manual.rendered.channel(1)
        let begin = try #require(left.indices.dropFirst(45_000).first { left[$0] != 0.5 }) - 1
        // One of the seven seconds was a pause.
        #expect(begin == 56_000)
        #expect(right[45_000...begin].allSatisfy { $0 == 0.25 })
        #expect(deviation(of: right, in: begin..<begin + 16_000) { Double(left[begin + $0]) / 2 } == nil)
    }

    @Test func aTimerThatIsSetInAPauseKeepsOverlaysPlaying() async throws {
        let session = try await beside(OverlayConfiguration(loopMode: .infinite, fadesEnds: false), startsAt: 0)
        try await session.player.pause()
        try await session.player.setSleepTimer(.after(6), fadeDuration: 2)
        try await session.advance(20)
        #expect(await session.player.getOverlayState() == .playing)
        #expect(session.manual.rendered.channel(1).allSatisfy { $0 == 0.25 })
        try await session.player.resume()
        try await session.advance(10)
        try await session.wait(for: .finished)
        try await session.wait(for: .idle, of: .default)
    }

    /// The time is counted on the main layer, so the timer waits for it.
    @Test func aTimerThatIsSetBesideAnOverlayAloneWaitsForTheMainLayer() async throws {
        let session = await PlayerSession.inStereo()
        try await session.player.updateConfiguration(fading)
        let rain = session.level("rain", 0.25, channel: 1, seconds: 60)
        try await session.player.startOverlay(
            url: rain, configuration: OverlayConfiguration(loopMode: .infinite, fadesEnds: false))
        try await session.player.setSleepTimer(.after(1), fadeDuration: 1)
        try await session.advance(3)
        #expect(await session.player.getOverlayState() == .playing)
        #expect(await session.player.sleepTimerRemaining == 1)
        let track = session.level("a", 0.5, channel: 0, seconds: 60)
        try await session.player.loadPlaylist([track], configuration: fading)
        try await session.advance(3)
        try await session.wait(for: .finished)
        try await session.wait(for: .idle, of: .default)
        let (left, right) = (session.manual.rendered.channel(0), session.manual.rendered.channel(1))
        #expect(right[..<32_000].allSatisfy { $0 == 0.25 })
        #expect(deviation(of: right, in: 32_000..<40_000) { Double(left[32_000 + $0]) / 2 } == nil)
    }

    @Test func pausedPlayerKeepsOverlaysPlaying() async throws {
        let session = try await beside(OverlayConfiguration(loopMode: .infinite, fadesEnds: false), startsAt: 0)
        try await session.advance(2)
        try await session.player.pause()
        try await session.advance(20)
        #expect(await session.player.getOverlayState() == .playing)
        #expect(session.manual.rendered.channel(1).allSatisfy { $0 == 0.25 })
        try await session.player.resume()
        try await session.advance(8)
        try await session.wait(for: .finished)
        try await session.wait(for: .idle, of: .default)
        #expect(session.manual.rendered.channel(1).suffix(8_000).allSatisfy { $0 == 0 })
    }

    @Test func cancelledTimerDoesNotStopOverlays() async throws {
        let session = try await beside(OverlayConfiguration(loopMode: .infinite, fadesEnds: false), startsAt: 0)
        await session.player.cancelSleepTimer()
        try await session.advance(10)
        #expect(session.manual.rendered.channel(1).allSatisfy { $0 == 0.25 })
    }

    @Test func stopCancelsTheTimer() async throws {
        let session = try await playing()
        try await session.player.setSleepTimer(.after(3))
        await session.player.stop(fadeDuration: 0)
        try await session.player.loadPlaylist([session.track("c", seconds: 8)], configuration: fading)
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(session.renderedSeconds == 8)
    }

    @Test func timesOutsideTheRangeAreRefused() async throws {
        let session = try await playing()
        for seconds in [-1, 86_401, .nan] {
            await #expect(throws: AudioPlayerError.self) { try await session.player.setSleepTimer(.after(seconds)) }
        }
        #expect(await session.player.sleepTimerRemaining == nil)
    }
}
