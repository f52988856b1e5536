/// The kind of a media item.
public struct MediaType: OpenValue {
    /// The server's text for this value.
    public let rawValue: String

    /// Creates a value from the server's text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// An artist.
    public static let artist: Self = "artist"
    /// An album.
    public static let album: Self = "album"
    /// A track.
    public static let track: Self = "track"
    /// A playlist.
    public static let playlist: Self = "playlist"
    /// A radio station.
    public static let radio: Self = "radio"
    /// An audiobook.
    public static let audiobook: Self = "audiobook"
    /// A podcast.
    public static let podcast: Self = "podcast"
    /// An episode of a podcast.
    public static let podcastEpisode: Self = "podcast_episode"
    /// A genre.
    public static let genre: Self = "genre"
    /// A folder that can be browsed.
    public static let folder: Self = "folder"
    /// An announcement.
    public static let announcement: Self = "announcement"
    /// Another kind.
    public static let unknown: Self = "unknown"
}
