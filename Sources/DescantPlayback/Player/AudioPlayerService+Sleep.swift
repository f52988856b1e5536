internal import DescantCore
public import Foundation

extension AudioPlayerService {
    /// Lets the player fade out and finish later. Overlays and effects end with it.
    ///
    /// The time is counted in frames of the main layer, so the fade begins at the very frame. A timer that is set already is
    /// replaced; stopping the player cancels it.
    ///
    /// - Parameters:
    ///   - timer: When to fall asleep.
    ///   - fadeDuration: Length of the fade at the end in seconds, clamped to 0…10; `nil` for the configuration's
    ///     ``PlayerConfiguration/stopFadeDuration``. A track that ends by itself is not faded, only what sounds beside it.
    /// - Throws: ``AudioPlayerError/invalidConfiguration(_:)`` for less than 0 s or more than a day; nothing was changed then.
    public func setSleepTimer(_ timer: SleepTimer, fadeDuration: TimeInterval? = nil) async throws {
        if case .after(let seconds) = timer, !(0...86_400).contains(seconds) {
            throw AudioPlayerError.invalidConfiguration(.invalidSleepDuration(seconds))
        }
        let fade = (fadeDuration ?? configuration.stopFadeDuration).clamped(to: 0...10)
        try await command {
            await forgetSleepTimer()
            settings.sleep.set(timer, fade: fade)
            if case .after(let seconds) = timer,
                let plan = settings.sleep.plannedStop(after: seconds, curve: configuration.fadeCurve)
            {
                await engine.planStop(plan, of: engine.mainLayer)
                await planOverlayStops()
            }
            await planFollowUp()
        }
    }

    /// Lets the player go on; harmless without a timer.
    public func cancelSleepTimer() async {
        await serially {
            guard settings.sleep.isSet else { return }
            await forgetSleepTimer()
            await planFollowUp()
        }
    }

    /// The timer that is set; `nil` when none is, as behind a stop, a failure or its end.
    public var sleepTimer: SleepTimer? { settings.sleep.timer }

    /// Seconds until the player begins to fade out, or until the end of the track; `nil` without a timer, or when the track's
    /// length is unknown.
    public var sleepTimerRemaining: TimeInterval? {
        get async {
            switch settings.sleep.timer {
            case nil: return nil
            case .after: return await engine.status(of: engine.mainLayer).plannedStopRemaining
            case .endOfTrack:
                guard let position = await heardPosition(), position.duration > 0 else { return nil }
                return max(0, position.duration - position.currentTime) / rate
            }
        }
    }

    // MARK: Steps

    func forgetSleepTimer() async {
        guard settings.sleep.isSet else { return }
        settings.sleep.end()
        await engine.planStop(nil, of: engine.mainLayer)
        await planOverlayStops()
    }

    /// Plans the overlays' stops at the frame of the main layer's, as long as both play; the rest ends as soon
    /// as the player receives the event. Called whenever one of them begins to play, pauses or resumes.
    func planOverlayStops() async {
        for overlay in overlays.all { await planStop(of: overlay) }
    }

    /// Plans the stop of one overlay's layer.
    func planStop(of overlay: OverlayLayer) async {
        var plan: PlannedStop?
        if state == .playing, case .after = settings.sleep.timer {
            let remaining = await engine.status(of: engine.mainLayer).plannedStopRemaining
            plan = settings.sleep.plannedStop(after: remaining, curve: configuration.fadeCurve)
        }
        await engine.planStop(plan, of: overlay.layer)
    }

    /// The engine has begun to fade the main layer out because its time was up.
    func plannedStopBegan(frames: Int64, at frame: Int64) async {
        // A player that was started again meanwhile has a present deck and does not fall asleep. A fade has none,
        // also when it is paused.
        let isStarted = await engine.status(of: engine.mainLayer).deck != nil
        guard settings.sleep.isSet, !isStarted else { return }
        fallAsleep(at: frame)
        await discardDeferred()
        await withdrawPrepared()
        // The ramp of a pause ends the fade: nothing is left to go on with.
        if state == .paused { return await leaveMain(as: .finished) }
        guard state == .playing || state == .preparing else { return }
        main.ending = MainTracks.Ending(state: .finished, fade: engine.mixFormat.seconds(of: frames))
        setState(.fadingOut)
    }

    /// Ends the timer and everything beside the main layer.
    func fallAsleep(at frame: Int64? = nil) {
        settings.sleep.end()
        post(.sleepTimerEnded, at: frame)
        let fade = settings.sleep.fade
        commands.abandonMainOpenings()
        commands.abandonOverlayOpenings()
        Task { [weak self] in
            await self?.forEachOverlay { await self?.stopOverlayNow($0, fade: fade) }
            await self?.stopSoundEffect(fadeDuration: fade)
        }
    }
}

/// When a player falls asleep.
public enum SleepTimer: Sendable, Hashable {
    /// After so many seconds that were heard; time stands still while the player is paused or has nothing to play.
    case after(TimeInterval)
    /// At the natural end of the track that is being played; nothing follows it.
    case endOfTrack
}
