public import Foundation

/// What is playing, and what can be done about it: everything that a desktop's player panel shows.
public struct NowPlaying: Sendable, Hashable {
    /// What the player does.
    public enum Status: String, Sendable, Hashable, Codable {
        /// A track sounds.
        case playing
        /// Frozen at a position.
        case paused
        /// There is no current track.
        case stopped
    }

    /// What happens at the natural end.
    public enum Repeat: String, Sendable, Hashable, Codable {
        /// Playing ends with the last track.
        case off
        /// The current track is played again.
        case track
        /// The first track follows the last one.
        case playlist
    }

    /// What the player does.
    public var status: Status
    /// The current track; `nil` when there is none. It need not be among ``tracks``.
    public var track: NowPlayingTrack?
    /// The tracks around the current one, in their order. Long lists show a part only: about a hundred are plenty.
    public var tracks: [NowPlayingTrack]
    /// The speed; 1 is normal.
    public var rate: Double
    /// The speeds that can be set; contains 1, and nothing else when the speed is fixed.
    public var rateRange: ClosedRange<Double>
    /// The volume, linear, 0…1.
    public var volume: Double
    /// What happens at the natural end; `nil` when that is not for a remote control to know.
    public var repeats: Repeat?
    /// Whether the order is drawn by chance; `nil` when that is not for a remote control to know.
    public var isShuffled: Bool?
    /// The playlists that can be activated, in the user's order.
    public var playlists: [NowPlayingPlaylist]
    /// The playlist that is played; `nil` when that is none of ``playlists``.
    public var activePlaylist: NowPlayingPlaylist.ID?
    /// Which commands have an effect at present.
    public var abilities: RemoteAbilities

    /// Nothing is playing, and nothing can be done.
    public static let nothing = NowPlaying()

    /// Creates a snapshot; every field defaults to a player that has nothing and can do nothing.
    ///
    /// - Parameters:
    ///   - status: What the player does.
    ///   - track: The current track.
    ///   - tracks: The tracks around the current one.
    ///   - rate: The speed.
    ///   - rateRange: The speeds that can be set.
    ///   - volume: The volume, 0…1.
    ///   - repeats: What happens at the natural end.
    ///   - isShuffled: Whether the order is drawn by chance.
    ///   - playlists: The playlists that can be activated.
    ///   - activePlaylist: The playlist that is played.
    ///   - abilities: Which commands have an effect.
    public init(
        status: Status = .stopped, track: NowPlayingTrack? = nil, tracks: [NowPlayingTrack] = [], rate: Double = 1,
        rateRange: ClosedRange<Double> = 1...1, volume: Double = 1, repeats: Repeat? = nil, isShuffled: Bool? = nil,
        playlists: [NowPlayingPlaylist] = [], activePlaylist: NowPlayingPlaylist.ID? = nil,
        abilities: RemoteAbilities = []
    ) {
        self.status = status
        self.track = track
        self.tracks = tracks
        self.rate = rate
        self.rateRange = rateRange
        self.volume = volume
        self.repeats = repeats
        self.isShuffled = isShuffled
        self.playlists = playlists
        self.activePlaylist = activePlaylist
        self.abilities = abilities
    }
}

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

    /// A file as its tags describe it; without a title, its name.
    package init(id: ID, url: URL, info: TrackInfo?) {
        let tags = info?.tags ?? TagBundle()
        // An artist that is not the one of the tags, such as that of a station's title, takes their place.
        let own = info?.artist.flatMap { $0 == tags.artist ? nil : [$0] }
        self.init(
            id: id, url: url, title: info?.title ?? url.deletingPathExtension().lastPathComponent,
            artists: own ?? tags.artists ?? [], album: tags.album, albumArtists: tags.albumArtists ?? [],
            genres: tags.genres ?? [],
            trackNumber: tags.trackNumber, discNumber: tags.discNumber, year: tags.year,
            duration: info.flatMap { $0.duration > 0 && $0.duration.isFinite ? $0.duration : nil },
            artworkData: tags.artworkData)
    }

    /// The other description with what this track knows where that one is silent. The identity is this track's.
    package func completing(_ other: NowPlayingTrack) -> NowPlayingTrack {
        NowPlayingTrack(
            id: id, url: other.url ?? url, title: other.title ?? title,
            artists: other.artists.isEmpty ? artists : other.artists, album: other.album ?? album,
            albumArtists: other.albumArtists.isEmpty ? albumArtists : other.albumArtists,
            genres: other.genres.isEmpty ? genres : other.genres, trackNumber: other.trackNumber ?? trackNumber,
            discNumber: other.discNumber ?? discNumber, year: other.year ?? year, duration: other.duration ?? duration,
            artworkData: other.artworkData ?? (other.artworkURL == nil ? artworkData : nil),
            artworkURL: other.artworkURL ?? artworkURL)
    }
}

/// A playlist that a remote control can activate.
public struct NowPlayingPlaylist: Sendable, Hashable, Identifiable {
    /// Tells a playlist from every other one, and stays when it is renamed. Any text.
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
    /// The name that the user gave it.
    public var name: String
    /// Where its icon can be loaded.
    public var icon: URL?

    /// Creates a playlist.
    ///
    /// - Parameters:
    ///   - id: The identity.
    ///   - name: The name that the user gave it.
    ///   - icon: Where its icon can be loaded.
    public init(id: ID, name: String, icon: URL? = nil) {
        self.id = id
        self.name = name
        self.icon = icon
    }
}
