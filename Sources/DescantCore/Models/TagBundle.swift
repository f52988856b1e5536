public import Foundation

/// The tags of a file.
///
/// Absent fields are `nil`; an empty string is a value.
public struct TagBundle: Sendable, Hashable, Codable {
    /// The track's title.
    public var title: String?
    /// The performing artist.
    public var artist: String?
    /// The album.
    public var album: String?
    /// The artist of the whole album.
    public var albumArtist: String?
    /// The genre.
    public var genre: String?
    /// The year of release, 1000…9999.
    public var year: Int?
    /// The track's number within its disc, 1 or more.
    public var trackNumber: Int?
    /// The disc's number within its set, 1 or more.
    public var discNumber: Int?
    /// The front cover as stored: JPEG, PNG or another image format.
    public var artworkData: Data?

    /// Creates a bundle; every field defaults to absent.
    ///
    /// - Parameters:
    ///   - title: The track's title.
    ///   - artist: The performing artist.
    ///   - album: The album.
    ///   - albumArtist: The artist of the whole album.
    ///   - genre: The genre.
    ///   - year: The year of release.
    ///   - trackNumber: The track's number within its disc.
    ///   - discNumber: The disc's number within its set.
    ///   - artworkData: The front cover as stored.
    public init(
        title: String? = nil, artist: String? = nil, album: String? = nil, albumArtist: String? = nil,
        genre: String? = nil, year: Int? = nil, trackNumber: Int? = nil, discNumber: Int? = nil,
        artworkData: Data? = nil
    ) {
        self.title = title
        self.artist = artist
        self.album = album
        self.albumArtist = albumArtist
        self.genre = genre
        self.year = year
        self.trackNumber = trackNumber
        self.discNumber = discNumber
        self.artworkData = artworkData
    }

    /// Whether no field is set.
    public var isEmpty: Bool { self == TagBundle() }
}
