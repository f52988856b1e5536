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
            let route = playlist.route(after: navigationOrigin, wrapping: wraps)
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
            let wraps = configuration.repeatMode == .playlist
            var route = playlist.route(before: navigationOrigin, wrapping: wraps)
            if route.length == 0 { route = playlist.route(only: navigationOrigin) }
            try await navigate(route)
        }
    }

    /// Moves to a track of the playlist, with a crossfade; silently when paused. Starts a player that does not play.
    ///
    /// - Parameter index: The track's index.
    /// - Throws: ``AudioPlayerError/invalidPlaylistIndex(index:count:)``, the error of a file that cannot be opened, or as
    ///   ``nextTrack()``; nothing was changed then.
    public func jumpToTrack(at index: Int) async throws {
        try await command {
            try checkIndex(index)
            try await checkNavigation(.jump)
            try await navigate(playlist.route(only: index))
        }
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
            let index = playlist.currentIndex
            var edited = playlist
            edited.replace(at: index, with: url)
            let track = try await openFirst(on: edited.route(only: index), of: edited)
            let original = playlist
            playlist = edited
            do {
                try await change(to: track, over: crossfadeDuration.clamped(to: 1...30))
            } catch {
                playlist = original
                await planFollowUp()
                throw error
            }
        }
    }

    // MARK: Steps

    /// The index that "next" and "previous" count from.
    private var navigationOrigin: Int {
        line.deferred.flatMap { playlist.index(of: $0.item.id, near: $0.index) } ?? playlist.currentIndex
    }

    private func checkNavigation(_ command: PlayerCommand) async throws {
        try command.check(in: state)
        guard !playlist.isEmpty else { throw AudioPlayerError.emptyPlaylist }
        if configuration.transitionInterruption == .reject, await isCrossfading() {
            throw AudioPlayerError.crossfadeInProgress
        }
    }

    private func navigate(_ route: PlaylistRoute) async throws {
        let before = state
        if line.current == nil { setState(.preparing) }
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
            return await postpone(track)
        }
        try await start(track, entry: entry(of: track, over: wanted))
        playlist.select(track.index)
        await settle(on: track)
    }

    private func entry(of track: OpenTrack, over wanted: TimeInterval) -> DeckEntry {
        guard let current = line.current else { return configuration.startEntry }
        guard state == .playing else { return .cut }
        return transitionRule.entry(wanted, from: current.info, to: track.info)
    }

    /// How tracks follow each other with the present settings.
    var transitionRule: TransitionRule { TransitionRule(configuration: configuration, rate: rate) }

    /// Hurries the running crossfade and keeps a track for its end. Should the incoming track end first, it follows too.
    private func postpone(_ track: OpenTrack) async {
        await discardDeferred()
        await withdrawPrepared()
        line.deferred = track
        if let current = line.current {
            await decide(.deck(track.deck, transitionRule.join(from: current.info, to: track.info)))
        }
        await engine.hastenCrossfade(engine.mainLayer, within: 0.3)
    }

    func discardDeferred() async {
        guard let deferred = line.deferred else { return }
        await decide(.undecided)
        line.deferred = nil
        await engine.closeDeck(deferred.deck)
    }

    /// Starts a deck on the main layer; what was to follow is forgotten.
    ///
    /// - Parameters:
    ///   - track: An opened track.
    ///   - entry: How it comes in.
    ///   - resumes: Whether a paused player plays again.
    /// - Throws: ``AudioPlayerError``; the deck is closed and the line goes on as before.
    func start(_ track: OpenTrack, entry: DeckEntry, resumes: Bool = false) async throws {
        do {
            try await engine.play(track.deck, on: engine.mainLayer, entry: entry, loop: nil)
        } catch {
            await engine.closeDeck(track.deck)
            line.decided = .undecided
            await planFollowUp()
            throw AudioPlayerError(sounding: error)
        }
        line.begin(track)
        await discardDeferred()
        await withdrawPrepared()
        if resumes, state == .paused { await resumeForNewTrack() }
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

    /// Tells everybody about the new current track and prepares the one that follows.
    func settle(on track: OpenTrack) async {
        if track.isRepeat {
            repeatCount += 1
            post(.repeated(count: repeatCount))
        }
        trackHub.post(track.info)
        if state != .paused { setState(.playing) }
        positionJumped()
        await planFollowUp()
    }
}
