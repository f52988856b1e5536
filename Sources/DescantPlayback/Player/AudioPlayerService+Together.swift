internal import DescantCore

extension AudioPlayerService {
    /// Freezes everything that this player plays, for a call or an alarm: the main line, overlays, effects.
    public func pauseAll() async {
        touches &+= 1
        await pauseEverything()
    }

    func pauseEverything() async {
        await serially {
            guard state == .playing || state == .preparing else { return }
            await pauseMain()
            pausedTogether.insert(engine.mainLayer)
        }
        await forEachOverlay { id in
            guard let line = overlays[id], line.state == .playing || line.state == .crossfading else { return }
            await pauseOverlayLine(id)
            pausedTogether.insert(line.layer)
        }
        await pauseEffects()
    }

    /// Lets go on what ``pauseAll()`` has frozen and nobody has touched since.
    public func resumeAll() async {
        touches &+= 1
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
        await forEachOverlay { id in
            guard let line = overlays[id], pausedTogether.contains(line.layer) else { return }
            await resumeOverlayLine(id)
        }
        await resumeEffects()
    }

    /// Stops everything that this player plays at once; everything is idle afterwards and the playlist is kept.
    public func stopAll() async {
        interruptOpening(for: .main)
        interruptOverlayOpenings()
        await serially { await stopMain(fade: 0, then: .idle) }
        await forEachOverlay { await stopOverlayLine($0, fade: 0) }
        await stopEffects(fadeDuration: 0)
        pausedTogether = []
    }
}
