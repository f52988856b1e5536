internal import DescantCore

extension AudioPlayerService {
    /// Freezes everything that this player plays, for a call or an alarm: the main line, overlays, effects.
    public func pauseAll() async {
        userCommandCount &+= 1
        await pauseEverything()
    }

    /// Pauses whatever sounds.
    ///
    /// - Returns: How many commands came before; any that comes from here on is newer than the pause.
    @discardableResult
    func pauseEverything() async -> UInt64 {
        let commands = await serially {
            // A command that was under way is done by now; the next one may come while overlays and effects are paused.
            let commands = userCommandCount
            guard state == .playing || state == .preparing else { return commands }
            await pauseMain()
            pausedTogether.insert(engine.mainLayer)
            return commands
        }
        beginsPaused = openingOverlays
        await forEachOverlay { id in
            guard let line = overlays[id], line.state == .playing || line.state == .crossfading else { return }
            await pauseOverlayLine(id)
            pausedTogether.insert(line.layer)
        }
        await pauseEffects()
        return commands
    }

    /// Lets go on what ``pauseAll()`` has frozen and nobody has touched since.
    public func resumeAll() async {
        userCommandCount &+= 1
        await resumeEverything()
    }

    func resumeEverything() async {
        await serially {
            guard state == .paused, pausedTogether.contains(engine.mainLayer) else { return }
            do {
                try await resumeMain()
            } catch {
                report(AudioPlayerError(sounding: error))
            }
        }
        beginsPaused = []
        await forEachOverlay { id in
            guard let line = overlays[id], pausedTogether.contains(line.layer) else { return }
            await resumeOverlayLine(id)
        }
        await resumeEffects()
    }

    /// Stops everything that this player plays at once; everything is idle afterwards and the playlist is kept.
    public func stopAll() async {
        interruptOverlayOpenings()
        await stopping { await stopMain(fade: 0, then: .idle) }
        await forEachOverlay { await stopOverlayLine($0, fade: 0) }
        await stopEffects(fadeDuration: 0)
        pausedTogether = []
    }
}
