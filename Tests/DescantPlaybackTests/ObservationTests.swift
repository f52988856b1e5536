import DescantCore
import DescantPlayback
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// Observers and sequences in real time, with a device that the test steps.
@Suite(.timeLimit(.minutes(2)))
struct ObservationTests {
    /// Records all calls.
    private actor Observer: AudioPlayerObserver {
        let hub = EventHub<Notice>()
        enum Notice: Sendable, Equatable {
            case state(PlayerState)
            case position(PlaybackPosition)
            case error(AudioPlayerError)
        }

        func playerStateDidChange(_ state: PlayerState) { hub.post(.state(state)) }
        func playbackPositionDidUpdate(_ position: PlaybackPosition) { hub.post(.position(position)) }
        func playerDidEncounterError(_ error: AudioPlayerError) { hub.post(.error(error)) }
    }

    /// Advances the clock and the device by 0.5 s.
    private func pass(_ session: PlayerSession, seconds: Double = 0.5) async throws {
        await session.clock.waitForSleepers()
        try await session.advance(seconds)
        session.clock.advance(seconds: seconds)
    }

    @Test func observersReceiveAllEvents() async throws {
        let session = await PlayerSession.realTime()
        let observer = Observer()
        let notices = EventRecorder(observer.hub.stream())
        await session.player.addObserver(observer)
        let missing = PlayerSession.url("missing")
        let url = session.track("a", seconds: 10)
        try await session.player.loadPlaylist([missing, url], configuration: PlayerConfiguration(crossfadeDuration: 0))
        try await notices.wait { $0 == .state(.playing) }
        for half in 1...4 {
            try await pass(session)
            try await notices.wait { notice in
                guard case .position(let position) = notice else { return false }
                return abs(position.currentTime - Double(half) / 2) < 1e-6 && position.duration == 10
            }
        }
        let all = notices.all
        #expect(all.contains(.error(.fileNotFound(missing))))
        #expect(all.contains(.state(.preparing)))
        let positions = all.compactMap { if case .position(let position) = $0 { position.currentTime } else { nil } }
        #expect(positions == positions.sorted())
        await session.player.removeAllObservers()
    }

    /// A device that renders little at once moves the position more often than it is reported.
    @Test func positionsAreReportedEveryHalfSecondByDefault() async throws {
        let session = await PlayerSession.realTime()
        let observer = Observer()
        let notices = EventRecorder(observer.hub.stream())
        let updates = EventRecorder(session.player.positionUpdates())
        await session.player.addObserver(observer)
        try await session.player.loadPlaylist([session.track("a", seconds: 20)])
        // The reader of the sequence has begun.
        try await updates.wait { $0.currentTime == 0 }
        for _ in 0..<100 { try await pass(session, seconds: 0.05) }
        // A jump is reported at once, and behind all that was heard before.
        try await session.player.seekWithFade(to: 15)
        try await notices.wait { notice in
            guard case .position(let position) = notice else { return false }
            return position.currentTime == 15
        }
        try await updates.wait { $0.currentTime == 15 }
        let observed = notices.all.compactMap { if case .position(let position) = $0 { position } else { nil } }
        for positions in [observed, updates.all] {
            let heard = positions.map(\.currentTime).prefix { $0 < 15 }.filter { $0 > 0 }
            // 5 s were heard.
            #expect((9...11).contains(heard.count))
        }
    }

    @Test func nothingIsReportedWhilePaused() async throws {
        let session = await PlayerSession.realTime()
        let observer = Observer()
        let notices = EventRecorder(observer.hub.stream())
        await session.player.addObserver(observer)
        try await session.player.loadPlaylist([session.track("a", seconds: 10)])
        await session.clock.waitForSleepers()
        try await session.player.pause()
        try await notices.wait { $0 == .state(.paused) }
        let before = notices.all.count
        session.clock.advance(seconds: 10)
        await session.player.setup()
        #expect(notices.all.count <= before + 1)
        #expect(session.clock.sleeperCount == 0)
    }

