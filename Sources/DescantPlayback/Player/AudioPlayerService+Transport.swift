internal import DescantCore
public import Foundation

extension AudioPlayerService {
    /// Freezes what sounds, a running crossfade included; harmless when paused. A track whose file is being opened begins paused.
    ///
    /// A ramp of 10 ms lies over the pause. When the last track ends within it, nothing is left to go on with: the player finishes.
    ///
    /// - Throws: ``AudioPlayerError/invalidState(current:attempted:)`` when nothing is being played.
    public func pause() async throws {
        try await command {
            try PlayerCommand.pause.check(in: state)
            await pauseByUser()
        }
    }

    /// Pauses what is being played, also when the calling task was cancelled; harmless when nothing is.
    func pauseIfActive() async {
        await serially { if state.isActive { await pauseByUser() } }
    }

    private func pauseByUser() async {
        commands.countUserCommand()
        // The end of an earlier pause of everything leaves it paused.
        pausedLayers.remove(engine.mainLayer)
        await pauseMain()
        await pauseSession()
    }

    /// Goes on where ``pause()`` has frozen.
    ///
    /// - Throws: ``AudioPlayerError/invalidState(current:attempted:)`` when not paused, ``AudioPlayerError/sessionError(_:)`` when there
    ///   is no device to play to; nothing was changed then.
    public func resume() async throws {
        try await command {
            try PlayerCommand.resume.check(in: state)
            commands.countUserCommand()
            try await resumeMain()
        }
    }

    /// Fades out and finishes. Returns when the last sample was heard: ``state`` is ``PlayerState/fadingOut`` until then and
    /// ``PlayerState/finished`` afterwards.
    ///
    /// The playlist and the overlay stay. The call returns at once when the player is paused or silent, when `fadeDuration` is 0, and
    /// when its task is cancelled; the fade goes on then. It does so too on an engine that renders offline, where time passes
    /// only in `advance(frames:untilIdle:)`. A second `stop` with a shorter fade shortens the running one.
    ///
    /// - Parameter fadeDuration: Length of the fade in seconds, clamped to 0…10; `nil` for the configuration's.
    public func stop(fadeDuration: TimeInterval? = nil) async {
        await stopping { await stopMain(fade: fadeDuration, then: .finished) }
        guard !engine.capabilities.contains(.rendersOffline) else { return }
        await wait { $0.state != .fadingOut }
    }

    /// Fades out over the configuration's ``PlayerConfiguration/stopFadeDuration`` and finishes, as ``stop(fadeDuration:)`` does
    /// without a duration.
    public func stopWithDefaultFade() async { await stop() }

    /// Finishes at once, within a ramp of 10 ms against clicks.
    public func stopImmediatelyWithoutFade() async { await stop(fadeDuration: 0) }

    /// Begins to fade out what is being played, which finishes when the fade was heard; a paused player finishes at once.
    ///
    /// - Parameter fadeDuration: Length of the fade in seconds, clamped to 0…10; `nil` for the configuration's.
    /// - Throws: ``AudioPlayerError/invalidState(current:attempted:)`` when nothing is being played; nothing was changed then.
    public func finish(fadeDuration: TimeInterval? = nil) async throws {
        try await command {
            try PlayerCommand.finish.check(in: state)
            commands.abandonMainOpenings()
            await stopMain(fade: fadeDuration, then: .finished)
        }
    }

    /// Stops everything at once and forgets playlist, configuration, track sources and overlay; the player is idle afterwards. Included
    /// engines stay included.
    public func reset() async {
        commands.abandonOverlayOpenings()
        await stopping {
            await stopMain(fade: 0, then: .idle)
            queue.reset()
            settings.configuration = PlayerConfiguration()
            await setMasterVolume(1)
            if rate != 1 { await restoreRate() }
        }
        for part in settings.duckings.keys { await setDucking(nil, of: part) }
        await forEachOverlay { await removeOverlay($0) }
        await resetEffects()
        await stopEngines()
        await resetLoudness()
        await deactivateSilentSession("reset")
    }

    /// Fades out, moves, and fades in from the new position; moves silently when paused.
    ///
    /// - Parameters:
    ///   - position: Where to go, in seconds; clamped to the track. At its very end the track ends naturally. Behind a length that is
    ///     only estimated, as that of an MP3 file without an index, the track goes on if there is sound.
    ///   - fadeDuration: Length of each fade in seconds, clamped to 0…10; at least 5 ms are used.
    /// - Throws: ``AudioPlayerError/invalidState(current:attempted:)`` when nothing is being played, or during a crossfade unless the
    ///   configuration fast-forwards it; nothing was changed then.
    public func seekWithFade(to position: TimeInterval, fadeDuration: TimeInterval = 0.3) async throws {
        try await command {
            try await checkSeek(.seek)
            try await seekMain(to: position, fade: fadeDuration)
        }
    }

