internal import DescantCore
public import Foundation

extension AudioPlayerService {
    /// Plays a clip beside the main line, which is never disturbed by it. While an overlay is active, the new one
    /// replaces it with a crossfade.
    ///
    /// - Parameters:
    ///   - url: The clip.
    ///   - configuration: How to play it.
    /// - Throws: ``AudioPlayerError/fileNotFound(_:)``, ``AudioPlayerError/invalidAudioFile(_:reason:)``,
    ///   ``AudioPlayerError/sessionError(_:)``; nothing was changed then.
    public func startOverlay(url: URL, configuration: OverlayConfiguration) async throws {
        try await overlaySerially {
            try Task.checkCancellation()
            try await playOverlay(url, configuration)
        }
    }

    /// Fades the overlay out over its ``OverlayConfiguration/fadeOutDuration``; harmless when there is none.
    public func stopOverlay() async {
        interruptOpening(for: .overlay)
        await overlaySerially { await stopOverlayLine(fade: overlay?.configuration.fadeOutDuration ?? 0) }
    }

    /// Freezes the overlay, within a loop delay too; harmless when it does not play.
    public func pauseOverlay() async {
        await overlaySerially { await pauseOverlayLine() }
    }

    /// Lets a frozen overlay go on; harmless when it is not frozen.
    public func resumeOverlay() async {
        await overlaySerially { await resumeOverlayLine() }
    }

    /// Crossfades to another clip over ``OverlayConfiguration/crossfadeDuration``; its loops count from the beginning. A frozen
    /// overlay stays frozen.
    ///
    /// - Parameter url: The clip.
    /// - Throws: ``AudioPlayerError/invalidState(current:attempted:)`` when there is no overlay, or the file's error; nothing was
    ///   changed then.
    public func replaceOverlay(url: URL) async throws {
        try await overlaySerially {
            try Task.checkCancellation()
            guard let line = overlay, !line.state.isIdle, line.state != .stopping else {
                let present = overlay?.state ?? .idle
                throw AudioPlayerError.invalidState(current: "overlay \(present.rawValue)", attempted: "replaceOverlay")
            }
            try await playOverlay(url, line.configuration)
        }
    }

    /// Sets the overlay's gain, reached within 10 ms; harmless when there is none.
    ///
    /// - Parameter volume: Linear, clamped to 0…1.
    public func setOverlayVolume(_ volume: Float) async {
        await overlaySerially {
            guard let line = overlay, !line.state.isIdle else { return }
            overlay?.configuration.volume = volume
            await engine.setGain(Double(volume.clamped(to: 0...1)), of: line.layer, ramp: 0.01)
        }
    }

    /// What the overlay is doing.
    public func getOverlayState() async -> OverlayState { overlay?.state ?? .idle }

    // MARK: Steps

    private func playOverlay(_ url: URL, _ configuration: OverlayConfiguration) async throws {
        let deck = try await openDeck(url, for: .overlay).id
        let line = await overlayLine(configuration)
        let replaces = !line.state.isIdle && line.state != .stopping
        let entry = DeckEntry.crossfade(configuration.crossfadeDuration, curve: configuration.fadeCurve)
        var plan = configuration.loopPlan
        // The crossfade takes the place of the first pass's fade-in.
        if replaces { plan.fadeIn = 0 }
        await engine.setGain(Double(configuration.volume), of: line.layer, ramp: replaces ? 0.01 : 0)
        do {
            try await engine.play(deck, on: line.layer, entry: replaces ? entry : .cut, loop: plan)
        } catch {
            await engine.closeDeck(deck)
            await engine.setGain(Double(line.configuration.volume), of: line.layer, ramp: 0)
            throw AudioPlayerError(sounding: error)
        }
        if replaces { await engine.setLoop(configuration.loopPlan, on: line.layer) }
        overlay?.deck = deck
        overlay?.url = url
        overlay?.configuration = configuration
        if line.state != .paused { setOverlayState(replaces ? .crossfading : .playing) }
    }

    /// The overlay's layer, made when it is needed for the first time.
    private func overlayLine(_ configuration: OverlayConfiguration) async -> OverlayLine {
        if let overlay { return overlay }
        let line = OverlayLine(layer: await engine.addLayer(.overlay), configuration: configuration)
        overlay = line
        return line
    }

    func stopOverlayLine(fade: TimeInterval) async {
        guard let line = overlay, !line.state.isIdle else { return }
        pausedTogether.remove(line.layer)
        guard line.state != .stopping || fade == 0 else { return }
        await engine.stop(line.layer, fade: fade, curve: line.configuration.fadeCurve)
        if line.state == .paused || fade == 0 {
            endOverlay()
        } else {
            setOverlayState(.stopping)
        }
    }

    func pauseOverlayLine() async {
        guard let line = overlay, line.state == .playing || line.state == .crossfading else { return }
        await engine.pause(line.layer, ramp: Self.pauseRamp)
        setOverlayState(.paused)
    }

    func resumeOverlayLine() async {
        guard let line = overlay, line.state == .paused else { return }
        pausedTogether.remove(line.layer)
        do {
            try await engine.resume(line.layer, ramp: Self.pauseRamp)
            let isCrossfading = await engine.status(of: line.layer).isCrossfading
            setOverlayState(isCrossfading ? .crossfading : .playing)
        } catch {
            report(AudioPlayerError(sounding: error))
        }
    }

    func removeOverlay() async {
        guard let line = overlay else { return }
        endOverlay()
        overlay = nil
        await engine.removeLayer(line.layer)
    }

    private func endOverlay() {
        overlay?.deck = nil
        overlay?.url = nil
        setOverlayState(.idle)
    }

    private func setOverlayState(_ new: OverlayState) {
        guard let line = overlay, line.state != new else { return }
        overlay?.state = new
        post(.overlayChanged(new))
    }

    // MARK: Events

    /// Reacts to something that happened on the overlay's layer.
    func overlayReceived(_ event: MixEvent) async {
        guard let line = overlay, event.layer == line.layer else { return }
        switch event.kind {
        case .idle:
            if await engine.status(of: line.layer).activity == .idle { endOverlay() }
        case .crossfadeEnded:
            if line.state == .crossfading, await !engine.status(of: line.layer).isCrossfading {
                setOverlayState(.playing)
            }
        case .deckEnded(let deck, .failed(let position, let error)) where deck == line.deck:
            guard let url = line.url else { return }
            report(.invalidAudioFile(url, reason: "reading ended at \(position) s: \(error)"), of: url, at: event.frame)
        default: break
        }
    }
}