    @Test func positionsHaveTheRequestedInterval() async throws {
        let session = await PlayerSession.realTime()
        var positions = session.player.positionUpdates(every: 0.1).makeAsyncIterator()
        try await session.player.loadPlaylist([session.track("a", seconds: 10)])
        let first = try #require(await positions.next())
        #expect(first.currentTime == 0)
        for step in 1...5 {
            try await pass(session, seconds: 0.1)
            let position = try #require(await positions.next())
            #expect(abs(position.currentTime - Double(step) / 10) < 1e-6)
        }
        try await session.player.seekWithFade(to: 7)
        #expect(await positions.next()?.currentTime == 7)
    }

    @Test func positionsBeginWithThePresentOneAlsoWhilePaused() async throws {
        let session = await PlayerSession.realTime()
        try await session.player.loadPlaylist([session.track("a", seconds: 10)])
        try await session.advance(2)
        try await session.player.pause()
        try await session.advance(1)
        let updates = session.player.positionUpdates(every: 0.1)
        var positions = updates.makeAsyncIterator()
        let first = try #require(await positions.next())
        #expect(abs(first.currentTime - 2) < 0.02)
        // A second loop begins with it, too.
        var again = updates.makeAsyncIterator()
        #expect(await again.next() == first)
        try await session.player.seekWithFade(to: 7)
        while let position = await positions.next(), position.currentTime != 7 { #expect(position == first) }
    }

    @Test func positionsThatNobodyReadsAreNotFollowed() async throws {
        let session = await PlayerSession.realTime()
        do {
            let updates = session.player.positionUpdates(every: 0.1)
            try await session.player.loadPlaylist([session.track("a", seconds: 10)])
            await session.clock.waitForSleepers()
            withExtendedLifetime(updates) {}
        }
        session.clock.advance(seconds: 0.1)
        while session.clock.sleeperCount > 0 { await Task.yield() }
    }

    @Test func eventsBeginWhenTheyAreAskedFor() async throws {
        let session = await PlayerSession()
        let events = session.player.events
        let url = session.track("a", seconds: 1)
        try await session.player.loadPlaylist([url])
        try await session.finish()
        try await session.wait(for: .finished)
        var started = false
        for await event in events {
            if case .trackStarted(url, _, _) = event.kind { started = true }
            if case .stateChanged(.finished) = event.kind { break }
        }
        #expect(started)
    }

    @Test func crossfadesTellHowFarTheyAre() async throws {
        let session = await PlayerSession()
        let urls = ["a", "b"].map { session.track($0, seconds: 20) }
        try await session.player.loadPlaylist(urls, configuration: PlayerConfiguration(crossfadeDuration: 4))
        try await session.advance(1)
        #expect(await session.player.crossfadeProgress == .idle)
        #expect(await !session.player.crossfadeProgress.isActive)
        try await session.player.nextTrack()
        try await session.advance(1)
        try await session.events.wait { if case .transitionStarted = $0.kind { true } else { false } }
        let progress = await session.player.crossfadeProgress
        #expect(progress.isActive && progress.duration == 4)
        #expect(abs(progress.progress - 0.25) < 1e-3)
        try await session.player.pause()
        try await session.advance(1)
        #expect(abs(await session.player.crossfadeProgress.progress - 0.25) < 0.01)
        try await session.player.resume()
        try await session.advance(4)
        try await session.events.wait { if case .transitionEnded = $0.kind { true } else { false } }
        #expect(await session.player.crossfadeProgress == .idle)
    }

    /// An observer that also records crossfades.
    private actor CrossfadeObserver: CrossfadeProgressObserver {
        let hub = EventHub<CrossfadeProgress>()

        func crossfadeProgressDidUpdate(_ progress: CrossfadeProgress) { hub.post(progress) }
    }

    private func hasEnded(_ reports: [CrossfadeProgress]) -> Bool {
        reports.count > 2 && reports.last?.phase == .idle && reports.dropLast().last?.isActive == true
    }

    @Test(.timeLimit(.minutes(1))) func crossfadesAreReportedWhileTheyAreHeard() async throws {
        let session = await PlayerSession.realTime()
        let observer = CrossfadeObserver()
        let observed = EventRecorder(observer.hub.stream())
        await session.player.addObserver(observer)
        let updates = EventRecorder(session.player.crossfadeUpdates)
        try await updates.wait { $0 == .idle }
        let urls = ["a", "b"].map { session.track($0, seconds: 20) }
        try await session.player.loadPlaylist(urls, configuration: PlayerConfiguration(crossfadeDuration: 2))
        try await session.advance(1)
        try await session.player.nextTrack()
        for _ in 1...3 {
            try await session.advance(0.5)
            try await session.events.wait { if case .transitionStarted = $0.kind { true } else { false } }
            let heard = await session.player.crossfadeProgress
            #expect(heard.isActive)
            #expect(heard.phase == .fading(progress: heard.progress))
            while !observed.all.contains(heard), !Task.isCancelled {
                session.clock.advance(seconds: 0.05)
                await Task.yield()
            }
            try await updates.wait { $0 == heard }
        }
        // Frozen, and nothing is followed.
        let heard = observed.all
        try await session.advance(1)
        for recorder in [observed, updates] {
            // The last report may have been on its way when the clock was moved, and the next one is due behind it.
            while !hasEnded(recorder.all), !Task.isCancelled {
                session.clock.advance(seconds: 0.05)
                await Task.yield()
            }
            let shares = recorder.all.map(\.progress)
            #expect(shares.dropLast() == shares.dropLast().sorted()[...])
        }
        #expect(heard.count < 30)
        await session.player.removeAllObservers()
    }

    @Test func aPausedCrossfadeIsNotFollowed() async throws {
        let session = await PlayerSession.realTime()
        let urls = ["a", "b"].map { session.track($0, seconds: 20) }
        try await session.player.loadPlaylist(urls, configuration: PlayerConfiguration(crossfadeDuration: 4))
        try await session.advance(1)
        try await session.player.nextTrack()
        try await session.advance(1)
        let updates = EventRecorder(session.player.crossfadeUpdates)
        try await updates.wait { $0.isActive }
        await session.clock.waitForSleepers()
        try await session.player.pause()
        try await session.advance(1)
        while session.clock.sleeperCount > 0, !Task.isCancelled {
            session.clock.advance(seconds: 0.05)
            await Task.yield()
        }
        await session.player.stop(fadeDuration: 0)
        try await updates.wait { (all: [CrossfadeProgress]) in all.last == .idle }
    }

    @Test func sequencesBeginWithThePresentState() async throws {
        let session = await PlayerSession()
        try await session.player.loadPlaylist([session.track("a", seconds: 1)])
        var states = session.player.stateUpdates.makeAsyncIterator()
        #expect(await states.next() == .playing)
        var tracks = session.player.trackUpdates.makeAsyncIterator()
        #expect(await tracks.next()??.title == "a")
        await session.player.stop(fadeDuration: 0)
        #expect(await states.next() == .finished)
        let after = try #require(await tracks.next())
        #expect(after == nil)
    }

    @Test func tagsOfTheOpenedFileAreReported() async throws {
        let session = await PlayerSession()
        let url = PlayerSession.url("tagged")
        let track = TrackInfo(
            title: "Song", artist: "Band", duration: 1, format: AudioFormat(sampleRate: 8_000, channelCount: 1))
        session.manual.decks.register(
            SampleBuffer(format: PlayerSession.format, samples: [Float](repeating: 0.1, count: 8_000)), for: url,
            track: track)
        try await session.player.loadPlaylist([url])
        #expect(await session.player.currentTrack == track)
    }

    /// An engine that finds tags slowly plays the track meanwhile, under the name of its file.
    @Test func laterTagsAreReported() async throws {
        let session = await PlayerSession()
        let url = session.track("tagged", seconds: 2)
        try await session.player.loadPlaylist([url])
        try await session.advance(1)
        #expect(await session.player.currentTrack?.title == "tagged")
        let track = TrackInfo(
            title: "Song", artist: "Band", duration: 2, format: AudioFormat(sampleRate: 8_000, channelCount: 1),
            tags: TagBundle(title: "Song", artist: "Band", album: "Album"))
        session.manual.decks.report(track, of: url.path)
        for await update in session.player.trackUpdates where update == track { break }
        #expect(await session.player.currentTrack == track)
    }
}
