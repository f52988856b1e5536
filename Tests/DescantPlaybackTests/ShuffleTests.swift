import DescantPlayback
import DescantTesting
import Foundation
import Testing

/// The order of shuffled playback.
@Suite(.timeLimit(.minutes(2)))
struct ShuffleTests {
    private let gapless = PlayerConfiguration(crossfadeDuration: 0)

    private func session(_ count: Int) async -> (PlayerSession, [URL]) {
        let session = await PlayerSession()
        return (session, (0..<count).map { session.track("\($0)", level: Float($0 + 1) / 100, seconds: 1) })
    }

    @Test func playsEveryTrackOnceBeginningWithTheCurrentOne() async throws {
        let (session, urls) = await session(8)
        try await session.player.loadPlaylist(urls, configuration: gapless)
        #expect(await session.player.setShuffle(true, seed: 42) == 42)
        try await session.finish()
        try await session.wait(for: .finished)
        let heard = session.starts.map(\.url)
        #expect(heard.first == urls[0])
        #expect(Set(heard) == Set(urls) && heard.count == 8 && heard != urls)
        #expect(session.renderedSeconds == 8)
        let (second, _) = await self.session(8)
        try await second.player.loadPlaylist(urls, configuration: gapless)
        await second.player.setShuffle(true, seed: 42)
        try await second.finish()
        try await second.wait(for: .finished)
        #expect(second.starts.map(\.url) == heard)
    }

    @Test func previousFollowsTheHistory() async throws {
        let (session, urls) = await session(8)
        try await session.player.loadPlaylist(urls, configuration: gapless)
        await session.player.setShuffle(true, seed: 5)
        var heard = [await session.player.getCurrentTrackIndex()]
        for _ in 0..<4 {
            let peeked = await session.player.peekNextTrack()
            try await session.player.nextTrack()
            heard.append(await session.player.getCurrentTrackIndex())
            #expect(peeked == urls[heard.last ?? 0])
        }
        try await session.player.jumpToTrack(at: heard[1])
        #expect(await session.player.peekPreviousTrack() == urls[heard[4]])
        for index in [heard[4], heard[3], heard[2], heard[0]] {
            try await session.player.previousTrack()
            #expect(await session.player.getCurrentTrackIndex() == index)
        }
    }

    @Test func loadWhileShuffledDrawsTheFirstTrack() async throws {
        let (session, urls) = await session(8)
        await session.player.setShuffle(true, seed: 3)
        try await session.player.loadPlaylist(urls, configuration: gapless)
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(session.starts.first?.url != urls[0])
        #expect(session.starts.count == 8)
        try await session.player.loadPlaylist(urls, startingAt: 2)
        #expect(await session.player.getCurrentTrackIndex() == 2)
    }

