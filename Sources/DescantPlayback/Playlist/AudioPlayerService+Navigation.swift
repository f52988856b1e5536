internal import DescantCore
public import Foundation

extension AudioPlayerService {
    /// Moves on to the next track that can be opened, with a crossfade; silently when paused.
    ///
    /// At the end of the playlist the first track follows if the playlist is repeated; otherwise the player fades out and
    /// finishes.
    ///
    /// - Throws: ``AudioPlayerError/emptyPlaylist``, ``AudioPlayerError/crossfadeInProgress``, ``AudioPlayerError/invalidState(current:attempted:)``
    ///   while fading out, or the error of the last track tried; nothing was changed then.
    public func nextTrack() async throws {
        try await command {
            try await checkNavigation(.next)
            let wraps = configuration.repeatMode == .playlist
            let route = queue.playlist.route(after: navigationOrigin, wrapping: wraps)
            guard route.length > 0 else { return await stopMain(fade: nil, then: .finished) }
            try await navigate(route)
        }
    }

    /// Moves back to the previous track that can be opened, with a crossfade; silently when paused.
    ///
    /// At the beginning of the playlist the last track follows if the playlist is repeated; otherwise the first one starts
    /// again.
    ///
    /// - Throws: As ``nextTrack()``.
    public func previousTrack() async throws {
        try await command {
            try await checkNavigation(.previous)
            try await navigate(routeBack)
        }
    }

    /// Moves to a track of the playlist, with a crossfade; silently when paused. Starts a player that does not play.
    ///
    /// In a shuffled playlist the track comes right behind what was played; a player that did not play begins a new round
    /// with it.
    ///
    /// - Parameter index: The track's index.
    /// - Throws: ``AudioPlayerError/invalidPlaylistIndex(index:count:)``, the error of a file that cannot be opened, or as
    ///   ``nextTrack()``; nothing was changed then.
    public func jumpToTrack(at index: Int) async throws {
        try await command { try await jump(to: index) }
    }

    /// Puts another file in the place of the current track: with a crossfade while playing, silently when paused.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - crossfadeDuration: Overlap in seconds, clamped to 1…30, then shortened as every crossfade.
    /// - Throws: ``AudioPlayerError/noActiveTrack``, ``AudioPlayerError/crossfadeInProgress``, or the file's error; nothing was changed
    ///   then.
    public func replaceTrack(url: URL, crossfadeDuration: TimeInterval = 5) async throws {
        try await command {
            try await checkNavigation(.replace)
            let index = queue.playlist.currentIndex
            var edited = queue.playlist
            edited.replace(at: index, with: url)
            try await enter(&edited, on: edited.route(only: index), over: crossfadeDuration.clamped(to: 1...30))
            post(.playlistChanged(count: queue.playlist.count))
        }
    }

    /// Puts other tracks in the place of the playlist: its first track that can be opened follows with a crossfade while playing,
    /// silently when paused. A player that does not play takes the tracks and stays silent.
    ///
    /// - Parameters:
    ///   - tracks: The tracks; not empty.
    ///   - crossfadeDuration: Overlap in seconds, clamped to 1…30, then shortened as every crossfade.
    /// - Throws: ``AudioPlayerError/emptyPlaylist``, ``AudioPlayerError/crossfadeInProgress``,
    ///   ``AudioPlayerError/invalidState(current:attempted:)`` while fading out, or the error of the last track tried; nothing was
    ///   changed then.
    public func swapPlaylist(tracks: [URL], crossfadeDuration: TimeInterval = 5) async throws {
        guard !tracks.isEmpty else { throw AudioPlayerError.emptyPlaylist }
        let loaded = Playlist(tracks)
        try await command {
            try PlayerCommand.swap.check(in: state)
            try await refuseDuringCrossfade()
            var swapped = queue.ordered(loaded, startingAt: nil)
            if main.current != nil {
                let route = swapped.route(startingAt: swapped.currentIndex)
                try await enter(&swapped, on: route, over: crossfadeDuration.clamped(to: 1...30))
            } else {
                queue.playlist = swapped
            }
            queue.repeatCount = 0
            post(.playlistChanged(count: tracks.count))
        }
    }

