public import DescantCore
public import Foundation

extension AudioPlayerService {
    /// Plays a clip beside the main layer, which is never disturbed by it. It takes part in the audio session as the main layer does.
    /// While the overlay is active, the new clip replaces the old one with a crossfade over the new configuration's
    /// ``OverlayConfiguration/crossfadeDuration``.
    ///
    /// - Parameters:
    ///   - url: The clip.
    ///   - configuration: How to play it.
    ///   - id: Which overlay.
    /// - Throws: ``AudioPlayerError/fileNotFound(_:)``, ``AudioPlayerError/invalidAudioFile(_:reason:)``,
    ///   ``AudioPlayerError/sessionError(_:)``; nothing was changed then.
    public func startOverlay(
        url: URL, configuration: OverlayConfiguration, id: OverlayID = .default
    ) async throws {
        try await openOverlay(url, id) { try await playOverlay($0, of: url, configuration, id, call: $1) }
    }

    /// Fades an overlay out over its ``OverlayConfiguration/fadeOutDuration``; harmless when it is not active.
    ///
    /// - Parameter id: Which overlay.
    public func stopOverlay(id: OverlayID = .default) async {
        commands.abandonOpenings(of: id)
        await overlaySerially(id) { await stopOverlayNow(id) }
    }

    /// Freezes an overlay where it is: its clip, its fades, a crossfade, the delay between two passes. A clip that is being opened
    /// begins frozen. Harmless when the overlay does not play.
    ///
    /// - Parameter id: Which overlay.
    public func pauseOverlay(id: OverlayID = .default) async {
        overlays.pauseOpening(id)
        await overlaySerially(id) {
            // The end of an interruption does not resume it any more.
            if let overlay = overlays[id] { pausedLayers.remove(overlay.layer) }
            await pauseOverlayNow(id)
            await pauseSession()
        }
    }

    /// Lets a frozen overlay go on; harmless when it is not frozen.
    ///
    /// - Parameter id: Which overlay.
    public func resumeOverlay(id: OverlayID = .default) async {
        overlays.resumeOpening(id)
        await overlaySerially(id) { await resumeOverlayNow(id) }
    }

    /// Crossfades to another clip over ``OverlayConfiguration/crossfadeDuration``; its loops count from the beginning. The old clip
    /// goes on looping during the crossfade; when its last pass ends sooner, the crossfade ends with it. A frozen overlay stays
    /// frozen, and the crossfade with it: when it is resumed, the old clip fades out from where it was frozen. When the old clip is
    /// silent between two passes, or less than 0.1 s of it is left, the new one begins with its own fade-in.
    ///
    /// - Parameters:
    ///   - url: The clip.
    ///   - id: Which overlay.
    /// - Throws: ``AudioPlayerError/invalidState(current:attempted:)`` when it is not active, or the file's error; nothing was
    ///   changed then.
    public func replaceOverlay(url: URL, id: OverlayID = .default) async throws {
        try await openOverlay(url, id, if: { _ = try self.replaceableOverlay(id) }) {
            try await playOverlay($0, of: url, try replaceableOverlay(id).configuration, id, call: $1)
        }
    }

    private func replaceableOverlay(_ id: OverlayID) throws -> OverlayLayer {
        if let overlay = overlays[id], overlay.isReplaceable { return overlay }
        let present = overlays[id]?.state ?? .idle
        throw AudioPlayerError.invalidState(current: "overlay \(present.rawValue)", attempted: "replaceOverlay")
    }

    // MARK: Settings

    /// Sets an overlay's gain, reached within 10 ms, or while it is frozen; harmless when it is not active. During a crossfade it
    /// is the gain of both clips.
    ///
    /// - Parameters:
    ///   - volume: Linear, clamped to 0…1.
    ///   - id: Which overlay.
    public func setOverlayVolume(_ volume: Float, id: OverlayID = .default) async {
        overlays.changeOpening(id) { $0.volume = volume }
        await overlaySerially(id) {
            overlays[id]?.configuration.volume = volume
            guard let overlay = overlays[id] else { return }
            // Nothing sounds while the overlay is frozen. A ramp would be heard when it goes on.
            let ramp = overlay.state == .paused ? 0 : 0.01
            for deck in overlay.decks {
                await engine.setTrackGain(Double(overlay.configuration.volume), of: deck, ramp: ramp)
            }
        }
    }

