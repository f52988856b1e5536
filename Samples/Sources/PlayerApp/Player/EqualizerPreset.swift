public import DescantCore

/// A setting of the equaliser with a name.
///
/// The preamp makes room for the bands that are raised, so that the equaliser amplifies no frequency and music at full scale does not
/// reach the limiter.
public struct EqualizerPreset: Sendable, Equatable {
    /// The name: "bass".
    public let name: String
    /// The gains and their preamp.
    public let settings: EqualizerSettings

    private init(_ name: String, preamp: Double, _ gains: [Double]) {
        self.name = name
        settings = EqualizerSettings(isEnabled: true, preamp: preamp, bandGains: gains)
    }

    /// All presets, in the order in which a key goes through them.
    public static let all = [
        EqualizerPreset("bass", preamp: -6, [3, 3, 2, 1]),
        EqualizerPreset("treble", preamp: -6, [0, 0, 0, 0, 0, 0, 1, 2, 3, 3]),
        EqualizerPreset("loudness", preamp: -6.5, [4, 3, 2, 0, -1, -1, 0, 1, 2, 4]),
        EqualizerPreset("voice", preamp: -5, [-9, -6, -3, 0, 1, 2, 3, 1, -1, -3]),
    ]

    /// The preset with a name; `nil` for an unknown one.
    ///
    /// - Parameter name: The name.
    public static func named(_ name: String) -> EqualizerPreset? { all.first { $0.name == name } }
}

extension EqualizerSettings {
    /// The place of the preset with these gains; `nil` for others.
    var presetIndex: Int? {
        EqualizerPreset.all.firstIndex { $0.settings.preamp == preamp && $0.settings.bandGains == bandGains }
    }

    /// Whether samples are changed.
    private var isHeard: Bool { isEnabled && !isFlat }

    /// What a view says of the equaliser: the preset's name, or "custom"; `nil` when it changes nothing.
    public var shownName: String? {
        isHeard ? presetIndex.map { EqualizerPreset.all[$0].name } ?? "custom" : nil
    }

    /// The settings that a key changes to: off, those that the person has brought, and the presets.
    ///
    /// - Parameter own: What the person has brought.
    func next(own: EqualizerSettings) -> EqualizerSettings {
        let isOwn = own.isHeard && own.presetIndex == nil
        let settings = (isOwn ? [own] : []) + EqualizerPreset.all.map(\.settings)
        guard isHeard else { return settings[0] }
        guard let place = settings.firstIndex(of: self), place + 1 < settings.count else { return EqualizerSettings() }
        return settings[place + 1]
    }
}
