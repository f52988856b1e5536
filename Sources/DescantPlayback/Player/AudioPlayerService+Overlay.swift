public import DescantCore
public import Foundation

extension AudioPlayerService {
    /// Plays a clip beside the main line, which is never disturbed by it. While the overlay is active, the new clip
    /// replaces the old one with a crossfade over the new configuration's ``OverlayConfiguration/crossfadeDuration``.
    ///
    /// - Parameters:
    ///   - url: The clip.
    ///   - configuration: How to play it.
    ///   - id: Which overlay.
    /// - Throws: ``AudioPlayerError/fileNotFound(_:)``, ``AudioPlayerError/invalidAudioFile(_:reason:)``,
    ///   ``AudioPlayerError/sessionError(_:)``; nothing was changed then.
    public func startOverlay(
        url: URL, configuration: OverlayConfiguration, as id: OverlayID = .default
    ) async throws {
        try await overlaySerially(id) {
            try Task.checkCancellation()
            try await playOverlay(url, configuration, id)
        }
    }

    /// Fades an overlay out over its ``OverlayConfiguration/fadeOutDuration``; harmless when it is not active.
    ///
    /// - Parameter id: Which overlay.
    public func stopOverlay(_ id: OverlayID = .default) async {
        commands.abandonOpening(for: .overlay(id))
        await overlaySerially(id) { await stopOverlayNow(id) }
    }

    /// Freezes an overlay where it is: its clip, its fades, a crossfade, the delay between two passes. Harmless when it does
    /// not play.
    ///
    /// - Parameter id: Which overlay.
    public func pauseOverlay(_ id: OverlayID = .default) async {
        await overlaySerially(id) { await pauseOverlayNow(id) }
    }

    /// Lets a frozen overlay go on; harmless when it is not frozen.
    ///
    /// - Parameter id: Which overlay.
    public func resumeOverlay(_ id: OverlayID = .default) async {
        await overlaySerially(id) { await resumeOverlayNow(id) }
    }

    /// Crossfades to another clip over ``OverlayConfiguration/crossfadeDuration``; its loops count from the beginning. A frozen
    /// overlay stays frozen.
    ///
    /// - Parameters:
    ///   - url: The clip.
    ///   - id: Which overlay.
    /// - Throws: ``AudioPlayerError/invalidState(current:attempted:)`` when it is not active, or the file's error; nothing was
    ///   changed then.
    public func replaceOverlay(url: URL, in id: OverlayID = .default) async throws {
        try await overlaySerially(id) {
            try Task.checkCancellation()
            guard let overlay = overlays[id], overlay.isReplaceable else {
                let present = overlays[id]?.state ?? .idle
                throw AudioPlayerError.invalidState(current: "overlay \(present.rawValue)", attempted: "replaceOverlay")
            }
            try await playOverlay(url, overlay.configuration, id)
        }
    }

    // MARK: Settings

    /// Sets an overlay's gain, reached within 10 ms; harmless when it is not active.
    ///
    /// - Parameters:
    ///   - volume: Linear, clamped to 0…1.
    ///   - id: Which overlay.
    public func setOverlayVolume(_ volume: Float, of id: OverlayID = .default) async {
        await overlaySerially(id) {
            overlays[id]?.configuration.volume = volume
            guard let overlay = overlays[id], let deck = overlay.deck else { return }
            await engine.setTrackGain(Double(overlay.configuration.volume), of: deck, ramp: 0.01)
        }
    }

    /// Sets how often an overlay's clip is played, from the next pass on; passes that were played count. Harmless when it
    /// is not active.
    ///
    /// - Parameters:
    ///   - mode: How often; counts are clamped to 1…1000.
    ///   - id: Which overlay.
    public func setOverlayLoopMode(_ mode: LoopMode, of id: OverlayID = .default) async {
        await changeLoop(of: id) { $0.loopMode = mode }
    }

    /// Sets the silence between two passes of an overlay, from the next pass on. Harmless when it is not active.
    ///
    /// - Parameters:
    ///   - delay: Seconds, clamped to 0…600.
    ///   - id: Which overlay.
    public func setOverlayLoopDelay(_ delay: TimeInterval, of id: OverlayID = .default) async {
        await changeLoop(of: id) { $0.loopDelay = delay }
    }

    private func changeLoop(of id: OverlayID, _ change: (inout OverlayConfiguration) -> Void) async {
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
    public func getOverlayState(_ id: OverlayID = .default) async -> OverlayState { overlays[id]?.state ?? .idle }

    /// How an overlay plays; `nil` when it is not active.
    ///
    /// - Parameter id: Which overlay.
    public func overlayConfiguration(of id: OverlayID = .default) -> OverlayConfiguration? {
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
    public nonisolated func overlayUpdates(of id: OverlayID = .default) -> EventStream<OverlayState> {
        hubs.overlays.stream(of: id)
    }
}
