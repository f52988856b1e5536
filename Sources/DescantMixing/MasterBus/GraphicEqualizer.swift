package import DescantCore

/// A 10-band equaliser over interleaved blocks: a chain with an ``EqualizerEffect``, or with none when the settings change nothing.
///
/// A change of settings crossfades over 20 ms, see ``EffectChain``. A flat equaliser does not change a bit.
package struct GraphicEqualizer: Sendable {
    private let entry: EffectPlan.Entry
    private var chain: EffectChain
    /// The settings of the last call.
    package private(set) var settings: EqualizerSettings

    /// Creates an equaliser; its first settings need no fade.
    ///
    /// - Parameters:
    ///   - sampleRate: Frames per second.
    ///   - channels: Channels of a frame.
    ///   - settings: What it does.
    package init(sampleRate: Int, channels: Int, settings: EqualizerSettings = EqualizerSettings()) {
        let format = PCMFormat(sampleRate: sampleRate, channels: channels)
        entry = Self.entry(for: format)
        self.settings = settings
        chain = EffectChain(format, plan: Self.plan(entry, settings))
    }

    private static func entry(for format: PCMFormat) -> EffectPlan.Entry {
        var effect = EqualizerEffect()
        effect.prepare(format, maximumFrames: EffectChain.maximumFrames)
        return EffectPlan.Entry(id: EffectID(), name: "equalizer", effect: effect, values: [:])
    }

    private static func plan(_ entry: EffectPlan.Entry, _ settings: EqualizerSettings) -> EffectPlan {
        guard settings.isEnabled, !settings.isFlat else { return EffectPlan([]) }
        var entry = entry
        entry.values = Dictionary(uniqueKeysWithValues: zip(EqualizerEffect.bands, settings.bandGains))
        entry.values[EqualizerEffect.preamp] = settings.preamp
        return EffectPlan([entry])
    }

    /// Changes the settings from the next frame on.
    package mutating func set(_ settings: EqualizerSettings) {
        guard settings != self.settings else { return }
        self.settings = settings
        chain.set(Self.plan(entry, settings))
    }

    /// A copy of the state, to continue from later.
    package var snapshot: GraphicEqualizer {
        var copy = self
        copy.chain = chain.snapshot
        return copy
    }

    /// Whether samples pass unchanged.
    package var passesUntouched: Bool { chain.passesUntouched }

    /// Whether silence stays silence and no fade is running.
    package var isAtRest: Bool { chain.isAtRest }

    /// Equalises a block in place.
    package mutating func process(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
        chain.process(samples, frames: frames)
    }
}
