import DescantCore
import DescantPlayback
import DescantTesting
import Foundation
import Testing

/// Concurrent callers, long playlists, races with the engine.
@Suite(.timeLimit(.minutes(2)))
struct ConcurrencyTests {
    @Test func concurrentEditsAreAllCarriedOut() async throws {
        let session = await PlayerSession()
        let url = session.track("a", seconds: 1)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<1_000 { group.addTask { await session.player.addTrackToPlaylist(url) } }
        }
        #expect(await session.player.getCurrentPlaylist().count == 1_000)
    }

    @Test func playerWorksAfterManyConcurrentCalls() async throws {
        let session = await PlayerSession()
        let urls = (0..<5).map { session.track("\($0)", seconds: 3) }
        try await session.player.loadPlaylist(
            urls, configuration: PlayerConfiguration(crossfadeDuration: 1, repeatMode: .playlist))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<300 {
                group.addTask { await Self.call(number, session, urls) }
            }
            group.addTask {
                for _ in 0..<40 { _ = try? await session.advance(0.1) }
            }
        }
        try await session.player.loadPlaylist(
            [urls[0], urls[1]], configuration: PlayerConfiguration(crossfadeDuration: 1))
        #expect(await session.player.state == .playing)
        let before = session.renderedSeconds
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(abs(session.renderedSeconds - before - 5) < 0.02)
    }

    /// A random call; a refusal is allowed.
    private static func call(_ number: Int, _ session: PlayerSession, _ urls: [URL]) async {
        let player = session.player
        do {
            switch number % 13 {
            case 0: try await player.nextTrack()
            case 1: try await player.previousTrack()
            case 2: try await player.pause()
            case 3, 4: try await player.resume()
            case 5: try await player.seekWithFade(to: Double(number % 3))
            case 6: try await player.jumpToTrack(at: number % 5)
            case 7: await player.addTrackToPlaylist(urls[number % 5])
            case 8: try await player.removeTrackFromPlaylist(at: 1)
            case 9: try await player.moveTrackInPlaylist(from: 0, to: 2)
            case 10: if number == 10 { await player.stop(fadeDuration: 0.5) }
            case 11: try await player.replaceTrack(url: urls[number % 5])
            default: try await player.loadPlaylist(urls)
            }
        } catch is AudioPlayerError {
        } catch is CancellationError {
        } catch {
            Issue.record("\(error) from call \(number)")
        }
    }

    @Test func longPlaylistsLoadWithoutOpeningFiles() async throws {
        let session = await PlayerSession()
        let first = session.track("first", seconds: 1)
        let urls = [first] + (0..<100_000).map { PlayerSession.url("\($0)") }
        try await session.player.loadPlaylist(urls, configuration: PlayerConfiguration(crossfadeDuration: 0))
        await session.player.stop(fadeDuration: 0)
        #expect(await session.player.getCurrentPlaylist() == urls)
        #expect(session.manual.decks.openedNames.count < 1_000)
    }

    @Test func trackEndingBeforeNextIsOpenIsFollowed() async throws {
        let session = await PlayerSession.realTime()
        let urls = [session.track("a", level: 0.1, seconds: 1), session.slowTrack(level: 0.2, seconds: 1)]
        try await session.player.loadPlaylist(urls, configuration: PlayerConfiguration(crossfadeDuration: 0))
        try await session.advance(1.5)
        try await session.wait(for: .preparing)
        session.manual.decks.release("/music/slow.wav")
        try await session.waitForStart(of: urls[1])
        #expect(await session.player.state == .playing)
        try await session.advance(1.5)
        try await session.wait(for: .finished)
        #expect(await session.player.getCurrentTrackIndex() == 1)
    }

    @Test func pauseBetweenTwoTracksHolds() async throws {
        let session = await PlayerSession.realTime()
        let urls = [session.track("a", level: 0.1, seconds: 1), session.slowTrack(level: 0.2, seconds: 1)]
        try await session.player.loadPlaylist(urls, configuration: PlayerConfiguration(crossfadeDuration: 0))
        try await session.advance(1.5)
        try await session.wait(for: .preparing)
        try await session.player.pause()
        try await session.advance(0.1)
        session.manual.decks.release("/music/slow.wav")
        try await session.waitForStart(of: urls[1])
        #expect(await session.player.state == .paused)
        let before = session.manual.rendered.samples.count
        try await session.advance(0.5)
        #expect(session.manual.rendered.samples[before...].allSatisfy { $0 == 0 })
        try await session.player.resume()
        #expect(await session.player.state == .playing)
    }

    @Test func slowFileDoesNotBlockOtherCalls() async throws {
        let session = await PlayerSession.realTime()
        let urls = [session.track("a", seconds: 10), session.slowTrack(seconds: 1)]
        try await session.player.loadPlaylist(urls)
        try await session.player.pause()
        try await session.player.resume()
        try await session.player.seekWithFade(to: 3)
        #expect(await session.player.state == .playing)
        session.manual.decks.release("/music/slow.wav")
    }

    /// The engine sends more events than fit into the player's buffer while a call waits for a slow file.
    @Test func playerCatchesUpWhenEventsWereLost() async throws {
        let session = await PlayerSession.realTime()
        let slow = session.slowTrack(seconds: 1)
        let urls = [session.track("a", seconds: 1), session.track("b", seconds: 10)]
        try await session.player.loadPlaylist(urls, configuration: PlayerConfiguration(crossfadeDuration: 0))
        try await session.advance(0.5)
        // Once "b" is open, the engine has the follow-up.
        while session.manual.decks.openedNames.count < 2 { await Task.yield() }
        await session.player.setRepeatMode(.off)
        let replacing = Task { try await session.player.replaceTrack(url: slow) }
        await session.waitForOpening(of: slow)
        try await session.advance(1)
        let engine = session.manual.engine
        for _ in 0..<1_200 {
            await engine.pause(engine.mainLayer, ramp: 0)
            try await engine.resume(engine.mainLayer, ramp: 0)
            try await session.advance(0.001)
        }
        replacing.cancel()
        await #expect(throws: CancellationError.self) { try await replacing.value }
        var tracks = session.player.trackUpdates.makeAsyncIterator()
        while let track = await tracks.next(), track?.title != "b" {}
        #expect(await session.player.getCurrentTrackIndex() == 1)
        // Events of the last pauses may still be on their way.
        while await session.player.state != .playing, !Task.isCancelled { await Task.yield() }
        session.manual.decks.release("/music/slow.wav")
    }

    @Test func stopDuringTrackChangeIsCarriedOut() async throws {
        let session = await PlayerSession.realTime()
        session.manual.output.setLatency(frames: 4_000)
        let urls = [session.track("a", level: 0.1, seconds: 2), session.track("b", level: 0.2, seconds: 5)]
        try await session.player.loadPlaylist(urls, configuration: PlayerConfiguration(crossfadeDuration: 0))
        try await session.events.wait { (events: [PlayerEvent]) in true }
        try await session.advance(2.2)
        let stopping = Task { await session.player.stop(fadeDuration: 1) }
        try await session.wait(for: .fadingOut)
        try await session.advance(3)
        await stopping.value
        #expect(await session.player.state == .finished)
        #expect(await session.player.currentTrack == nil)
    }
}
