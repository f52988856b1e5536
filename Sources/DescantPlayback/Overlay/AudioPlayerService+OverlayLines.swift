internal import DescantCore
internal import Foundation

/// What overlays are made of: a layer each, from the first clip to the end of the last one.
extension AudioPlayerService {
    func playOverlay(_ url: URL, _ configuration: OverlayConfiguration, _ id: OverlayID) async throws {
        openingOverlays.insert(id)
        defer {
            openingOverlays.remove(id)
            beginsPaused.remove(id)
        }
        let deck = try await openDeck(url, for: .overlay(id)).id
        let replaces = overlays[id]?.isReplaceable ?? false
        var line: OverlayLine
        if let present = overlays[id] { line = present } else { line = await addOverlay(id, configuration) }
        let entry = DeckEntry.crossfade(configuration.crossfadeDuration, curve: configuration.fadeCurve)
        var plan = configuration.loopPlan
        // The crossfade takes the place of the first pass's fade-in.
        if replaces { plan.fadeIn = 0 }
        await engine.setTrackGain(Double(configuration.volume), of: deck, ramp: 0)
        do {
            try await engine.play(deck, on: line.layer, entry: replaces ? entry : .cut, loop: plan)
        } catch {
            await engine.closeDeck(deck)
            if line.state.isIdle { await removeOverlay(id) }
            throw AudioPlayerError(sounding: error)
        }
        if replaces { await engine.setLoop(configuration.loopPlan, on: line.layer) }
        line.deck = deck
        line.url = url
        line.configuration = configuration
        overlays[id] = line
        if line.state != .paused { await begin(line, of: id, replaces: replaces) }
        if sleepTimer != nil { await planStop(of: line) }
    }

    /// Says that a clip has begun to sound, unless it is to wait with everything else.
    private func begin(_ line: OverlayLine, of id: OverlayID, replaces: Bool) async {
        if beginsPaused.contains(id) {
            await engine.pause(line.layer, ramp: replaces ? Self.pauseRamp : 0)
            pausedTogether.insert(line.layer)
            return setState(.paused, of: id)
        }
        // A clip that is just ending is not long enough for a crossfade.
        let overlaps = await engine.status(of: line.layer).isCrossfading
        setState(replaces && overlaps ? .crossfading : .playing, of: id)
    }

    private func addOverlay(_ id: OverlayID, _ configuration: OverlayConfiguration) async -> OverlayLine {
        let line = OverlayLine(layer: await engine.addLayer(.overlay), configuration: configuration)
        overlays[id] = line
        await refreshDucking()
        return line
    }

    /// Ends an overlay: with a fade while it sounds, otherwise at once.
    ///
    /// - Parameters:
    ///   - id: Which overlay.
    ///   - fade: Length of the fade in seconds; `nil` for the configuration's.
    func stopOverlayLine(_ id: OverlayID, fade: TimeInterval? = nil) async {
        guard let line = overlays[id], !line.state.isIdle else { return }
        let fade = fade ?? line.configuration.fadeOutDuration
        pausedTogether.remove(line.layer)
        guard line.state != .stopping || fade == 0 else { return }
        if fade > 0, await engine.status(of: line.layer).activity == .stopping {
            // It has begun by itself, as planned.
            return setState(.stopping, of: id)
        }
        await engine.stop(line.layer, fade: fade, curve: line.configuration.fadeCurve)
        if line.state == .paused || fade == 0 {
            await removeOverlay(id)
        } else {
            setState(.stopping, of: id)
        }
    }

    func pauseOverlayLine(_ id: OverlayID) async {
        guard let line = overlays[id], line.state == .playing || line.state == .crossfading else { return }
        await engine.pause(line.layer, ramp: Self.pauseRamp)
        setState(.paused, of: id)
    }

    func resumeOverlayLine(_ id: OverlayID) async {
        guard let line = overlays[id], line.state == .paused else { return }
        do {
            try await engine.resume(line.layer, ramp: Self.pauseRamp)
            pausedTogether.remove(line.layer)
            let isCrossfading = await engine.status(of: line.layer).isCrossfading
            setState(isCrossfading ? .crossfading : .playing, of: id)
            if sleepTimer != nil { await planStop(of: line) }
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
        guard let line = overlays.removeValue(forKey: id) else { return }
        await engine.removeLayer(line.layer)
        await refreshDucking()
    }

    /// Runs an operation on every overlay there is, for each when its earlier ones are done.
    func forEachOverlay(_ operation: (OverlayID) async -> Void) async {
        for id in overlays.keys { await overlaySerially(id) { await operation(id) } }
    }

    func setState(_ new: OverlayState, of id: OverlayID, at frame: Int64? = nil) {
        guard let line = overlays[id], line.state != new else { return }
        overlays[id]?.state = new
        overlayStates.post(new, of: id)
        post(.overlayChanged(id, new), at: frame)
    }

    /// Reacts to something that happened on an overlay's layer.
    func overlayReceived(_ event: MixEvent, _ id: OverlayID) async {
        guard let line = overlays[id], event.layer == line.layer else { return }
        switch event.kind {
        case .idle:
            if await engine.status(of: line.layer).activity == .idle {
                await removeOverlay(id, at: event.frame)
            }
        case .plannedStopBegan:
            if await engine.status(of: line.layer).activity == .stopping {
                setState(.stopping, of: id, at: event.frame)
            }
        case .crossfadeEnded:
            if line.state == .crossfading, await !engine.status(of: line.layer).isCrossfading {
                setState(.playing, of: id, at: event.frame)
            }
        case .deckEnded(let deck, .failed(let position, let error)) where deck == line.deck:
            guard let url = line.url else { return }
            report(.invalidAudioFile(url, reason: "reading ended at \(position) s: \(error)"), of: url, at: event.frame)
        default: break
        }
    }
}
