internal import DescantCore
internal import Foundation

/// The change to an opened track: with a crossfade, silently, or from silence.
extension AudioPlayerService {
    /// Makes an opened track the current one, as the state demands: with a crossfade, silently, or from silence.
    ///
    /// - Parameters:
    ///   - track: An opened track.
    ///   - wanted: The crossfade asked for, in seconds.
    ///   - playlist: The playlist that takes the place of the present one; `nil` for none.
    ///   - isMove: Whether a call asks for another track: repetitions then count from 0. So they do with another playlist.
    ///   - position: Where the track begins when none plays, in seconds.
    /// - Throws: ``AudioPlayerError``; the player goes on as before and the deck is closed.
    func change(
        to track: OpenTrack, over wanted: TimeInterval, in playlist: Playlist? = nil, isMove: Bool = false,
        at position: TimeInterval = 0
    ) async throws {
        var track = track
        if isMove { track.stop.isRepeat = false }
        if await engine.status(of: engine.mainLayer).deck == track.deck {
            // The engine went on to this very track in the same instant.
            if isMove { queue.repeatCount = 0 }
            return await advance(to: track)
        }
        if state == .playing, configuration.transitionInterruption == .fastForward, await isCrossfading() {
            take(playlist, startingAt: track, isMove: isMove)
            return await postpone(track, over: wanted)
        }
        let beginsRound = track.stop.isJump && main.current == nil
        let beginning = main.current == nil ? position : 0
        try await start(track, entry: entry(of: track, over: wanted), at: beginning)
        if beginning > 0 { main.seek(to: beginning) }
        take(playlist, startingAt: track, isMove: isMove)
        if beginsRound { queue.playlist.beginRound(with: track.index) } else { queue.playlist.follow(track.stop) }
        await settle(on: track)
    }

    private func take(_ playlist: Playlist?, startingAt track: OpenTrack, isMove: Bool) {
        if isMove || playlist != nil { queue.repeatCount = 0 }
        guard var playlist else { return }
        playlist.select(track.index)
        queue.playlist = playlist
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
        await applyReplayGain(to: track.deck, track.info)
        main.deferred = track
        hubs.remote.post(.updated)
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
    ///   - position: Where the track begins to sound, in seconds. A position above 0 is for a layer that is idle.
    /// - Throws: ``AudioPlayerError``; the deck is closed and the layer plays on as before.
    func start(
        _ track: OpenTrack, entry: DeckEntry, resumes: Bool = false, mixes: Bool? = nil, at position: TimeInterval = 0
    ) async throws {
        let goesOn = resumes && state == .paused
        // A pause came while the file was opened; a layer without a deck cannot be paused.
        let beginsPaused = main.current == nil && state == .paused && !goesOn
        let changesOptions = state != .paused && mixes != nil && mixes != configuration.mixWithOthers
        do {
            // A pause may have ended the player's part of the session.
            if main.current == nil || goesOn || changesOptions { try await activateSession(mixes: mixes) }
            if position > 0 {
                await engine.setTrackGain(0, of: track.deck, ramp: 0)
            } else {
                await applyReplayGain(to: track.deck, track.info)
            }
            try await engine.play(track.deck, on: engine.mainLayer, entry: entry, loop: nil)
            if position > 0 { try await skipBeginning(of: track, to: position) }
            if beginsPaused { await engine.pause(engine.mainLayer, ramp: 0) }
        } catch {
            await engine.closeDeck(track.deck)
            if main.current == nil {
                await deactivateSilentSession("failed")
            } else if goesOn {
                await pauseSession()
            } else if changesOptions {
                try? await activateSession()
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

    /// Moves a track that was started without gain, and gives it its gain: what lies before the position is not heard. A track that
    /// cannot be moved begins at its beginning.
    private func skipBeginning(of track: OpenTrack, to position: TimeInterval) async throws {
        await engine.pause(engine.mainLayer, ramp: 0)
        do {
            try await engine.seek(engine.mainLayer, to: position, fade: 0)
        } catch CoreError.unsupported(let reason) {
            logger.info("player: begins at the beginning: \(reason)")
        }
        await engine.setTrackGain(replayGain.gain(for: track.info.replayGain), of: track.deck, ramp: 0)
        try await engine.resume(engine.mainLayer, ramp: 0)
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
        if state != .paused {
            // What was fading out may have ended while this track was being opened.
            if !state.isActive { setState(.preparing) }
            setState(.playing)
        }
        positionJumped()
        if settings.sleep.isSet { await planOverlayStops() }
        await planFollowUp()
    }
}
