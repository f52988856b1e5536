internal import DescantCore
public import Foundation

/// The player as a client of the audio session.
extension AudioPlayerService: AudioSessionPlayer {
    /// The engine that the player plays on, for the session's log.
    var sessionName: String { engine.identifier }

    /// Pauses everything that the player plays: the main layer, overlays, effects, included engines.
    ///
    /// - Parameter cause: Why.
    /// - Returns: What ``resumeForSession(_:)`` takes; `nil` when nothing was played.
    func pauseForSession(_ cause: AudioSessionCause) async -> InterruptionToken? {
        if state != .preparing, !isSounding {
            // A track that a paused player is opening begins paused.
            if state == .paused { commands.countPause() }
            // A resumption may be under way, as on a sound server that answers late.
            await serially {}
        }
        if state != .preparing, !isSounding { guard await enginesSound() else { return nil } }
        logger.record(
            LogRecord(
                "engine.pause",
                fields: [.engine: .open(engine.identifier), .action: "pause", .reason: .open(cause.description)]))
        return await pauseEverything()
    }

    /// Resumes what the session has paused, unless a user command came since.
    ///
    /// - Parameter token: What ``pauseForSession(_:)`` returned.
    func resumeForSession(_ token: InterruptionToken) async {
        guard token.commands == commands.userCommandCount else { return }
        logger.record(
            LogRecord(
                "engine.play",
                fields: [.engine: .open(engine.identifier), .action: "play", .reason: "interruptionEnded"]))
        await resumeEverything(token.paused)
    }

    /// Plays more quietly, on top of the volume that was set.
    ///
    /// - Parameter gain: Linear, 0…1.
    /// - Returns: Always `true`.
    func setSessionGain(_ gain: Double) async -> Bool {
        settings.volume.sessionGain = gain
        await applyVolume()
        return true
    }

    /// Nothing: the engine stands still by itself and reports it.
    ///
    /// - Parameter reason: What the server or the system said.
    func sessionServerLost(_ reason: String) async {}

    /// Nothing: the engine goes on by itself.
    func sessionServerRestored() async {}

    // MARK: Steps

    /// Activates the session before the first sound of the player; while it is active, tells it the options.
    func activateSession(mixes: Bool? = nil, reason: String = "play") async throws {
        let options: AudioSessionOptions = mixes ?? configuration.mixWithOthers ? .mixWithOthers : []
        if let role = ports.role { await (engine as? any StreamRoleEngine)?.setStreamRole(role) }
        do {
            try await session?.activate(
                for: ports.sessionMember,
                as: AudioSessionConfiguration(role: ports.role ?? .music, options: options), reason: reason)
        } catch CoreError.invalidState(let reason) {
            throw AudioPlayerError.sessionError(reason)
        }
    }

    /// Ends the player's part of the session unless something of the player sounds or is paused: the main layer, an overlay, an effect, an
    /// included engine.
    func deactivateSilentSession(_ reason: String) async {
        // A track that is being opened may have activated it already.
        guard main.current == nil, state != .preparing, overlays.isEmpty, playingSoundEffects == 0, !included.isActive
        else { return }
        await session?.deactivate(for: sessionClient, reason: reason)
    }

    /// Tells the session that a person has paused the player, unless something of it still sounds.
    func pauseSession() async {
        if !isSounding { await session?.paused(sessionClient) }
    }

    /// Whether anything of the player sounds; what is frozen does not.
    private var isSounding: Bool {
        state == .playing || overlays.isSounding || included.isSounding
            || effects.voices.contains { $0.effect != nil && !$0.isPaused }
    }

    func setMasterVolume(_ volume: Double) async {
        settings.volume.level = volume
        await applyVolume()
    }

    /// Brings the mix to the volume that was set and that the session allows.
    func applyVolume() async {
        await commands.mix.run { await engine.setMasterVolume(settings.volume.gain) }
    }
}