    @Test func repeatedPlaylistIsPlayedInANewOrderEveryRound() async throws {
        let (session, urls) = await session(5)
        let heard = try await rounds(5, of: urls, in: session)
        #expect(heard.allSatisfy { $0.count == 5 && Set($0) == Set(urls) })
        #expect(Set(heard).count > 2)
        for (round, next) in zip(heard, heard.dropFirst()) { #expect(round.last != next.first) }
        #expect(await session.player.getRepeatCount() == 4)
        // The seed decides on all of them.
        #expect(try await rounds(5, of: urls, in: await self.session(5).0) == heard)
    }

    /// The tracks in the order in which they are heard, round by round.
    private func rounds(_ count: Int, of urls: [URL], in session: PlayerSession) async throws -> [[URL]] {
        let configuration = PlayerConfiguration(
            crossfadeDuration: 0, repeatMode: .playlist, repeatCount: count - 1)
        try await session.player.loadPlaylist(urls, configuration: configuration)
        await session.player.setShuffle(true, seed: 9)
        try await session.finish()
        try await session.wait(for: .finished)
        let heard = session.starts.map(\.url)
        return stride(from: 0, to: heard.count, by: urls.count).map { start in
            Array(heard[start..<min(heard.count, start + urls.count)])
        }
    }

    @Test func nextContinuesIntoTheAnnouncedRound() async throws {
        let (session, urls) = await session(4)
        try await session.player.loadPlaylist(
            urls, configuration: PlayerConfiguration(crossfadeDuration: 0, repeatMode: .playlist))
        await session.player.setShuffle(true, seed: 3)
        var heard = [await session.player.getCurrentTrackIndex()]
        for _ in 0..<11 {
            let announced = await session.player.peekNextTrack()
            try await session.player.nextTrack()
            heard.append(await session.player.getCurrentTrackIndex())
            #expect(announced == urls[heard.last ?? 0])
        }
        for round in 0..<3 { #expect(Set(heard[4 * round..<4 * round + 4]) == Set(0..<4)) }
        // Only rounds that come by themselves are repetitions.
        #expect(await session.player.getRepeatCount() == 0)
    }

    @Test func badTracksAtTheEndOfARoundAreTriedOnce() async throws {
        let (session, urls) = await session(1)
        let bad = (0..<3).map { PlayerSession.url("missing \($0)") }
        try await session.player.loadPlaylist(
            urls + bad, configuration: PlayerConfiguration(crossfadeDuration: 0, repeatMode: .playlist, repeatCount: 2))
        // Another order begins another search: the first one is over before.
        try await session.events.wait { $0.count { if case .trackFailed = $0.kind { true } else { false } } == 3 }
        await session.player.setShuffle(true, seed: 3)
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(session.renderedSeconds == 3)
        // The last event is sent last.
        try await session.events.wait { $0.contains { if case .playlistEnded = $0.kind { true } else { false } } }
        // Tracks that were tried before the round are not tried again in it.
        let failures = session.failures.count - 3
        #expect(failures == 6)
    }

    @Test func jumpOfAnIdlePlayerBeginsARound() async throws {
        let (session, urls) = await session(4)
        try await session.player.loadPlaylist(urls, configuration: gapless)
        await session.player.setShuffle(true, seed: 9)
        try await session.finish()
        try await session.wait(for: .finished)
        try await session.player.jumpToTrack(at: 2)
        try await session.finish()
        try await session.events.wait { (events: [PlayerEvent]) in
            events.filter { $0.kind == .playlistEnded }.count == 2
        }
        let second = session.starts.map(\.url)[4...]
        #expect(second.first == urls[2])
        #expect(Set(second) == Set(urls))
    }

    @Test func aKeptOrderGoesOn() async throws {
        let (session, urls) = await session(5)
        try await session.player.loadPlaylist(urls, configuration: gapless, startingAt: 3)
        #expect(await session.player.getShuffledOrder() == nil)
        #expect(try await session.player.setShuffle(order: [1, 3, 0, 4, 2], seed: 7) == 7)
        #expect(await session.player.getShuffledOrder() == [1, 3, 0, 4, 2])
        #expect(await session.player.peekPreviousTrack() == urls[1])
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(session.starts.map(\.url) == [3, 0, 4, 2].map { urls[$0] })
    }

    /// Neither the choice of a track nor its start draws another order then.
    @Test func aKeptOrderWaitsForItsTrack() async throws {
        let (session, urls) = await session(5)
        await session.player.addTracksToPlaylist(urls)
        try await session.player.selectTrack(at: 3)
        try await session.player.setShuffle(order: [1, 3, 0, 4, 2])
        #expect(await session.player.peekNextTrack() == urls[0])
        try await session.player.jumpToTrack(at: 3)
        #expect(await session.player.getShuffledOrder() == [1, 3, 0, 4, 2])
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(session.starts.map(\.url) == [3, 0, 4, 2].map { urls[$0] })
        // It waited once: the next start begins a round.
        try await session.player.jumpToTrack(at: 2)
        #expect(await session.player.getShuffledOrder()?.first == 2)
    }

    @Test(arguments: [[0, 1], [0, 1, 1], [0, 1, 3], [0, 1, -1], [0, 1, 2, 2], []])
    func anOrderOfAnotherListIsRefused(order: [Int]) async throws {
        let (session, urls) = await session(3)
        try await session.player.loadPlaylist(urls, configuration: gapless)
        await session.player.setShuffle(true, seed: 42)
        let before = await session.player.getShuffledOrder()
        await #expect(throws: AudioPlayerError.self) { try await session.player.setShuffle(order: order) }
        #expect(await session.player.getShuffledOrder() == before)
        #expect(await session.player.getShuffleSeed() == 42)
    }

    @Test func shuffleCanBeTurnedOff() async throws {
        let (session, urls) = await session(5)
        try await session.player.loadPlaylist(urls, configuration: gapless, startingAt: 2)
        await session.player.setShuffle(true)
        #expect(await session.player.getShuffleSeed() != nil)
        #expect(await session.player.setShuffle(false) == nil)
        try await session.finish()
        try await session.wait(for: .finished)
        #expect(session.starts.map(\.url) == Array(urls[2...]))
    }
}
