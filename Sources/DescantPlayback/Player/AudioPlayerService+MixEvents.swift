internal import DescantCore
internal import Foundation

extension AudioPlayerService {
    /// Reacts to something that happened in the mix.
    func receive(_ event: MixEvent) async {
        // A call that opens a file does not delay events of the output.
        guard !outputReceived(event) else { return }
        if let layer = event.layer, layer != engine.mainLayer {
            await sideReceived(event, on: layer)
        } else {
            await serially { await mainReceived(event) }
        }
    }

    private func sideReceived(_ event: MixEvent, on layer: LayerID) async {
        if let id = overlays.id(of: layer) {
            await overlaySerially(id) { await overlayReceived(event, id) }
        } else {
            await effectReceived(event)
        }
    }

    private func mainReceived(_ event: MixEvent) async {
        switch event.kind {
        case .deckStarted(let deck): await deckStarted(deck, at: event.frame)
        case .deckEnded(let deck, let end): await deckEnded(deck, end, at: event.frame)
        case .crossfadeStarted(let from, let to, let frames):
            main.crossfade = (to, frames)
            postTransition(.crossfade, from: from, to: to, frames: frames, at: event.frame)
            followCrossfade()
        case .crossfadeEnded(let deck): crossfadeEnded(deck, at: event.frame)
        case .joined(let from, let to): postTransition(.gapless, from: from, to: to, frames: 0, at: event.frame)
        case .paused, .resumed: await followEngine()
        case .didSeek(let deck, let position): didSeek(deck, position, at: event.frame)
        case .idle: await mainFellSilent()
        case .buffering(let deck, let percent):
            if deck == main.current?.deck {
                main.waiting = percent < 100 ? deck : nil
                post(.buffering(percent: percent), at: event.frame)
            }
        case .trackInfoChanged(let deck, let info): await trackInfoChanged(info, of: deck)
        case .plannedStopBegan(let frames): await plannedStopBegan(frames: frames, at: event.frame)
        case .loopPassEnded, .cue, .starved: break
        default: post(.mix(event.kind), at: event.frame)
        }
    }

    // MARK: Decks

    private func deckStarted(_ deck: DeckID, at frame: Int64) async {
        guard let track = main.track(on: deck) else { return }
        if deck == main.prepared?.deck || deck == main.deferred?.deck {
            await advance(to: track)
        } else if deck == main.withdrawn?.deck, main.current?.deck != deck {
            // Taken back too late, or begun and replaced since: what sounds now tells.
            guard await engine.status(of: engine.mainLayer).deck == deck else { return }
            await advance(to: track)
        }
        let index = deck == main.current?.deck ? queue.playlist.currentIndex : track.index
        post(.trackStarted(track.item.url, index: index, track: track.info), at: frame)
    }

    /// Follows the engine, which has gone on to another track by itself.
    func advance(to track: OpenTrack) async {
        guard main.current != nil else { return }
        main.withdrawn = nil
        main.begin(track)
        guard state != .fadingOut else { return postTrack(track.info) }
        guard let index = queue.playlist.index(of: track.item.id, near: track.index) else {
            return queue.playlist.isEmpty ? await stopMain(fade: nil, then: .finished) : await planFollowUp()
        }
        var stop = track.stop
        stop.index = index
        queue.playlist.follow(stop)
        await settle(on: track)
    }

    private func deckEnded(_ deck: DeckID, _ end: MixEvent.DeckEnd, at frame: Int64) async {
        guard let track = main.end(deck) else { return await preparedFailed(deck, end, at: frame) }
        switch end {
        case .finished: main.failuresInARow = 0
        case .truncated(let position, let error):
            report(AudioPlayerError(reading: error, of: track.item.url, at: position), of: track.item.url, at: frame)
        case .failed(let position, let reason):
            let error = AudioPlayerError(reading: reason, of: track.item.url, at: position)
            report(error, of: track.item.url, at: frame)
            main.failuresInARow = position > 0 ? 0 : main.failuresInARow + 1
            guard deck == main.current?.deck else { break }
            main.currentError = error
            if case .ioError = reason { main.brokenOff = (track.item.url, position) }
        case .replaced: break
        }
        post(.trackEnded(track.item.url), at: frame)
        // The engine waits in silence for the track that is still being opened.
        if deck == main.current?.deck, queue.search.isRunning, state == .playing { setState(.preparing) }
    }

    /// A deck that was to follow cannot be read after all: the search goes on behind it.
    private func preparedFailed(_ deck: DeckID, _ end: MixEvent.DeckEnd, at frame: Int64) async {
        guard case .failed(let position, let error) = end, let prepared = main.prepared, prepared.deck == deck else {
            return
        }
        let url = prepared.item.url
        report(AudioPlayerError(reading: error, of: url, at: position), of: url, at: frame)
        main.prepared = nil
        main.decided = .undecided
        main.failuresInARow += 1
        await planFollowUp(after: prepared.index)
    }

    private func crossfadeEnded(_ deck: DeckID, at frame: Int64) {
        if let track = main.track(on: deck) { post(.transitionEnded(to: track.item.url), at: frame) }
        followCrossfade()
    }

    private func postTransition(
        _ kind: PlayerEvent.Transition, from: DeckID, to: DeckID, frames: Int64, at frame: Int64
    ) {
        guard let from = main.track(on: from), let to = main.track(on: to) else { return }
        post(.transitionStarted(from: from.item.url, to: to.item.url, kind, frames: frames), at: frame)
    }

