/// The settings of a 10-band equaliser.
///
/// The bands are peaking filters an octave apart and two octaves wide (Q = 2/3). Gains are decibels, clamped to
/// -12…12 when the settings are created or decoded and on every change.
public struct EqualizerSettings: Sendable, Hashable, Codable {
    /// The centre of every band in Hz: the octaves of ISO 266, rounded as equalisers show them.
    public static let bandFrequencies: [Double] = [32, 64, 125, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000]

    /// The maximum gain of a band and of ``preamp``, in decibels; the minimum is its negative.
    public static let maximumGain = 12.0

    /// Whether the equaliser is on; off, it does not change any sample.
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

    /// Reads settings; gains outside their range are clamped, missing bands are 0, further ones ignored.
    ///
    /// - Parameter decoder: Where to read from.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            isEnabled: try values.decode(Bool.self, forKey: .isEnabled),
            preamp: try values.decode(Double.self, forKey: .preamp),
            bandGains: try values.decode([Double].self, forKey: .gains))
    }

    /// Gains of the ten bands in decibels, -12…12, from the lowest band up. Given another number of values, the bands
    /// at the beginning take them and the rest stays as it is; values beyond the tenth are ignored.
    public var bandGains: [Double] {
        get { gains }
        set { for (band, gain) in zip(gains.indices, newValue) { gains[band] = Self.clamp(gain) } }
    }

    /// Whether all gains are 0.
    public var isFlat: Bool { preamp == 0 && gains.allSatisfy { $0 == 0 } }

    /// NaN becomes 0.
    private static func clamp(_ gain: Double) -> Double {
        gain.isNaN ? 0 : min(maximumGain, max(-maximumGain, gain))
    }
}

/// A 10-band equaliser as a host's controls see it.
///
/// Bands are peaking filters at 32, 64, 125, 250, 500, 1k, 2k, 4k, 8k and 16k Hz, two octaves wide. Setters clamp to
/// -12…12 dB, return at once and take effect without a click. Adapters say which threads may call them.
public protocol EQPort: AnyObject {
    /// Whether the equaliser works. Off by default, and then the sound passes bit by bit.
    var isEnabled: Bool { get set }

    /// Gain before the bands, in decibels.
    var preamp: Float { get set }

    /// Gains of the ten bands in decibels, from the lowest up. Of another number of values the beginning is used, and
    /// bands without a value keep theirs.
    var bandGains: [Float] { get set }
}
