internal import DescantCore
public import Foundation

extension AudioPlayerService {
    /// Moves on to the next track that can be opened, with a crossfade; silently when paused.
    ///
    /// At the end of the playlist the first track follows if the playlist is repeated; otherwise the player fades out and
    /// finishes. Repetitions count from 0 again, as after every move by a call.
    ///
    /// - Throws: ``AudioPlayerError/emptyPlaylist``, ``AudioPlayerError/crossfadeInProgress``, ``AudioPlayerError/invalidState(current:attempted:)``
    ///   while fading out, the error of the last track tried, or `CancellationError` when a stop or ``jumpToTrack(at:)`` has come while the
    ///   track was opened; nothing was changed then.
    public func nextTrack() async throws {
        try await navigate(.next) {
            let wraps = configuration.repeatMode == .playlist
            let route = queue.playlist.route(after: navigationOrigin, wrapping: wraps)
            if route.length == 0 { await stopMain(fade: nil, then: .finished) }
            return route
        }
    }

    /// Moves back to the previous track that can be opened, with a crossfade; silently when paused.
    ///
    /// At the beginning of the playlist the last track follows if the playlist is repeated; otherwise the first one starts
    /// again.
    ///
    /// - Throws: As ``nextTrack()``.
    public func previousTrack() async throws {
        try await navigate(.previous) { routeBack }
    }

    /// Moves to a track of the playlist, with a crossfade; silently when paused. Starts a player that does not play.
    ///
    /// In a shuffled playlist the track comes right behind what was played; a player that did not play begins a new round
    /// with it.
    ///
    /// A track that an earlier call of this method, ``nextTrack()`` or ``previousTrack()`` is still opening is not waited for: that call ends
    /// with a `CancellationError`, also when the file of this one cannot be opened.
    ///
    /// - Parameter index: The track's index.
    /// - Throws: ``AudioPlayerError/invalidPlaylistIndex(index:count:)``, the error of a file that cannot be opened, or as
    ///   ``nextTrack()``; nothing else was changed then.
    public func jumpToTrack(at index: Int) async throws {
        try await navigate(.jump, overtakes: queue.playlist.contains(index)) {
            try checkIndex(index)
            return queue.playlist.route(only: index, isJump: true)
        }
    }

    /// Chooses the track that a player begins with which does not play, for instance where a person had stopped the last time. Nothing is
    /// opened or heard; the play command of a remote control begins there, and ``nextTrack()`` and ``previousTrack()`` count from there.
    ///
    /// - Parameter index: The track's index. In a shuffled playlist a new round begins with it.
    /// - Throws: ``AudioPlayerError/invalidPlaylistIndex(index:count:)``, or ``AudioPlayerError/invalidState(current:attempted:)`` while a
    ///   track plays, is paused or fades out: use ``jumpToTrack(at:)`` then.
    public func selectTrack(at index: Int) async throws {
        try await command {
            try PlayerCommand.select.check(in: state)
            try checkIndex(index)
            queue.playlist.beginRound(with: index)
            hubs.remote.post(.updated)
        }
    }

