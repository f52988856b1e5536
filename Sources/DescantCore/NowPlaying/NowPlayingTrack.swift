public import Foundation

/// A track as a remote control shows it.
public struct NowPlayingTrack: Sendable, Hashable, Identifiable {
    /// Tells a track from every other one of the list: the same file twice is two tracks, and a track keeps its identity when
    /// others come and go. Any text.
    public struct ID: Sendable, Hashable, RawRepresentable {
        /// The identity as text.
        public let rawValue: String
        /// Creates an identity.
        ///
        /// - Parameter rawValue: Any text.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The identity.
    public var id: ID
    /// Where it comes from.
    public var url: URL?
    /// The title to show.
    public var title: String?
    /// The performing artists.
    public var artists: [String]
    /// The album.
    public var album: String?
    /// The artists of the whole album.
    public var albumArtists: [String]
    /// The genres.
    public var genres: [String]
    /// The track's number within its disc.
    public var trackNumber: Int?
    /// The disc's number within its set.
    public var discNumber: Int?
    /// The year of release.
    public var year: Int?
    /// Length in seconds; `nil` when unknown or endless.
    public var duration: TimeInterval?
    /// The cover as stored in the file: JPEG, PNG, WebP or GIF.
    public var artworkData: Data?
    /// Where the cover can be loaded; ``artworkData`` goes first.
    public var artworkURL: URL?

    /// Creates a track; every field but the identity defaults to absent.
    ///
    /// - Parameters:
    ///   - id: The identity.
    ///   - url: Where it comes from.
    ///   - title: The title to show.
    ///   - artists: The performing artists.
    ///   - album: The album.
    ///   - albumArtists: The artists of the whole album.
    ///   - genres: The genres.
    ///   - trackNumber: The track's number within its disc.
    ///   - discNumber: The disc's number within its set.
    ///   - year: The year of release.
    ///   - duration: Length in seconds.
    ///   - artworkData: The cover as stored.
    ///   - artworkURL: Where the cover can be loaded.
    public init(
        id: ID, url: URL? = nil, title: String? = nil, artists: [String] = [], album: String? = nil,
        albumArtists: [String] = [], genres: [String] = [], trackNumber: Int? = nil, discNumber: Int? = nil,
        year: Int? = nil, duration: TimeInterval? = nil, artworkData: Data? = nil, artworkURL: URL? = nil
    ) {
        self.id = id
        self.url = url
        self.title = title
        self.artists = artists
        self.album = album
        self.albumArtists = albumArtists
        self.genres = genres
        self.trackNumber = trackNumber
        self.discNumber = discNumber
        self.year = year
        self.duration = duration
        self.artworkData = artworkData
        self.artworkURL = artworkURL
    }
}
