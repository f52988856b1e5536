/// A kind of item in the library.
public enum LibraryKind: String, Sendable, Hashable, CaseIterable {
    /// An artist.
    case artist
    /// An album.
    case album
    /// A track.
    case track
    /// A playlist.
    case playlist
    /// A radio station.
    case radio

    /// The word in commands and search results, such as `tracks`.
    var plural: String { self == .radio ? "radios" : rawValue + "s" }
}
