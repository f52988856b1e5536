/// What a 10-band equaliser does.
///
/// The bands are peaking filters an octave apart and two octaves wide (Q = 2/3). Gains are decibels, clamped to
/// -12…12 when the settings are created and on every change.
public struct EqualizerSettings: Sendable, Hashable, Codable {
    /// The centre of every band in Hz: the octaves of ISO 266, rounded as equalisers show them.
    public static let bandFrequencies: [Double] = [32, 64, 125, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000]

    /// The maximum gain of a band and of ``preamp``, and with a minus sign the least one, in decibels.
    public static let maximumGain = 12.0

    /// Whether the equaliser works; switched off it leaves every bit as it is.
    public var isEnabled: Bool
    /// Gain before the bands in decibels, -12…12; a negative one makes room for bands that are raised.
    public var preamp: Double { didSet { preamp = Self.clamp(preamp) } }

    private var gains: [Double]

    /// Creates settings; without arguments everything is flat and switched off.
    ///
    /// - Parameters:
    ///   - isEnabled: Whether the equaliser works.
    ///   - preamp: Gain before the bands in decibels.
    ///   - bandGains: Gains of the bands in decibels, from the lowest band up; missing ones are 0, further ones ignored.
    public init(isEnabled: Bool = false, preamp: Double = 0, bandGains: [Double] = []) {
        self.isEnabled = isEnabled
        self.preamp = Self.clamp(preamp)
        gains = [Double](repeating: 0, count: Self.bandFrequencies.count)
        self.bandGains = bandGains
    }

    /// Gains of the ten bands in decibels, -12…12, from the lowest band up. Given another number of values, the bands
    /// at the beginning take them and the rest stays as it is; values beyond the tenth are ignored.
    public var bandGains: [Double] {
        get { gains }
        set { for (band, gain) in zip(gains.indices, newValue) { gains[band] = Self.clamp(gain) } }
    }

    /// Whether nothing would be changed although the equaliser works.
    public var isFlat: Bool { preamp == 0 && gains.allSatisfy { $0 == 0 } }

    /// A value that is not a number becomes 0.
    private static func clamp(_ gain: Double) -> Double {
        gain.isNaN ? 0 : min(maximumGain, max(-maximumGain, gain))
    }
}