    // MARK: Looking ahead

    /// The track that ``nextTrack()`` would try first; `nil` when there is none and the player would finish.
    public func peekNextTrack() async -> URL? {
        guard !queue.playlist.isEmpty else { return nil }
        let route = queue.playlist.route(after: navigationOrigin, wrapping: configuration.repeatMode == .playlist)
        return route.first.map { queue.playlist[$0.index].url }
    }

    /// The track that ``previousTrack()`` would try first; `nil` without tracks.
    public func peekPreviousTrack() async -> URL? {
        guard !queue.playlist.isEmpty else { return nil }
        return routeBack.first.map { queue.playlist[$0.index].url }
    }

    /// The track that follows the present one by itself, as far as it can be opened; `nil` when the player would finish.
    /// Unlike ``peekNextTrack()`` this obeys the repeat mode and count.
    public func peekFollowingTrack() async -> URL? {
        guard main.current != nil, state.isActive else { return nil }
        if let deferred = main.deferred { return deferred.item.url }
        return followUpRoute(after: nil).first.map { queue.playlist[$0.index].url }
    }

    // MARK: Shuffle

    /// Plays the playlist in an order drawn by chance, or as it lies.
    ///
    /// The order begins with the current track. Tracks that are added enter what comes, and ``previousTrack()`` goes back through
    /// what was played. A repeated playlist is played in a new order every round, which never begins with the track that was
    /// just heard; it follows from the seed too. Indices stay those of the playlist. Playlists that are loaded while the
    /// player shuffles are shuffled too.
    ///
    /// - Parameters:
    ///   - isOn: Whether to shuffle; calling it again draws a new order.
    ///   - seed: Decides on the order: the same tracks, edits and seed give the same order everywhere. `nil` draws one.
    /// - Returns: The seed in use; `nil` when not shuffling.
    @discardableResult
    public func setShuffle(_ isOn: Bool, seed: UInt64? = nil) async -> UInt64? {
        await serially {
            queue.setShuffle(seed: isOn ? seed ?? UInt64.random(in: .min ... .max) : nil)
            await planFollowUp()
            return queue.shuffleSeed
        }
    }

    /// The seed of the order of playing; `nil` while the player does not shuffle.
    public func getShuffleSeed() async -> UInt64? { queue.shuffleSeed }

    // MARK: Steps

    /// The index that "next" and "previous" count from.
    var navigationOrigin: Int {
        main.deferred.flatMap { queue.playlist.index(of: $0.item.id, near: $0.index) } ?? queue.playlist.currentIndex
    }

    /// The way that ``previousTrack()`` goes.
    private var routeBack: PlaylistRoute {
        let route = queue.playlist.route(before: navigationOrigin, wrapping: configuration.repeatMode == .playlist)
        return route.length > 0 ? route : queue.playlist.route(only: navigationOrigin)
    }

    func jump(to index: Int) async throws {
        try checkIndex(index)
        try await checkNavigation(.jump)
        try await navigate(queue.playlist.route(only: index, isJump: true))
    }

    private func checkNavigation(_ command: PlayerCommand) async throws {
        try command.check(in: state)
        guard !queue.playlist.isEmpty else { throw AudioPlayerError.emptyPlaylist }
        try await refuseDuringCrossfade()
    }

    private func refuseDuringCrossfade() async throws {
        if configuration.transitionInterruption == .reject, await isCrossfading() {
            throw AudioPlayerError.crossfadeInProgress
        }
    }

    /// Lets an edited playlist take the place of the present one, and its first playable track on a route follow.
    private func enter(_ edited: inout Playlist, on route: PlaylistRoute, over wanted: TimeInterval) async throws {
        let track = try await openFirst(on: route, of: edited)
        edited.select(track.index)
        let original = queue.playlist
        queue.playlist = edited
        do {
            try await change(to: track, over: wanted)
        } catch {
            queue.playlist = original
            await planFollowUp()
            throw error
        }
    }

    private func navigate(_ route: PlaylistRoute) async throws {
        let before = state
        if main.current == nil { setState(.preparing) }
        do {
            let track = try await obtain(route)
            try await change(to: track, over: configuration.crossfadeDuration)
        } catch {
            setState(before)
            throw error
        }
    }

