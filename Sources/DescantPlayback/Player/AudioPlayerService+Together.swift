internal import DescantCore

extension AudioPlayerService {
    /// Freezes everything that this player plays, for a call or an alarm: the main line, overlays, effects.
    public func pauseAll() async {
        commands.countUserCommand()
        await pauseEverything()
    }

    /// Pauses whatever sounds.
    ///
    /// - Returns: How many commands came before; any that comes from here on is newer than the pause.
    @discardableResult
    func pauseEverything() async -> UInt64 {
        let commandCount = await serially {
            // A command that was under way is done by now; the next one may come while overlays and effects are paused.
            let commandCount = commands.userCommandCount
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

    /// Lets go on what ``pauseAll()`` has frozen and nobody has touched since.
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

    /// Stops everything that this player plays at once; everything is idle afterwards and the playlist is kept.
    public func stopAll() async {
        commands.abandonOverlayOpenings()
        await stopping { await stopMain(fade: 0, then: .idle) }
        await forEachOverlay { await stopOverlayNow($0, fade: 0) }
        await stopEffects(fadeDuration: 0)
        pausedLayers = []
    }
}
