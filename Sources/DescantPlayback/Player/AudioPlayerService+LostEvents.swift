internal import DescantCore

/// What the player does when the engine tells more than it can listen to.
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
                // If the seek is still to come, its arrival will be told.
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