    /// Sets how often an overlay's clip is played, from the next pass on; passes that were played count. Harmless when it
    /// is not active.
    ///
    /// - Parameters:
    ///   - mode: How often; counts are clamped to 1…1000.
    ///   - id: Which overlay.
    public func setOverlayLoopMode(_ mode: LoopMode, id: OverlayID = .default) async {
        await changeLoop(of: id) { $0.loopMode = mode }
    }

    /// Sets the silence between two passes of an overlay, from the next pass on. Harmless when it is not active.
    ///
    /// - Parameters:
    ///   - delay: Seconds, clamped to 0…600.
    ///   - id: Which overlay.
    public func setOverlayLoopDelay(_ delay: TimeInterval, id: OverlayID = .default) async {
        await changeLoop(of: id) { $0.loopDelay = delay }
    }

    private func changeLoop(
        of id: OverlayID, _ change: @escaping @Sendable (inout OverlayConfiguration) -> Void
    ) async {
        overlays.changeOpening(id, change)
        await overlaySerially(id) {
            guard var overlay = overlays[id], overlay.isReplaceable else { return }
            change(&overlay.configuration)
            overlays[id] = overlay
            await engine.setLoop(overlay.configuration.loopPlan, on: overlay.layer)
        }
    }

    // MARK: What they are doing

    /// What an overlay is doing.
    ///
    /// - Parameter id: Which overlay.
    public func getOverlayState(id: OverlayID = .default) async -> OverlayState { overlays[id]?.state ?? .idle }

    /// How an overlay plays; `nil` when it is not active.
    ///
    /// - Parameter id: Which overlay.
    public func overlayConfiguration(id: OverlayID = .default) -> OverlayConfiguration? {
        overlays[id]?.configuration
    }

    /// The overlays that are not idle, by name.
    public var activeOverlays: [OverlayID] {
        overlays.activeIDs
    }

    /// Every change of what an overlay is doing from now on; begins with the present state. A slow reader gets the newest
    /// only, unless it asks for a buffer.
    ///
    /// - Parameter id: Which overlay; need not be active.
    public nonisolated func overlayUpdates(id: OverlayID = .default) -> EventStream<OverlayState> {
        hubs.overlays.stream(of: id)
    }
}

/// The layers of overlays. Each overlay has one, from its first clip to the end of its last one.
extension AudioPlayerService {
    /// Opens a clip and lets it take effect.
    ///
    /// - Parameters:
    ///   - url: The clip.
    ///   - id: Which overlay.
    ///   - isLegal: Throws when the call is not legal now.
    ///   - play: Plays the opened deck, for the call with a number.
    private func openOverlay(
        _ url: URL, _ id: OverlayID, if isLegal: () throws -> Void = {}, _ play: (DeckID, Int) async throws -> Void
    ) async throws {
        // A call that waits for an earlier one is paused and changed with it.
        let number = overlays.beganOpening(id)
        defer { overlays.endedOpening(id) }
        try await opening(for: .overlay(id)) { call in
            try isLegal()
            let deck = try await openDeck(url, for: call).id
            try await commit(deck, of: call) { try await play(deck, number) }
        }
    }

    private func playOverlay(
        _ deck: DeckID, of url: URL, _ chosen: OverlayConfiguration, _ id: OverlayID, call: Int
    ) async throws {
        let configuration = overlays.configuration(chosen, of: id, call: call)
        let replaces = overlays[id]?.isReplaceable ?? false
        var overlay: OverlayLayer
        if let present = overlays[id] { overlay = present } else { overlay = await addOverlay(id, configuration) }
        let entry = DeckEntry.crossfade(configuration.crossfadeDuration, curve: configuration.fadeCurve)
        await engine.setTrackGain(Double(configuration.volume), of: deck, ramp: 0)
        do {
            if overlay.state != .paused { try await activateSession(reason: "overlay") }
            try await engine.play(deck, on: overlay.layer, entry: replaces ? entry : .cut, loop: configuration.loopPlan)
        } catch {
            await engine.closeDeck(deck)
            if overlay.state.isIdle { await removeOverlay(id) }
            throw AudioPlayerError(sounding: error)
        }
        overlay.outgoing = overlay.decks
        overlay.deck = deck
        overlay.url = url
        overlay.configuration = configuration
        overlays[id] = overlay
        if overlay.state != .paused { await begin(overlay, of: id, call: call, replaces: replaces) }
        if settings.sleep.isSet { await planStop(of: overlay) }
    }

