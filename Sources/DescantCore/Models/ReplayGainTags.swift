/// How loud a track and its album are, as their tags say.
///
/// Gains are decibels relative to ReplayGain's reference level (-18 LUFS, or 89 dB SPL in the words of version 1), whatever
/// reference the file itself was measured against. Peaks are linear; 1 is full scale.
public struct ReplayGainTags: Sendable, Hashable, Codable {
    /// The gain that brings the track to the reference level, in decibels.
    public var trackGain: Double?
    /// The track's maximum magnitude, linear.
    public var trackPeak: Double?
    /// The gain that brings the album to the reference level, in decibels.
    public var albumGain: Double?
    /// The album's maximum magnitude, linear.
    public var albumPeak: Double?

    /// Creates a description; absent values are `nil`.
    ///
    /// - Parameters:
    ///   - trackGain: The track's gain in decibels.
    ///   - trackPeak: The track's maximum magnitude, linear.
    ///   - albumGain: The album's gain in decibels.
    ///   - albumPeak: The album's maximum magnitude, linear.
    public init(
        trackGain: Double? = nil, trackPeak: Double? = nil, albumGain: Double? = nil, albumPeak: Double? = nil
    ) {
        self.trackGain = trackGain
        self.trackPeak = trackPeak
        self.albumGain = albumGain
        self.albumPeak = albumPeak
    }

    /// Whether nothing is known.
    public var isEmpty: Bool { self == ReplayGainTags() }
}
