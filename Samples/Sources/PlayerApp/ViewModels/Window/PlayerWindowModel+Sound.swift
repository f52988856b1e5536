internal import DescantCore
public import Foundation
internal import Observation

/// Crossfades, overlay, equaliser and loudness in a window.
extension PlayerWindowModel {
    /// One band of the equaliser.
    public struct Band: Sendable, Equatable {
        /// The centre: "125", "2k".
        public let name: String
        /// The centre for a screen reader: "125 hertz".
        public let description: String
        /// The gain in decibels.
        public let gain: Double
        /// The gain for a screen reader: "-3 decibels".
        public var gainText: String { "\(Int(gain.rounded())) decibels" }
    }

    /// The range of a band's gain, in decibels.
    public static let gains = -EqualizerSettings.maximumGain...EqualizerSettings.maximumGain

    /// The names of the curves of crossfades.
    public static let curveNames = FadeCurve.allCases.map { curve in
        switch curve {
        case .equalPower: "Equal power"
        case .linear: "Linear"
        case .logarithmic: "Logarithmic"
        case .exponential: "Exponential"
        case .sCurve: "S curve"
        }
    }

    // MARK: Crossfades and loudness

    /// The place of the present curve in ``curveNames``.
    public var curveIndex: Int { FadeCurve.allCases.firstIndex(of: state.crossfadeCurve) ?? 0 }

    /// The overlap of tracks, in seconds, as it was chosen last.
    public var crossfade: TimeInterval { wantedCrossfade ?? state.modes.crossfade }

    /// Sets the overlap of tracks and remembers it.
    ///
    /// - Parameter seconds: 0…30; what is more than 0 and less than 1 becomes 1.
    public func setCrossfade(_ seconds: TimeInterval) {
        let value = seconds <= 0 ? 0 : min(30, max(1, seconds))
        guard value != crossfade else { return }
        wantedCrossfade = value
        sendCrossfade(.setCrossfade(value))
        change { $0.crossfade = value }
    }

    /// Both commands of crossfades wait for each other; the player has the overlap when neither waits.
    private func sendCrossfade(_ intent: PlayerIntent) {
        send(intent) { [weak self] in self?.wantedCrossfade = nil }
    }

    /// Sets the curve of crossfades and remembers it.
    ///
    /// - Parameter index: A place in ``curveNames``; others are ignored.
    public func setCurve(_ index: Int) {
        guard FadeCurve.allCases.indices.contains(index), index != curveIndex else { return }
        let curve = FadeCurve.allCases[index]
        sendCrossfade(.setCrossfadeCurve(curve))
        change { $0.crossfadeCurve = curve }
    }

    /// The place of the present loudness setting among all of them.
    public var loudnessIndex: Int { LoudnessSetting.allCases.firstIndex(of: state.modes.loudness) ?? 0 }

    /// Sets which loudness tags are used, and remembers it.
    ///
    /// - Parameter index: A place among all settings; others are ignored.
    public func setLoudness(_ index: Int) {
        guard LoudnessSetting.allCases.indices.contains(index), index != loudnessIndex else { return }
        let setting = LoudnessSetting.allCases[index]
        send(.setLoudness(setting))
        change { $0.loudness = setting }
    }

    // MARK: Speed and sleep

    /// The range of the speed.
    public static let rates = PlaybackModes.rates

    /// The speed, as it was chosen last or as another program has set it; the pitch is kept.
    public var rate: Double { wantedRate ?? state.modes.rate }

    /// Sets the speed.
    ///
    /// - Parameter rate: In the range of ``rates``.
    public func setRate(_ rate: Double) {
        let value = min(Self.rates.upperBound, max(Self.rates.lowerBound, (rate * 100).rounded() / 100))
        guard value != self.rate else { return }
        wantedRate = value
        send(.setRate(value)) { [weak self] in self?.wantedRate = nil }
    }

    /// The settings of the sleep timer.
    private static let sleepSettings: [SleepSetting] =
        [.off] + [15, 30, 60, 90].map { .after(minutes: $0) } + [.endOfTrack]

    /// The names of the settings of the sleep timer.
    public static let sleepNames = sleepSettings.map { setting in
        switch setting {
        case .off: "Off"
        case .after(let minutes): "After \(minutes) minutes"
        case .endOfTrack: "At the end of the track"
        }
    }

    /// The place of the present setting in ``sleepNames``.
    public var sleepIndex: Int { Self.sleepSettings.firstIndex(of: state.modes.sleep) ?? 0 }

