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