    /// Whether two tracks overlap.
    func isCrossfading() async -> Bool {
        await engine.status(of: engine.mainLayer).isCrossfading
    }

    /// Makes an opened track the current one, as the state demands: with a crossfade, silently, or from silence.
    ///
    /// - Parameters:
    ///   - track: An opened track of the present playlist.
    ///   - wanted: The crossfade asked for, in seconds.
    func change(to track: OpenTrack, over wanted: TimeInterval) async throws {
        if await engine.status(of: engine.mainLayer).deck == track.deck {
            // The engine went on to this very track in the same instant.
            return await advance(to: track)
        }
        if state == .playing, configuration.transitionInterruption == .fastForward, await isCrossfading() {
            return await postpone(track, over: wanted)
        }
        let beginsRound = track.stop.isJump && main.current == nil
        try await start(track, entry: entry(of: track, over: wanted))
        if beginsRound { queue.playlist.beginRound(with: track.index) } else { queue.playlist.follow(track.stop) }
        await settle(on: track)
    }

    private func entry(of track: OpenTrack, over wanted: TimeInterval) -> DeckEntry {
        guard let current = main.current else { return configuration.startEntry }
        guard state == .playing else { return .cut }
        return settings.transitionRule.entry(wanted, from: current.info, to: track.info)
    }

    /// Hurries the running crossfade and lets a track in at its end.
    private func postpone(_ track: OpenTrack, over wanted: TimeInterval) async {
        await discardDeferred()
        await withdrawPrepared()
        main.deferred = track
        if let current = main.current {
            let length = settings.transitionRule.overlap(wanted, from: current.info, to: track.info)
            await decide(.deck(track.deck, .afterCrossfade(length, curve: configuration.fadeCurve)))
        }
        await engine.shortenCrossfade(engine.mainLayer, within: 0.3)
    }

    func discardDeferred() async {
        guard let deferred = main.deferred else { return }
        await decide(.undecided)
        main.deferred = nil
        hubs.remote.post(.updated)
        main.withdrawn = deferred
        await engine.closeDeck(deferred.deck)
    }

    /// Starts a deck on the main layer; what was to follow is forgotten.
    ///
    /// - Parameters:
    ///   - track: An opened track.
    ///   - entry: How it comes in.
    ///   - resumes: Whether a paused player plays again.
    ///   - mixes: Whether other programs may play beside; `nil` for what the configuration says.
    /// - Throws: ``AudioPlayerError``; the deck is closed and the layer plays on as before.
    func start(_ track: OpenTrack, entry: DeckEntry, resumes: Bool = false, mixes: Bool? = nil) async throws {
        commands.countUserCommand()
        let goesOn = resumes && state == .paused
        do {
            // A pause may have ended the player's part of the session.
            if main.current == nil || goesOn { try await activateSession(mixes: mixes) }
            try await engine.play(track.deck, on: engine.mainLayer, entry: entry, loop: nil)
        } catch {
            await engine.closeDeck(track.deck)
            if main.current == nil {
                await deactivateSession("failed")
            } else if goesOn {
                await session?.paused(sessionClient)
            }
            main.decided = .undecided
            await planFollowUp()
            throw AudioPlayerError(sounding: error)
        }
        main.begin(track)
        main.failuresInARow = 0
        await discardDeferred()
        await withdrawPrepared()
        if goesOn, state == .paused { await resumeForNewTrack() }
    }

    private func resumeForNewTrack() async {
        do {
            try await engine.resume(engine.mainLayer, ramp: 0)
            setState(.playing)
        } catch {
            // The new track is there, frozen at its beginning; `resume()` tries again.
            report(AudioPlayerError(sounding: error))
        }
    }

    /// Posts the new current track and prepares the one that follows.
    func settle(on track: OpenTrack) async {
        if track.stop.isRepeat {
            queue.repeatCount += 1
            post(.repeated(count: queue.repeatCount))
        }
        postTrack(track.info)
        postBeginning(of: track.item.id)
        if state != .paused { setState(.playing) }
        positionJumped()
        if settings.sleep.isSet { await planOverlayStops() }
        await planFollowUp()
    }
}
