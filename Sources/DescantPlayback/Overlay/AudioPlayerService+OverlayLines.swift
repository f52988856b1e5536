internal import DescantCore
internal import Foundation

/// What overlays are made of: a layer each, from the first clip to the end of the last one.
extension AudioPlayerService {
    func playOverlay(_ url: URL, _ configuration: OverlayConfiguration, _ id: OverlayID) async throws {
        overlays.beganOpening(id)
        defer { overlays.endedOpening(id) }
        let deck = try await openDeck(url, for: .overlay(id)).id
        let replaces = overlays[id]?.isReplaceable ?? false
        var overlay: OverlayLayer
        if let present = overlays[id] { overlay = present } else { overlay = await addOverlay(id, configuration) }
        let entry = DeckEntry.crossfade(configuration.crossfadeDuration, curve: configuration.fadeCurve)
        var plan = configuration.loopPlan
        // The crossfade takes the place of the first pass's fade-in.
        if replaces { plan.fadeIn = 0 }
        await engine.setTrackGain(Double(configuration.volume), of: deck, ramp: 0)
        do {
            try await engine.play(deck, on: overlay.layer, entry: replaces ? entry : .cut, loop: plan)
        } catch {
            await engine.closeDeck(deck)
            if overlay.state.isIdle { await removeOverlay(id) }
            throw AudioPlayerError(sounding: error)
        }
        if replaces { await engine.setLoop(configuration.loopPlan, on: overlay.layer) }
        overlay.deck = deck
        overlay.url = url
        overlay.configuration = configuration
        overlays[id] = overlay
        if overlay.state != .paused { await begin(overlay, of: id, replaces: replaces) }
        if settings.sleep.isSet { await planStop(of: overlay) }
    }

    /// Says that a clip has begun to sound, unless it is to wait with everything else.
    private func begin(_ overlay: OverlayLayer, of id: OverlayID, replaces: Bool) async {
        if overlays.beginsPaused(id) {
            await engine.pause(overlay.layer, ramp: replaces ? Self.pauseRamp : 0)
            pausedLayers.insert(overlay.layer)
            return setState(.paused, of: id)
        }
        // A clip that is just ending is not long enough for a crossfade.
        let overlaps = await engine.status(of: overlay.layer).isCrossfading
        setState(replaces && overlaps ? .crossfading : .playing, of: id)
    }

    private func addOverlay(_ id: OverlayID, _ configuration: OverlayConfiguration) async -> OverlayLayer {
        let overlay = OverlayLayer(layer: await engine.addLayer(.overlay), configuration: configuration)
        overlays[id] = overlay
        await refreshDucking()
        return overlay
    }

    /// Ends an overlay: with a fade while it sounds, otherwise at once.
    ///
    /// - Parameters:
    ///   - id: Which overlay.
    ///   - fade: Length of the fade in seconds; `nil` for the configuration's.
    func stopOverlayNow(_ id: OverlayID, fade: TimeInterval? = nil) async {
        guard let overlay = overlays[id], !overlay.state.isIdle else { return }
        let fade = fade ?? overlay.configuration.fadeOutDuration
        pausedLayers.remove(overlay.layer)
        guard overlay.state != .stopping || fade == 0 else { return }
        if fade > 0, await engine.status(of: overlay.layer).activity == .stopping {
            // It has begun by itself, as planned.
            return setState(.stopping, of: id)
        }
        await engine.stop(overlay.layer, fade: fade, curve: overlay.configuration.fadeCurve)
        if overlay.state == .paused || fade == 0 {
            await removeOverlay(id)
        } else {
            setState(.stopping, of: id)
        }
    }

    func pauseOverlayNow(_ id: OverlayID) async {
        guard let overlay = overlays[id], overlay.isSounding else { return }
        await engine.pause(overlay.layer, ramp: Self.pauseRamp)
        setState(.paused, of: id)
    }

    func resumeOverlayNow(_ id: OverlayID) async {
        guard let overlay = overlays[id], overlay.state == .paused else { return }
        do {
            try await engine.resume(overlay.layer, ramp: Self.pauseRamp)
            pausedLayers.remove(overlay.layer)
            let isCrossfading = await engine.status(of: overlay.layer).isCrossfading
            setState(isCrossfading ? .crossfading : .playing, of: id)
            if settings.sleep.isSet { await planStop(of: overlay) }
        } catch {
            report(AudioPlayerError(sounding: error))
        }
    }

    /// Ends an overlay's layer; what it still sounds ends within 10 ms.
    ///
    /// - Parameters:
    ///   - id: Which overlay.
    ///   - frame: When it ended, if it did by itself.
    func removeOverlay(_ id: OverlayID, at frame: Int64? = nil) async {
        setState(.idle, of: id, at: frame)
        guard let overlay = overlays.remove(id) else { return }
        await engine.removeLayer(overlay.layer)
        await refreshDucking()
    }

    /// Runs an operation on every overlay there is, for each when its earlier ones are done.
    func forEachOverlay(_ operation: (OverlayID) async -> Void) async {
        for id in overlays.ids { await overlaySerially(id) { await operation(id) } }
    }

    func setState(_ new: OverlayState, of id: OverlayID, at frame: Int64? = nil) {
        guard let overlay = overlays[id], overlay.state != new else { return }
        overlays[id]?.state = new
        hubs.overlays.post(new, of: id)
        post(.overlayChanged(id, new), at: frame)
    }

    /// Reacts to something that happened on an overlay's layer.
    func overlayReceived(_ event: MixEvent, _ id: OverlayID) async {
        guard let overlay = overlays[id], event.layer == overlay.layer else { return }
        switch event.kind {
        case .idle:
            if await engine.status(of: overlay.layer).activity == .idle {
                await removeOverlay(id, at: event.frame)
            }
        case .plannedStopBegan:
            if await engine.status(of: overlay.layer).activity == .stopping {
                setState(.stopping, of: id, at: event.frame)
            }
        case .crossfadeEnded:
            if overlay.state == .crossfading, await !engine.status(of: overlay.layer).isCrossfading {
                setState(.playing, of: id, at: event.frame)
            }
        case .deckEnded(let deck, .failed(let position, let error)) where deck == overlay.deck:
            guard let url = overlay.url else { return }
            report(.invalidAudioFile(url, reason: "reading ended at \(position) s: \(error)"), of: url, at: event.frame)
        default: break
        }
    }
}
