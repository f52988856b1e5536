/// What an item of the library is.
public enum LibraryKind: String, Sendable, Hashable, CaseIterable {
    /// A person or group.
    case artist
    /// A record.
    case album
    /// A piece.
    case track
    /// A list of pieces.
    case playlist
    /// A station.
    case radio

    /// The word in commands and search results, such as `tracks`.
    var plural: String { self == .radio ? "radios" : rawValue + "s" }
}