extension AudioPlayerService {
    /// Freezes everything that this player plays, for a call or an alarm: the main layer, overlays, effects and included engines. What
    /// is being opened begins paused.
    public func pauseAll() async {
        commands.countUserCommand()
        commands.endResumption()
        await pauseEverything()
        await pauseSession()
    }

    /// Pauses whatever sounds.
    ///
    /// - Returns: What was paused, and how many commands came before; any that comes from here on is newer than the pause.
    @discardableResult
    func pauseEverything() async -> InterruptionToken {
        var token = await serially {
            // A command that was under way is done by now; the next one may come while overlays and effects are paused.
            var token = InterruptionToken(commands: commands.userCommandCount)
            token.paused.main = state == .playing || state == .preparing
            await pauseMain()
            commands.pauseWasOfEverything()
            if token.paused.main { pausedLayers.insert(engine.mainLayer) }
            return token
        }
        token.paused.overlays = overlays.pauseOpenings()
        await forEachOverlay { id in
            guard let overlay = overlays[id], overlay.isSounding else { return }
            await pauseOverlayNow(id)
            pausedLayers.insert(overlay.layer)
            token.paused.overlays.insert(id)
        }
        token.paused.pause = await pauseEffects()
        await pauseEngines(by: token.paused.pause)
        return token
    }

    /// Resumes what ``pauseAll()`` has paused and no command has changed since.
    public func resumeAll() async {
        commands.countUserCommand()
        await resumeEverything()
    }

    /// Resumes what pauses of everything have paused and no command has changed since.
    ///
    /// - Parameter parts: What one of them has paused; `nil` for all of it.
    func resumeEverything(_ parts: PausedParts? = nil) async {
        await serially {
            guard parts?.main ?? true, state == .paused, pausedLayers.contains(engine.mainLayer) else { return }
            do {
                try await resumeMain()
            } catch {
                report(AudioPlayerError(sounding: error))
            }
        }
        overlays.resumeOpenings(parts?.overlays)
        await forEachOverlay { id in
            guard parts?.overlays.contains(id) ?? true, let overlay = overlays[id], pausedLayers.contains(overlay.layer)
            else { return }
            await resumeOverlayNow(id)
        }
        await resumeEffects(pausedBy: parts?.pause)
        await resumeEngines(pausedBy: parts?.pause)
    }

    /// Stops everything that this player plays; everything is idle afterwards and the playlist is kept.
    ///
    /// With a fade, the call returns when the last sample was heard, as ``stop(fadeDuration:)`` does. Included engines stop at once.
    ///
    /// - Parameter fadeDuration: Length of the fade of everything that sounds in seconds, clamped to 0…10; 0 stops at once.
    public func stopAll(fadeDuration: TimeInterval = 0) async {
        let fade = fadeDuration.clamped(to: 0...10)
        await stopEverything(fade: fade, then: .idle)
        guard fade > 0, !engine.capabilities.contains(.rendersOffline) else { return }
        await waitUntilSilent()
    }

    /// Begins to stop the main layer, overlays and effects, and stops included engines.
    ///
    /// - Parameters:
    ///   - fade: Length of the fade in seconds; `nil` for the configuration's, and each overlay's and effect's own.
    ///   - end: The state afterwards.
    func stopEverything(fade: TimeInterval?, then end: PlayerState) async {
        commands.abandonOverlayOpenings()
        await stopping { await stopMain(fade: fade, then: end) }
        await forEachOverlay { await stopOverlayNow($0, fade: fade) }
        await stopSoundEffect(fadeDuration: fade)
        await stopEngines()
        await deactivateSilentSession("stop")
    }

    /// Waits until nothing sounds any more that ``stopEverything(fade:then:)`` has begun to stop.
    func waitUntilSilent() async {
        await wait { $0.state != .fadingOut && !$0.overlays.isFadingOut && $0.playingSoundEffects == 0 }
    }
}
