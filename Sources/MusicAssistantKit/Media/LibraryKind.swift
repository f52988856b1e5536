/// A kind of library items, as used in commands.
public struct LibraryKind: OpenValue {
    /// The text in commands.
    public let rawValue: String

    /// Creates a kind from the text in commands.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Artists.
    public static let artists: Self = "artists"
    /// Albums.
    public static let albums: Self = "albums"
    /// Tracks.
    public static let tracks: Self = "tracks"
    /// Playlists.
    public static let playlists: Self = "playlists"
    /// Radio stations.
    public static let radios: Self = "radios"
    /// Audiobooks.
    public static let audiobooks: Self = "audiobooks"
    /// Podcasts.
    public static let podcasts: Self = "podcasts"
    /// Genres.
    public static let genres: Self = "genres"
}