    /// Puts another file in the place of the current track: with a crossfade while playing, silently when paused. Repetitions count
    /// from 0 again.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - crossfadeDuration: Overlap in seconds, clamped to 1…30, then shortened as every crossfade.
    /// - Throws: ``AudioPlayerError/noActiveTrack``, ``AudioPlayerError/crossfadeInProgress``, or the file's error; nothing was changed
    ///   then.
    public func replaceTrack(url: URL, crossfadeDuration: TimeInterval = 5) async throws {
        try await opening(for: .main) { call in
            try await serially { try await checkNavigation(.replace) }
            let info = try await openDeck(url, for: call)
            try await commit(info.id, of: call) {
                // Another track may have become the current one while the file was opened.
                try await checkNavigation(.replace)
                var edited = queue.playlist
                let index = edited.currentIndex
                edited.replace(at: index, with: url)
                let stop = PlaylistRoute.Stop(index: index, isRepeat: false)
                let track = OpenTrack(item: edited[index], stop: stop, deck: info.id, info: info.track)
                try await change(to: track, over: crossfadeDuration.clamped(to: 1...30), in: edited)
                post(.playlistChanged(count: queue.playlist.count))
            }
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
        try await opening(for: .main) { call in
            let plan = try await serially { () -> OrderedPlaylist? in
                try await checkSwap()
                return main.current == nil ? nil : OrderedPlaylist(loaded, startingAt: nil, in: queue)
            }
            guard let plan else { return await serially { takeSilently(loaded) } }
            let track = try await openFirst(on: plan.route, of: plan.playlist, for: call)
            try await commit(track.deck, of: call) {
                try await checkSwap()
                let playlist = plan.beginning(with: track.index, in: queue)
                guard main.current != nil else {
                    // Playing has ended meanwhile.
                    await engine.closeDeck(track.deck)
                    return takeSilently(loaded)
                }
                try await change(to: track, over: crossfadeDuration.clamped(to: 1...30), in: playlist)
                post(.playlistChanged(count: tracks.count))
            }
        }
    }

    private func checkSwap() async throws {
        try PlayerCommand.swap.check(in: state)
        try await refuseDuringCrossfade()
    }

    /// Lets a playlist take the place of the present one while nothing plays.
    private func takeSilently(_ playlist: Playlist) {
        queue.playlist = queue.ordered(playlist, startingAt: nil)
        queue.repeatCount = 0
        post(.playlistChanged(count: playlist.count))
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

    /// Moves to the first playable track on a route: at once if it is open already, otherwise as soon as it is.
    ///
    /// - Parameters:
    ///   - command: The call, for its errors.
    ///   - position: Where a track begins when none plays, in seconds.
    ///   - overtakes: Whether moves that are still opening their tracks are ended.
    ///   - findRoute: Determines the route; an empty one or `nil` leads nowhere.
    /// - Throws: The command's error or that of the last track tried; nothing was changed then.
    func navigate(
        _ command: PlayerCommand, at position: (URL) -> TimeInterval = { _ in 0 }, overtakes: Bool = false,
        to findRoute: () async throws -> PlaylistRoute?
    ) async throws {
        let pauses = overtakes ? commands.abandonMoves(isSilent: main.current == nil) : nil
        let number = commands.overtakings
        do {
            try await opening(for: .main, isMove: true, pauses: pauses) { call in
                let search = try await serially { () -> TrackSearch? in
                    try await checkNavigation(command)
                    guard let route = try await findRoute(), route.length > 0 else { return nil }
                    if let track = await takePrepared(route) {
                        commands.countUserCommand()
                        try await change(to: track, over: configuration.crossfadeDuration, isMove: true)
                        return nil
                    }
                    beginPreparing(for: call)
                    return TrackSearch(route: route, playlist: queue.playlist, origin: main.current?.deck)
                }
                guard let search else { return }
                do {
                    let track = try await openFirst(on: search.route, of: search.playlist, for: call)
                    try await commit(track.deck, of: call) {
                        try await checkNavigation(command)
                        try await arrive(at: track, from: search.origin, position(track.item.url))
                    }
                } catch {
                    // The move that has overtaken this one goes on preparing.
                    if commands.isOvertaken(call) { commands.handOverPreparation() }
                    await serially { await endPreparing() }
                    throw error
                }
            }
        } catch {
            if overtakes { await serially { await endOvertaken(by: number) } }
            throw error
        }
        if overtakes { await serially { await endOvertaken(by: number) } }
    }

    /// Makes the track current that a move has opened, at the index that it has now.
    private func arrive(at track: OpenTrack, from origin: DeckID?, _ position: TimeInterval) async throws {
        // A track that was removed meanwhile is not played.
        guard let index = queue.playlist.index(of: track.item.id, near: track.index) else { throw CancellationError() }
        var track = track
        track.stop.index = index
        if let current = main.current, current.deck != origin, current.item.id == track.item.id {
            // It has followed by itself while it was opened for this call.
            return await engine.closeDeck(track.deck)
        }
        try await change(to: track, over: configuration.crossfadeDuration, isMove: true, at: position)
    }

    /// Notes that a track is being opened that is to play as soon as it is open.
    func beginPreparing(for call: OpeningCall) {
        // What was played while the overtaken move opened its track may have ended since.
        let overtaken = commands.takeStateBefore()
        let isPreparing = main.current == nil && (state == .preparing || state == .paused)
        commands.preparation = PlayerCommands.Preparation(
            call: call, stateBefore: isPreparing ? overtaken ?? state : state)
        showPreparing(for: call)
    }

    /// Shows that nothing else plays meanwhile. The track begins paused when a pause came after the call.
    private func showPreparing(for call: OpeningCall) {
        guard main.current == nil else { return }
        guard let pause = commands.pause(after: call) else { return setState(.preparing) }
        // A player that does not play becomes paused by way of preparing, as documented.
        if !state.isActive { setState(.preparing) }
        setState(.paused)
        if pause.isOfEverything { pausedLayers.insert(engine.mainLayer) }
    }

    /// Goes on preparing a track when what was played meanwhile has ended.
    func continuePreparing() {
        guard let call = commands.preparation?.call, commands.isWanted(call) else { return }
        commands.preparation?.stateBefore = state
        showPreparing(for: call)
    }

    /// Returns to the state without the track that was to play and could not be opened.
    func endPreparing() async {
        guard let before = commands.preparation?.stateBefore, commands.overtaken == nil else { return }
        await leavePreparing(for: before)
    }

    /// Returns to the state before moves that were overtaken, when the one that has overtaken them prepares no track. If that was overtaken,
    /// too, the next one does it.
    private func endOvertaken(by number: UInt64) async {
        guard number == commands.overtakings, commands.preparation == nil, let before = commands.takeStateBefore()
        else { return }
        await leavePreparing(for: before)
    }

    private func leavePreparing(for before: PlayerState) async {
        guard main.current == nil, state == .preparing || state == .paused else { return }
        setState(before)
        await deactivateSilentSession("failed")
    }

    /// Whether two tracks overlap.
    func isCrossfading() async -> Bool {
        await engine.status(of: engine.mainLayer).isCrossfading
    }
}

/// The tracks that a move tries to open, and what was played when it came.
private struct TrackSearch {
    let route: PlaylistRoute
    let playlist: Playlist
    /// The deck that was played.
    let origin: DeckID?
}
