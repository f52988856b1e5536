public import DescantCore
internal import Foundation

/// How loud and with what colour the player sounds.
extension AudioPlayerService {
    /// Brings tracks to one loudness by their tags. Takes effect at once: what sounds moves to its new gain within 0.1 s, and
    /// tracks to come have theirs from their first frame, also those that are open already.
    ///
    /// - Parameter settings: Which gain is used, and how; kept until ``reset()``.
    public func setReplayGain(_ settings: ReplayGainSettings) async {
        await serially {
            guard settings != replayGain else { return }
            self.settings.replayGain = settings
            for track in main.opened { await applyReplayGain(to: track.deck, track.info) }
        }
    }

    /// Sets a deck's gain by its track's tags: within a ramp when it sounds, otherwise from its first frame.
    func applyReplayGain(to deck: DeckID, _ track: TrackInfo) async {
        await engine.setTrackGain(replayGain.gain(for: track.replayGain), of: deck, ramp: 0.1)
    }

    /// Sets the equaliser, which acts on everything that the engine sounds; changes fade over 20 ms, and switched off it leaves
    /// every bit as it is.
    ///
    /// - Parameter settings: What it does; kept until ``reset()``.
    public func setEqualizer(_ settings: EqualizerSettings) async { await engine.setEqualizer(settings) }

    /// What the equaliser was set to.
    public var equalizer: EqualizerSettings { get async { await engine.equalizer } }

    /// Turns the limiter at the end of the mix on or off; on by default. It leaves every sample as it is until the sum of all
    /// that sounds passes -0.1 dBFS.
    ///
    /// - Parameter enabled: Whether it works; kept until ``reset()``.
    public func setLimiter(enabled: Bool) async { await engine.setLimiter(enabled: enabled) }

    /// Everything back to how a new player sounds.
    func resetLoudness() async {
        settings.replayGain = ReplayGainSettings()
        await engine.setEqualizer(EqualizerSettings())
        await engine.setLimiter(enabled: true)
        settings.trackEffects.removeAll()
        try? await (engine as? any EffectEngine)?.setEffects([], at: .mix)
    }
}
