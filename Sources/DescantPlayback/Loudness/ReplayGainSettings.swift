public import DescantCore
internal import Foundation

/// How a player uses the loudness that tracks are tagged with.
///
/// Decibels are clamped to their range, when the settings are created and on every change.
public struct ReplayGainSettings: Sendable, Hashable, Codable {
    /// Which gain is used.
    public var mode: ReplayGainMode
    /// Decibels added to every gain from tags, -15…15.
    public var preamp: Double { didSet { preamp = Self.clamp(preamp) } }
    /// Decibels for tracks without any gain in their tags, -15…15.
    public var untaggedGain: Double { didSet { untaggedGain = Self.clamp(untaggedGain) } }
    /// Whether the gain is lowered so that gain × tagged peak stays at 1 or below.
    public var guardsPeaks: Bool

    /// Creates settings; without arguments every track plays as it is.
    ///
    /// - Parameters:
    ///   - mode: Which gain is used.
    ///   - preamp: Decibels added to every gain from tags, -15…15.
    ///   - untaggedGain: Decibels for tracks without any gain in their tags, -15…15.
    ///   - guardsPeaks: Whether the gain is lowered so that peaks stay within full scale.
    public init(
        mode: ReplayGainMode = .off, preamp: Double = 0, untaggedGain: Double = 0, guardsPeaks: Bool = true
    ) {
        self.mode = mode
        self.preamp = Self.clamp(preamp)
        self.untaggedGain = Self.clamp(untaggedGain)
        self.guardsPeaks = guardsPeaks
    }

    /// Reads settings; decibels outside their range are clamped.
    ///
    /// - Parameter decoder: Where to read from.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            mode: try values.decode(ReplayGainMode.self, forKey: .mode),
            preamp: try values.decode(Double.self, forKey: .preamp),
            untaggedGain: try values.decode(Double.self, forKey: .untaggedGain),
            guardsPeaks: try values.decode(Bool.self, forKey: .guardsPeaks))
    }

    /// The gain of a track.
    ///
    /// - Parameter tags: What its tags say.
    /// - Returns: A linear gain; exactly 1 when the mode is ``ReplayGainMode/off``. A gain beyond ±60 dB in the tags is
    ///   taken for damage and counts as absent, a peak of 0 or less likewise.
    public func gain(for tags: ReplayGainTags?) -> Double {
        let track = (gain: Self.sound(tags?.trackGain), peak: tags?.trackPeak)
        let album = (gain: Self.sound(tags?.albumGain), peak: tags?.albumPeak)
        let chosen: (gain: Double?, peak: Double?)
        switch mode {
        case .off: return 1
        case .track: chosen = track.gain != nil ? track : album
        case .album: chosen = album.gain != nil ? album : track
        }
        let linear = pow(10, (chosen.gain.map { $0 + preamp } ?? untaggedGain) / 20)
        // Without a gain the peak that is nearest to the mode's meaning still counts.
        let peak = chosen.peak ?? (chosen.gain == nil ? track.peak ?? album.peak : nil)
        guard guardsPeaks, let peak, peak > 0, peak.isFinite else { return linear }
        return min(linear, 1 / peak)
    }

    private static func sound(_ gain: Double?) -> Double? { gain.flatMap { abs($0) <= 60 ? $0 : nil } }

    private static func clamp(_ value: Double) -> Double { value.isNaN ? 0 : value.clamped(to: -15...15) }
}

/// Which loudness the tracks of a playlist are brought to.
public enum ReplayGainMode: String, Sendable, Hashable, Codable, CaseIterable {
    /// Every track plays as it is.
    case off
    /// Every track is as loud as the others; the album's gain is used where the track's is not known.
    case track
    /// Albums are as loud as each other and keep the differences between their tracks; the track's gain is used where the
    /// album's is not known.
    case album
}