    /// Moves forward within the track.
    ///
    /// - Parameter interval: How far, in seconds.
    /// - Throws: As ``seekWithFade(to:fadeDuration:)``.
    public func skipForward(by interval: TimeInterval = 15) async throws { try await skip(by: interval) }

    /// Moves backward within the track.
    ///
    /// - Parameter interval: How far, in seconds.
    /// - Throws: As ``seekWithFade(to:fadeDuration:)``.
    public func skipBackward(by interval: TimeInterval = 15) async throws { try await skip(by: -interval) }

    /// Moves within the track, counted from what is heard or from the target of a seek that is not heard yet. Behind a length that is only
    /// estimated, too, and there from what is heard instead of the position that is shown.
    ///
    /// - Parameters:
    ///   - interval: How far, in seconds; negative for backwards.
    ///   - fadeDuration: As for ``seekWithFade(to:fadeDuration:)``.
    /// - Throws: As ``seekWithFade(to:fadeDuration:)``.
    public func skip(by interval: TimeInterval, fadeDuration: TimeInterval = 0.3) async throws {
        try await command {
            try await checkSeek(.skip)
            let origin = await skipOrigin(isForward: interval > 0)
            try await seekMain(to: origin + interval, fade: fadeDuration)
        }
    }

    /// Sets the master volume, at once and for everything that sounds.
    ///
    /// - Parameter volume: Linear, clamped to 0…1.
    public func setVolume(_ volume: Float) async {
        let volume = volume.clamped(to: 0...1)
        settings.configuration.volume = Int((volume * 100).rounded())
        settings.volume.countUserChange(isImmediate: true)
        await setMasterVolume(Double(volume))
    }

    /// Changes how the player plays, at any moment: the volume and the session's options at once, crossfades, fades and what happens
    /// at the natural end from the next one on. What sounds is not interrupted, and a running fade or crossfade ends as it began.
    ///
    /// Another repeat mode counts repetitions from 0 again. A volume that ``setVolume(_:)`` sets after the call stays.
    ///
    /// - Parameter configuration: How to play from now on.
    /// - Throws: ``ConfigurationError`` for a value outside its range, or ``AudioPlayerError/sessionError(_:)`` when the session refuses
    ///   ``PlayerConfiguration/mixWithOthers``; nothing was changed then.
    public func updateConfiguration(_ configuration: PlayerConfiguration) async throws {
        try configuration.validate()
        let volumeAsked = settings.volume.immediateChanges
        try await command {
            let before = settings.configuration
            if configuration.mixWithOthers != before.mixWithOthers, main.current != nil || !overlays.isEmpty {
                do {
                    try await activateSession(mixes: configuration.mixWithOthers, reason: "configuration")
                } catch {
                    throw AudioPlayerError(sounding: error)
                }
            }
            var accepted = configuration
            // A volume that was set while this call waited is newer.
            if settings.volume.immediateChanges != volumeAsked { accepted.volume = settings.configuration.volume }
            let setsVolume = accepted.volume != settings.configuration.volume
            settings.configuration = accepted
            if configuration.repeatMode != before.repeatMode { queue.repeatCount = 0 }
            if setsVolume {
                settings.volume.countUserChange(isImmediate: false)
                await setMasterVolume(Double(configuration.volumeFloat))
            }
            await planFollowUp()
        }
    }

    /// Sets the speed of the main layer; pitch is kept.
    ///
    /// - Parameter rate: 0.5…3, 1 is normal.
    /// - Throws: ``AudioPlayerError/invalidConfiguration(_:)`` outside the range; nothing was changed then.
    public func setRate(_ rate: Double) async throws {
        guard (0.5...3).contains(rate) else { throw AudioPlayerError.invalidConfiguration(.invalidRate(rate)) }
        try await command {
            do {
                try await engine.setRate(rate, of: engine.mainLayer)
            } catch {
                throw AudioPlayerError(sounding: error)
            }
            settings.rate = rate
            positionsDidChange()
            await planFollowUp()
        }
    }

    // MARK: Steps

    func pauseMain(forLostOutput: Bool = false) async {
        commands.countPause(forLostOutput: forLostOutput)
        guard state == .playing || state == .preparing else { return }
        await engine.pause(engine.mainLayer, ramp: Self.pauseRamp)
        setState(.paused)
        positionJumped()
        if settings.sleep.isSet { await planOverlayStops() }
    }

    func resumeMain() async throws {
        // The first track is still being opened.
        guard main.current != nil else {
            commands.endPause()
            return setState(.preparing)
        }
        do {
            // A pause may have ended the player's part of it.
            try await activateSession(reason: "resume")
            try await engine.resume(engine.mainLayer, ramp: Self.pauseRamp)
        } catch {
            throw AudioPlayerError(sounding: error)
        }
        // The track may have ended while the next one is still being opened.
        setState(main.currentEnded ? .preparing : .playing)
        if settings.sleep.isSet { await planOverlayStops() }
    }

