internal import DescantCore

extension AudioPlayerService {
    /// Freezes everything that this player plays, for a call or an alarm.
    public func pauseAll() async {
        await serially {
            guard state == .playing || state == .preparing else { return }
            await pauseMain()
            pausedTogether.insert(engine.mainLayer)
        }
        await overlaySerially {
            guard let line = overlay, line.state == .playing || line.state == .crossfading else { return }
            await pauseOverlayLine()
            pausedTogether.insert(line.layer)
        }
    }

    /// Lets go on what ``pauseAll()`` has frozen and nobody has touched since.
    public func resumeAll() async {
        await serially {
            guard state == .paused, pausedTogether.contains(engine.mainLayer) else { return }
            do {
                try await resumeMain()
            } catch {
                report(AudioPlayerError(sounding: error))
            }
        }
        await overlaySerially {
            guard let line = overlay, pausedTogether.contains(line.layer) else { return }
            await resumeOverlayLine()
        }
    }

    /// Stops everything that this player plays at once; everything is idle afterwards and the playlist is kept.
    public func stopAll() async {
        interruptOpening(for: .main)
        interruptOpening(for: .overlay)
        await serially { await stopMain(fade: 0, then: .idle) }
        await overlaySerially { await stopOverlayLine(fade: 0) }
        pausedTogether = []
    }
}
