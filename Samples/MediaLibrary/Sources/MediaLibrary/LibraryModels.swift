public import Foundation

/// A file of the library.
public struct LibraryTrack: Sendable, Hashable, Codable, Identifiable {
    /// The number in the library; it stays when the file is moved within the library's folders.
    public let id: Int64
    /// The file.
    public let url: URL
    /// The tagged title, or the file's name without its ending.
    public let title: String
    /// The performing artists as one text.
    public let artist: String?
    /// Whom the album belongs to: its tagged artist, or that of the track.
    public let albumArtist: String?
    /// The album.
    public let album: String?
    /// The genres.
    public let genres: [String]
    /// The year of release.
    public let year: Int?
    /// The disc's number within its set, 1 or more.
    public let discNumber: Int?
    /// The track's number within its disc, 1 or more.
    public let trackNumber: Int?
    /// The length in seconds; `nil` while unknown.
    public let duration: Double?
    /// How often it was played.
    public let playCount: Int
    /// When it was played last; `nil` when it never was.
    public let lastPlayed: Date?
    /// Why its tags could not be read; `nil` when they could.
    public let failure: String?
}

/// An artist with albums in the library.
public struct LibraryArtist: Sendable, Hashable, Codable {
    /// The name; empty for files without an artist.
    public let name: String
    /// The number of albums.
    public let albumCount: Int
    /// The number of tracks.
    public let trackCount: Int
}

/// An album of the library.
public struct LibraryAlbum: Sendable, Hashable, Codable {
    /// The title; empty for an artist's files without an album.
    public let title: String
    /// Whom it belongs to; empty for files without an artist.
    public let artist: String
    /// The year of release.
    public let year: Int?
    /// The number of tracks.
    public let trackCount: Int
    /// The length in seconds, as far as it is known.
    public let duration: Double
}

/// A genre of the library.
public struct LibraryGenre: Sendable, Hashable, Codable {
    /// The name.
    public let name: String
    /// The number of tracks.
    public let trackCount: Int
}

/// A folder of the library.
public struct LibraryFolder: Sendable, Hashable, Codable {
    /// Whether the files can be read.
    public enum State: String, Sendable, Hashable, Codable {
        /// The folder can be read.
        case readable
        /// It is empty although the library knows tracks in it, as the mount point of a disk that is not there.
        case empty
        /// It is gone or cannot be read.
        case unreadable
        /// Its disk does not answer.
        case silent
    }

    /// The path.
    public let path: String
    /// The number of tracks that the library knows in it.
    public let trackCount: Int
    /// Whether the files can be read.
    public let state: State
}

/// What a library holds.
public struct LibraryStatistics: Sendable, Hashable, Codable {
    /// The number of tracks.
    public let trackCount: Int
    /// The number of artists with albums.
    public let artistCount: Int
    /// The number of albums.
    public let albumCount: Int
    /// The number of genres.
    public let genreCount: Int
    /// The length of all tracks in seconds, as far as it is known.
    public let duration: Double
    /// The size of all files in bytes.
    public let size: Int64
    /// How often tracks were played.
    public let playCount: Int
    /// The number of files whose tags could not be read.
    public let failureCount: Int
}

/// Which tracks are wanted, and in which order. Conditions that are `nil` do not matter; the others hold together.
public struct LibraryQuery: Sendable, Hashable {
    /// An order of tracks.
    public enum Order: Sendable, Hashable {
        /// By artist, album, disc, number and title, whatever the case and accents of letters. The albums of an artist come by the latest year
        /// of their tracks, tracks without an album last.
        case album
        /// The most played first, tracks that were never played left out.
        case mostPlayed
        /// The last found first.
        case newest
    }

    /// The artist of the album; empty for files without one. Case and accents of letters do not matter.
    public var artist: String?
    /// The album; empty for files without one. Case and accents of letters do not matter.
    public var album: String?
    /// A genre. Case and accents of letters do not matter.
    public var genre: String?
    /// The order.
    public var order = Order.album
    /// How many tracks are left out at the beginning.
    public var offset = 0
    /// The maximum number of tracks; `nil` for all.
    public var limit: Int?

    /// Every track, by album.
    public init() {}

    /// The tracks of an album.
    ///
    /// - Parameter album: The album.
    public init(album: LibraryAlbum) {
        artist = album.artist
        self.album = album.title
    }
}
