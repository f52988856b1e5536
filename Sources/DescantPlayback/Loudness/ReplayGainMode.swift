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
