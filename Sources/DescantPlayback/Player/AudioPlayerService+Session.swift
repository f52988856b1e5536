internal import DescantCore
public import Foundation

/// The player as a client of the audio session.
extension AudioPlayerService: AudioSessionPlayer {
    /// The engine that the player plays on, for the session's log.
    var sessionName: String { engine.identifier }

    /// Pauses everything that the player plays: the main layer, overlays, effects.
    ///
    /// - Parameter cause: Why.
    /// - Returns: What ``resumeForSession(_:)`` takes; `nil` when nothing was played.
    func pauseForSession(_ cause: AudioSessionCause) async -> InterruptionToken? {
        let isSounding =
            state == .playing || state == .preparing || soundingEffects > 0
            || overlays.isSounding
        guard isSounding else { return nil }
        logger.record(
            LogRecord(
                "engine.pause",
                fields: [.engine: .open(engine.identifier), .action: "pause", .reason: .open(cause.description)]))
        return InterruptionToken(commands: await pauseEverything())
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
        await resumeEverything()
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

    /// Ends the player's part of the session unless something of the player sounds or is paused: the main layer, an overlay, an effect.
    func deactivateSilentSession(_ reason: String) async {
        // A track that is being opened may have activated it already.
        guard main.current == nil, state != .preparing, overlays.isEmpty, soundingEffects == 0 else { return }
        await session?.deactivate(for: sessionClient, reason: reason)
    }

    /// Tells the session that a person has paused the player, unless something of it still sounds.
    func pauseSession() async {
        let isSounding =
            state == .playing || overlays.isSounding || effects.voices.contains { $0.effect != nil && !$0.isPaused }
        guard !isSounding else { return }
        await session?.paused(sessionClient)
    }

    func setMasterVolume(_ volume: Double) async {
        settings.volume.level = volume
        await applyVolume()
    }

    /// Brings the mix to the volume that was set and that the session allows.
    func applyVolume() async {
        await engine.setMasterVolume(settings.volume.gain)
    }
}

extension AudioPlayerService {
    /// Freezes everything that this player plays, for a call or an alarm: the main layer, overlays, effects. What is being opened
    /// begins paused.
    public func pauseAll() async {
        commands.countUserCommand()
        commands.endResumption()
        await pauseEverything()
        await pauseSession()
    }

    /// Pauses whatever sounds.
    ///
    /// - Returns: How many commands came before; any that comes from here on is newer than the pause.
    @discardableResult
    func pauseEverything() async -> UInt64 {
        let commandCount = await serially {
            // A command that was under way is done by now; the next one may come while overlays and effects are paused.
            let commandCount = commands.userCommandCount
            commands.countPause()
            guard state == .playing || state == .preparing else { return commandCount }
            await pauseMain()
            pausedLayers.insert(engine.mainLayer)
            return commandCount
        }
        overlays.pauseOpenings()
        await forEachOverlay { id in
            guard let overlay = overlays[id], overlay.isSounding else { return }
            await pauseOverlayNow(id)
            pausedLayers.insert(overlay.layer)
        }
        await pauseEffects()
        return commandCount
    }

    /// Resumes what ``pauseAll()`` has paused and no command has changed since.
    public func resumeAll() async {
        commands.countUserCommand()
        await resumeEverything()
    }

    func resumeEverything() async {
        await serially {
            guard state == .paused, pausedLayers.contains(engine.mainLayer) else { return }
            do {
                try await resumeMain()
            } catch {
                report(AudioPlayerError(sounding: error))
            }
        }
        overlays.resumeOpenings()
        await forEachOverlay { id in
            guard let overlay = overlays[id], pausedLayers.contains(overlay.layer) else { return }
            await resumeOverlayNow(id)
        }
        await resumeEffects()
    }

    /// Stops everything that this player plays; everything is idle afterwards and the playlist is kept.
    ///
    /// With a fade, the call returns when the last sample was heard, as ``stop(fadeDuration:)`` does.
    ///
    /// - Parameter fadeDuration: Length of the fade of everything that sounds in seconds, clamped to 0…10; 0 stops at once.
    public func stopAll(fadeDuration: TimeInterval = 0) async {
        let fade = fadeDuration.clamped(to: 0...10)
        await stopEverything(fade: fade, then: .idle)
        guard fade > 0, !engine.capabilities.contains(.rendersOffline) else { return }
        await waitUntilSilent()
    }

    /// Begins to stop the main line, overlays and effects.
    ///
    /// - Parameters:
    ///   - fade: Length of the fade in seconds; `nil` for the configuration's, and each overlay's and effect's own.
    ///   - end: The state afterwards.
    func stopEverything(fade: TimeInterval?, then end: PlayerState) async {
        commands.abandonOverlayOpenings()
        await stopping { await stopMain(fade: fade, then: end) }
        await forEachOverlay { await stopOverlayNow($0, fade: fade) }
        await stopSoundEffect(fadeDuration: fade)
        pausedLayers = []
        await deactivateSilentSession("stop")
    }

    /// Waits until nothing sounds any more that ``stopEverything(fade:then:)`` has begun to stop.
    func waitUntilSilent() async {
        await wait { $0.state != .fadingOut && !$0.overlays.isFadingOut && $0.soundingEffects == 0 }
    }
}