    /// Sets the sleep timer.
    ///
    /// - Parameter index: A place in ``sleepNames``; others are ignored.
    public func setSleep(_ index: Int) {
        guard Self.sleepSettings.indices.contains(index), index != sleepIndex else { return }
        let setting = Self.sleepSettings[index]
        send(.sleep(setting))
        reader?.setSleep(setting)
    }

    /// When the player falls asleep, or the reader while a book is read; `nil` without a timer.
    var sleepText: String? {
        let book = reader.flatMap { $0.isReading ? $0.book : nil }
        switch state.modes.sleep {
        case .off: return nil
        case .after(let minutes):
            let remaining = book.map(\.sleepRemaining) ?? state.sleepRemaining
            return "sleep in " + ClockText.text(remaining ?? TimeInterval(minutes * 60))
        case .endOfTrack: return book == nil ? "sleep after this track" : "sleep after this chapter"
        }
    }

    /// Music and book have one sleep timer: it is over for both as soon as one of them has fallen asleep.
    func followSleep() {
        guard let reader else { return }
        let (music, book) = withObservationTracking {
            (state.modes.sleep, reader.book?.sleep ?? .off)
        } onChange: { [weak self] in
            // Called before the change.
            Task { @MainActor [weak self] in self?.followSleep() }
        }
        let before = sleeping
        sleeping = (music, book)
        if music == .off, before.music != .off { reader.setSleep(.off) }
        // No command of the person: messages stay.
        if book == .off, before.book != .off, music != .off, reader.book?.isAsleep == true {
            intents.send(.sleep(.off))
        }
    }

    // MARK: The overlay

    /// The overlay's name and state: "rain, playing".
    public var overlayText: String {
        guard let overlay = state.overlay else { return "No overlay" }
        return "\(overlay.name), \(overlay.isPlaying ? "playing" : "paused")"
    }

    /// Sets the overlay's volume.
    ///
    /// - Parameter volume: 0…1.
    public func setOverlayVolume(_ volume: Double) {
        if volume != state.overlayVolume { send(.setOverlayVolume(volume)) }
    }

    // MARK: The equaliser

    /// Whether the equaliser is on.
    public var isEqualizerOn: Bool { preferences.equalizer.isEnabled }

    /// The bands, the lowest first.
    public var bands: [Band] {
        zip(EqualizerSettings.bandFrequencies, preferences.equalizer.bandGains).map { frequency, gain in
            let thousands = frequency >= 1_000
            return Band(
                name: thousands ? "\(Int(frequency / 1_000))k" : "\(Int(frequency))",
                description: thousands ? "\(Int(frequency / 1_000)) kilohertz" : "\(Int(frequency)) hertz", gain: gain)
        }
    }

    /// Switches the equaliser.
    ///
    /// - Parameter isOn: Whether it is on.
    public func setEqualizer(isOn: Bool) { changeEqualizer { $0.isEnabled = isOn } }

    /// Sets the gain of a band.
    ///
    /// - Parameters:
    ///   - index: The band, from the lowest; others are ignored.
    ///   - gain: Decibels, in the range of ``gains``.
    public func setBand(_ index: Int, gain: Double) {
        changeEqualizer { settings in
            guard settings.bandGains.indices.contains(index) else { return }
            settings.bandGains[index] = gain
        }
    }

    /// Sets all bands and the preamp to 0.
    public func flattenEqualizer() { changeEqualizer { $0 = EqualizerSettings(isEnabled: $0.isEnabled) } }

    /// The names of the presets; the first one stands for gains of the person's own.
    public static let presetNames = ["Custom"] + EqualizerPreset.all.map(\.name.capitalized)

    /// The place of the present gains in ``presetNames``.
    public var presetIndex: Int { preferences.equalizer.presetIndex.map { $0 + 1 } ?? 0 }

    /// Switches the equaliser on with the gains of a preset, or with the person's own, as they were set last.
    ///
    /// - Parameter index: A place in ``presetNames``; others are ignored.
    public func setPreset(_ index: Int) {
        guard Self.presetNames.indices.contains(index), index != presetIndex else { return }
        let settings = index > 0 ? EqualizerPreset.all[index - 1].settings : preferences.ownEqualizer
        changeEqualizer { $0 = settings }
    }

    private func changeEqualizer(_ change: (inout EqualizerSettings) -> Void) {
        let before = preferences.equalizer
        var settings = before
        change(&settings)
        guard settings != before else { return }
        self.change { preferences in
            // Neither a preset nor a flat curve is the person's own.
            if before.presetIndex == nil, !before.isFlat {
                preferences.ownEqualizer = before
                preferences.ownEqualizer.isEnabled = true
            }
            preferences.equalizer = settings
        }
        send(.setEqualizer(settings))
    }
}
