internal import DescantCore
internal import Foundation

extension AudioPlayerService {
    /// Decides what follows the current track at its natural end: at once if the next track is open already, otherwise as
    /// soon as it is. Called whenever a track starts and whenever something changes that the decision rests on.
    ///
    /// - Parameter base: The index to go on from; `nil` for the current one.
    func planFollowUp(after base: Int? = nil) async {
        queue.search.cancel()
        guard let current = main.current, state.isActive, main.deferred == nil else { return }
        main.followUpError = nil
        let route = followUpRoute(after: base)
        guard let first = route.first else {
            await withdrawPrepared()
            return await decide(.nothing)
        }
        if playsRemovedTrack, let track = await takePrepared(route) { return await leaveRemovedTrack(for: track) }
        if var prepared = main.prepared, prepared.item.id == queue.playlist[first.index].id {
            prepared.stop = first
            main.prepared = prepared
            let join = settings.transitionRule.join(from: current.info, to: prepared.info)
            return await decide(.deck(prepared.deck, join))
        }
        await withdrawPrepared()
        await decide(.undecided)
        let number = queue.search.number
        queue.search.began(Task { [weak self] in await self?.openFollowUp(on: route, number: number) })
    }

    /// The tracks that may follow at a natural end.
    func followUpRoute(after base: Int?) -> PlaylistRoute {
        let index = base ?? queue.playlist.currentIndex
        let mayRepeat = configuration.repeatCount.map { queue.repeatCount < $0 } ?? true
        // The track that has taken the index of the removed one follows.
        if base == nil, playsRemovedTrack {
            return queue.playlist.route(startingAt: index, wrapping: configuration.repeatMode == .playlist && mayRepeat)
        }
        // When every track could be opened but none could be read, another round would fail as well.
        guard queue.playlist.contains(index), main.failuresInARow < queue.playlist.count,
            settings.sleep.timer != .endOfTrack
        else {
            return .none
        }
        switch configuration.repeatMode {
        case .off: return queue.playlist.route(after: index, wrapping: false)
        case .singleTrack:
            return mayRepeat && base == nil ? queue.playlist.route(only: index, isRepeat: true) : .none
        case .playlist: return queue.playlist.route(after: index, wrapping: mayRepeat)
        }
    }

    /// Opens the first playable track of a route, outside the sequence of commands, so that a slow file holds up none.
    private func openFollowUp(on route: PlaylistRoute, number: UInt64) async {
        var failure: AudioPlayerError?
        for stop in route {
            // A change of the playlist changes the number, so the indices are valid.
            guard number == queue.search.number else { return }
            let item = queue.playlist[stop.index]
            do {
                let source = try await queue.trackSources?.audioSource(for: item.url) ?? .url(item.url)
                let info = try await engine.openDeck(source, gain: 1, isClip: false)
                await applyEffects(to: info.id, of: item.url)
                let track = OpenTrack(item: item, stop: stop, deck: info.id, info: info.track)
                return await serially { await accept(track, number: number) }
            } catch {
                guard number == queue.search.number else { return }
                let error = AudioPlayerError(error, playing: item.url)
                report(error, of: item.url)
                failure = error
            }
        }
        await serially { await giveUpFollowUp(failure, number: number) }
    }

    /// Tells the engine about the track that was opened, unless it is not wanted any more.
    private func accept(_ track: OpenTrack, number: UInt64) async {
        guard number == queue.search.number, let current = main.current else {
            return await engine.closeDeck(track.deck)
        }
        queue.search.finished()
        await applyReplayGain(to: track.deck, track.info)
        if playsRemovedTrack { return await leaveRemovedTrack(for: track) }
        main.prepared = track
        await decide(.deck(track.deck, settings.transitionRule.join(from: current.info, to: track.info)))
        await applyEarlyInfo(of: track.deck)
    }

    /// Notes that none of the tracks left can be opened.
    private func giveUpFollowUp(_ failure: AudioPlayerError?, number: UInt64) async {
        guard number == queue.search.number else { return }
        queue.search.finished()
        if playsRemovedTrack, let failure { return await fail(failure) }
        main.followUpError = failure
        await decide(.nothing)
    }

    /// Tells the engine what follows.
    func decide(_ followUp: FollowUp) async {
        guard main.decided != followUp else { return }
        do {
            try await engine.setFollowUp(followUp, on: engine.mainLayer)
            main.decided = followUp
        } catch {
            main.decided = .undecided
            report(AudioPlayerError(sounding: error))
        }
    }

    /// Takes the prepared track back and ends the search for another one.
    func withdrawPrepared() async {
        queue.search.cancel()
        guard let prepared = main.prepared else { return }
        await decide(.undecided)
        main.prepared = nil
        main.withdrawn = prepared
        await engine.closeDeck(prepared.deck)
    }
}