    private func didSeek(_ deck: DeckID, _ position: TimeInterval, at frame: Int64) {
        guard main.current?.deck == deck else { return }
        main.arrive(at: position)
        post(.positionChanged(to: position), at: frame)
        positionJumped()
    }

    /// Applies what became known of a deck between its opening and the command that uses it.
    func applyEarlyInfo(of deck: DeckID) async {
        if let info = main.takeEarly(of: deck) { await trackInfoChanged(info, of: deck) }
    }

    private func trackInfoChanged(_ info: TrackInfo, of deck: DeckID) async {
        guard main.track(on: deck) != nil else { return main.keepEarly(info, of: deck) }
        main.update(info, of: deck)
        await applyReplayGain(to: deck, info)
        if main.current?.deck == deck { postTrack(info) }
        await planFollowUp()
    }

    // MARK: State

    /// Takes over a pause or resumption that did not come from this player.
    func followEngine() async {
        let activity = await engine.status(of: engine.mainLayer).activity
        if activity == .paused, state == .playing {
            setState(.paused)
            positionJumped()
        } else if activity == .playing, state == .paused {
            setState(.playing)
        }
    }

    /// The main layer has nothing to play any more, or so an event says.
    func mainFellSilent() async {
        guard main.current != nil, await engine.status(of: engine.mainLayer).activity == .idle else { return }
        if state == .fadingOut {
            await leaveMain(as: main.ending.state)
            return continuePreparing()
        }
        let error = main.followUpError ?? main.currentError
        await withdrawPrepared()
        if settings.sleep.timer == .endOfTrack {
            fallAsleep()
            return await leaveMain(as: .finished)
        }
        if let error {
            await leaveMain(as: .failed(error))
        } else {
            post(.playlistEnded)
            main.isPlayedToEnd = true
            await leaveMain(as: .finished)
        }
        continuePreparing()
    }

    // MARK: Output

    /// Posts an event of the output or of a plugin, and reacts to it.
    ///
    /// - Returns: Whether it was one.
    private func outputReceived(_ event: MixEvent) -> Bool {
        switch event.kind {
        case .outputLost(let reason): awaitOutput(lost: reason)
        case .outputRestored:
            tasks.outputLoss?.cancel()
            tasks.outputLoss = nil
        case .outputChanged, .pluginOverdue: break
        default: return false
        }
        post(.mix(event.kind), at: event.frame)
        return true
    }

    /// Pauses when the output does not come back within 30 s. When everything was paused meanwhile, the engine does not
    /// look for the output any more; the next start does.
    private func awaitOutput(lost reason: String) {
        tasks.outputLoss?.cancel()
        let clock = clock
        tasks.outputLoss = Task { [weak self] in
            do {
                try await clock.sleep(until: clock.now() + 30_000_000_000)
            } catch {
                return  // Restored, or the player is gone.
            }
            await self?.outputStayedLost(reason)
        }
    }

    private func outputStayedLost(_ reason: String) async {
        let isNeeded = await serially {
            // It may have come back while a call was under way.
            guard !Task.isCancelled, needsOutput else { return false }
            await pauseMain(forLostOutput: true)
            // The end of a fade is not heard.
            if state == .fadingOut { await stopMain(fade: 0, then: main.ending.state) }
            report(.sessionError(reason))
            return true
        }
        guard isNeeded, !Task.isCancelled else { return }
        await forEachOverlay { id in
            if overlays[id]?.state == .stopping { await removeOverlay(id) } else { await pauseOverlayNow(id) }
        }
        await pauseEngines(by: await pauseEffects())
    }

    /// Whether something plays, begins or fades out.
    private var needsOutput: Bool {
        state == .playing || state == .preparing || state == .fadingOut || included.isSounding
            || overlays.all.contains { $0.isSounding || $0.state == .stopping }
            || effects.voices.contains { $0.effect != nil && !$0.isPaused }
    }
}

/// Recovery from lost events of the engine.
extension AudioPlayerService {
    /// Finds out what happened while events were lost.
    func resynchronise() async {
        logger.warn("player: events of the engine were lost; looking at its state instead")
        await serially {
            let status = await engine.status(of: engine.mainLayer)
            if let deck = status.deck, deck != main.current?.deck, let track = main.track(on: deck) {
                await advance(to: track)
            }
            if main.seekTarget != nil, status.deck == main.current?.deck {
                // A seek that is still to come reports its arrival itself.
                main.arriveUnheard(at: status.position)
                positionJumped()
            }
            await mainFellSilent()
            await followEngine()
        }
        await forEachOverlay { await followOverlay($0) }
        await followEffects()
    }

    private func followOverlay(_ id: OverlayID) async {
        guard let overlay = overlays[id] else { return }
        let status = await engine.status(of: overlay.layer)
        switch status.activity {
        case .idle: await removeOverlay(id)
        case .stopping: setState(.stopping, of: id)
        case .playing, .paused:
            if overlay.state == .crossfading, !status.isCrossfading { setState(.playing, of: id) }
        }
    }

    private func followEffects() async {
        for voice in effects.voices where voice.isStarted {
            let isOver = await engine.status(of: voice.layer).activity == .idle
            // The voice may have been freed and claimed again meanwhile.
            guard isOver, let effect = voice.effect,
                effects.voices.contains(where: { $0.layer == voice.layer && $0.deck == voice.deck })
            else { continue }
            post(.effectEnded(effect.url))
            await freeVoice(voice.layer)
        }
    }
}