    /// The ramp that keeps a pause from clicking, in seconds.
    static var pauseRamp: TimeInterval { 0.01 }

    /// Ends the main layer: with a fade while it sounds, otherwise at once.
    ///
    /// - Parameters:
    ///   - fade: Length of the fade in seconds; `nil` for the configuration's. Within a fade, a shorter one shortens it.
    ///   - end: The state afterwards.
    func stopMain(fade: TimeInterval?, then end: PlayerState) async {
        let fade = (fade ?? configuration.stopFadeDuration).clamped(to: 0...10)
        commands.countUserCommand()
        await forgetSleepTimer()
        await discardDeferred()
        await withdrawPrepared()
        guard main.current != nil else {
            // The effects of the last track may ring on.
            if !settings.trackEffects.isEmpty {
                await engine.stop(engine.mainLayer, fade: fade, curve: configuration.fadeCurve)
            }
            setState(end)
            // Its session may have been kept for a track that was being opened.
            return await deactivateSilentSession("stop")
        }
        if fade > 0, state == .playing || state == .fadingOut {
            let isShortened = state == .fadingOut && fade < main.ending.fade
            let isBegun = state == .fadingOut && !isShortened
            main.ending = MainTracks.Ending(state: end, fade: isBegun ? main.ending.fade : fade)
            guard !isBegun else { return }
            // A track that ends within the fade is followed by nothing.
            await decide(.nothing)
            await engine.stop(engine.mainLayer, fade: fade, curve: configuration.fadeCurve)
            setState(.fadingOut)
        } else {
            await engine.stop(engine.mainLayer, fade: 0, curve: configuration.fadeCurve)
            await leaveMain(as: end)
            // Another call may be opening a track that is to play.
            continuePreparing()
        }
    }

    /// Ends the main layer because nothing can be played.
    func fail(_ error: AudioPlayerError) async {
        // The planned stop goes with the track; a timer without one would never end.
        await forgetSleepTimer()
        await discardDeferred()
        await withdrawPrepared()
        await engine.stop(engine.mainLayer, fade: 0, curve: configuration.fadeCurve)
        await leaveMain(as: .failed(error))
        continuePreparing()
    }

    /// Forgets the current track.
    func leaveMain(as end: PlayerState) async {
        main.begin(nil)
        main.failuresInARow = 0
        postTrack(nil)
        setState(end)
        postBeginning(of: nil)
        if settings.sleep.isSet { await planOverlayStops() }
        await deactivateSilentSession(end == .finished || end == .idle ? "stop" : "failed")
    }

    private func restoreRate() async {
        do {
            try await engine.setRate(1, of: engine.mainLayer)
            settings.rate = 1
        } catch {
            report(AudioPlayerError(sounding: error))
        }
    }

    /// The position that a skip counts from, in seconds.
    private func skipOrigin(isForward: Bool) async -> TimeInterval {
        guard let heard = await heardPosition() else { return 0 }
        if let pending = main.pendingSeek {
            // Skips forward add up behind an estimated length, too. Behind an exact one all of them lead to the end.
            return isForward ? pending.target : pending.shownPosition
        }
        guard heard.duration > 0, heard.currentTime >= heard.duration else { return heard.currentTime }
        // Behind an estimated length the position that is shown stands still, and the rendered one goes on.
        let status = await engine.status(of: engine.mainLayer)
        guard status.deck == main.current?.deck else { return heard.currentTime }
        return max(heard.currentTime, status.renderedPosition)
    }

    private func checkSeek(_ command: PlayerCommand) async throws {
        try command.check(in: state)
        if configuration.transitionInterruption == .reject, await isCrossfading() {
            throw AudioPlayerError.invalidState(current: "crossfading", attempted: command.attempted)
        }
    }

    private func seekMain(to position: TimeInterval, fade: TimeInterval) async throws {
        guard let current = main.current else { throw AudioPlayerError.noActiveTrack }
        guard !position.isNaN, !fade.isNaN else { throw AudioPlayerError.engineError("a position must be a number") }
        // 31 years at most. The known length may be an estimate with sound behind it, so that only the engine can clamp to the end.
        let target = min(max(0, position), 1e9)
        do {
            try await engine.seek(engine.mainLayer, to: target, fade: fade.clamped(to: 0...10))
        } catch let error as CoreError where error.code == "unsupported" {
            throw AudioPlayerError(error, playing: current.item.url)
        } catch CoreError.invalidState {
            throw AudioPlayerError.invalidState(current: "ending", attempted: PlayerCommand.seek.attempted)
        } catch {
            throw AudioPlayerError(sounding: error)
        }
        main.seek(to: target)
        hubs.remote.post(.jumped(to: main.seekTarget ?? target))
        positionJumped()
    }
}