    /// Says that a clip has begun to sound, unless it is to wait with everything else.
    private func begin(_ overlay: OverlayLayer, of id: OverlayID, call: Int, replaces: Bool) async {
        if overlays.beginsPaused(id, call: call) {
            await engine.pause(overlay.layer, ramp: replaces ? Self.pauseRamp : 0)
            if overlays.beginsPausedWithAll(id) { pausedLayers.insert(overlay.layer) }
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

    /// Ends an overlay: with a fade while it sounds, otherwise at once. Within a fade, a shorter one shortens it.
    ///
    /// - Parameters:
    ///   - id: Which overlay.
    ///   - fade: Length of the fade in seconds; `nil` for the configuration's.
    func stopOverlayNow(_ id: OverlayID, fade: TimeInterval? = nil) async {
        guard let overlay = overlays[id], !overlay.state.isIdle else { return }
        let fade = fade ?? overlay.configuration.fadeOutDuration
        let frames = engine.mixFormat.frames(in: fade)
        pausedLayers.remove(overlay.layer)
        guard overlay.state != .stopping || frames < overlay.stopFrames else { return }
        if fade > 0, overlay.state != .stopping, await engine.status(of: overlay.layer).activity == .stopping {
            // It has begun by itself, as planned.
            return setState(.stopping, of: id)
        }
        await engine.stop(overlay.layer, fade: fade, curve: overlay.configuration.fadeCurve)
        if overlay.state == .paused || fade == 0 {
            await removeOverlay(id)
        } else {
            overlays[id]?.stopFrames = frames
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
            try await activateSession(reason: "resume")
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
        pausedLayers.remove(overlay.layer)
        await engine.removeLayer(overlay.layer)
        await refreshDucking()
        await deactivateSilentSession("overlay ended")
    }

    /// Runs an operation on every overlay there is, for each when its earlier ones are done.
    func forEachOverlay(_ operation: (OverlayID) async -> Void) async {
        for id in overlays.ids { await overlaySerially(id) { await operation(id) } }
    }

    func setState(_ new: OverlayState, of id: OverlayID, at frame: Int64? = nil) {
        guard let overlay = overlays[id], overlay.state != new else { return }
        overlays[id]?.state = new
        hubs.overlays.post(new, of: id)
        hubs.remote.post(.updated)
        post(.overlayChanged(id, new), at: frame)
    }

    /// Reacts to something that happened on an overlay's layer.
    func overlayReceived(_ event: MixEvent, _ id: OverlayID) async {
        guard let overlay = overlays[id], event.layer == overlay.layer else { return }
        if case .deckEnded(let deck, _) = event.kind { overlays[id]?.outgoing.removeAll { $0 == deck } }
        switch event.kind {
        case .idle:
            if await engine.status(of: overlay.layer).activity == .idle {
                await removeOverlay(id, at: event.frame)
            }
        case .plannedStopBegan(let frames):
            if await engine.status(of: overlay.layer).activity == .stopping {
                overlays[id]?.stopFrames = frames
                setState(.stopping, of: id, at: event.frame)
            }
        case .crossfadeEnded:
            if overlay.state == .crossfading, await !engine.status(of: overlay.layer).isCrossfading {
                setState(.playing, of: id, at: event.frame)
            }
        case .deckEnded(let deck, .failed(let position, let error)) where deck == overlay.deck:
            guard let url = overlay.url else { return }
            report(AudioPlayerError(reading: error, of: url, at: position), of: url, at: event.frame)
        default: break
        }
    }
}
