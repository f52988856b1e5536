public import Foundation

/// The tags of a file.
///
/// Absent fields are `nil`; an empty string is a value. What a reader gives is trimmed at both ends, and numbers outside their
/// range count as absent. What a writer gets changes only the fields that are not `nil`; an empty list removes what a file has.
///
/// Fields that may hold several values are lists; the property in the singular shows them as one text and replaces them all.
public struct TagBundle: Sendable, Hashable, Codable {
    /// Counts the changes of this type's meaning, for those who store bundles.
    public static let schemaVersion = 2

    /// Another name of ``schemaVersion``.
    public static let currentSchemaVersion = schemaVersion

    /// The track's title.
    public var title: String?
    /// The performing artists, in order.
    public var artists: [String]?
    /// The album.
    public var album: String?
    /// The artists of the whole album, in order.
    public var albumArtists: [String]?
    /// The composers, in order.
    public var composers: [String]?
    /// The genres, in order.
    public var genres: [String]?
    /// The year of release, 1000…9999.
    public var year: Int?
    /// The track's number within its disc, 1 or more.
    public var trackNumber: Int?
    /// How many tracks the disc has, 1 or more.
    public var trackTotal: Int?
    /// The disc's number within its set, 1 or more.
    public var discNumber: Int?
    /// How many discs the set has, 1 or more.
    public var discTotal: Int?
    /// Beats per minute, more than 0.
    public var bpm: Double?
    /// A remark; of several, the one without a description.
    public var comment: String?
    /// How loud track and album are; parts that are `nil` are absent.
    public var replayGain = ReplayGainTags()
    /// The words that are sung, in the order of the file; other languages are other elements.
    public var lyrics: [LyricsLanguageVariant]?
    /// Under which names the track is sorted; parts that are `nil` are absent.
    public var sortNames = SortNames()
    /// What the MusicBrainz database calls the track; parts that are `nil` are absent.
    public var musicBrainz = MusicBrainzTags()
    /// The front cover as stored, or the first picture when none is marked as such: JPEG, PNG or another image format.
    ///
    /// Writing it replaces the front cover and keeps the other pictures.
    public var artworkData: Data?
    /// Every picture, in the order of the file. Writing them replaces them all.
    public var pictures: [TagPicture]?
    /// What the file holds, as its headers say; never written.
    public var technical: TechnicalProperties?

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
        artists = artist.map { [$0] }
        self.album = album
        albumArtists = albumArtist.map { [$0] }
        genres = genre.map { [$0] }
        self.year = year
        self.trackNumber = trackNumber
        self.discNumber = discNumber
        self.artworkData = artworkData
    }

    /// Whether no field is set, technical properties aside.
    public var isEmpty: Bool {
        var bundle = self
        bundle.technical = nil
        return bundle == TagBundle()
    }
}

extension TagBundle {
    /// The performing artists as one text; setting it replaces them all.
    public var artist: String? {
        get { Self.text(artists) }
        set { artists = newValue.map { [$0] } }
    }

    /// The artists of the whole album as one text; setting it replaces them all.
    public var albumArtist: String? {
        get { Self.text(albumArtists) }
        set { albumArtists = newValue.map { [$0] } }
    }

    /// The composers as one text; setting it replaces them all.
    public var composer: String? {
        get { Self.text(composers) }
        set { composers = newValue.map { [$0] } }
    }

    /// The genres as one text; setting it replaces them all.
    public var genre: String? {
        get { Self.text(genres) }
        set { genres = newValue.map { [$0] } }
    }

    /// The track's ReplayGain in decibels.
    public var replayGainTrack: Double? {
        get { replayGain.trackGain }
        set { replayGain.trackGain = newValue }
    }

    /// The album's ReplayGain in decibels.
    public var replayGainAlbum: Double? {
        get { replayGain.albumGain }
        set { replayGain.albumGain = newValue }
    }

    /// The length in seconds, of ``technical``.
    public var duration: Double? { technical?.duration }
    /// The mean bit rate of ``technical`` in kbit/s, rounded; ``TechnicalProperties/bitrate`` is in bit/s.
    public var bitrate: Int? { technical?.bitrate.map { $0 / 1_000 + ($0 % 1_000 >= 500 ? 1 : 0) } }
    /// The frames per second in Hz, of ``technical``.
    public var sampleRate: Int? { technical?.sampleRate }
    /// The samples per frame, of ``technical``.
    public var channels: Int? { technical?.channels }
    /// The length of the file in bytes, of ``technical``.
    public var fileSize: Int64? { technical?.fileSize }
    /// The name of the codec, of ``technical``.
    public var codec: String? { technical?.codec }
    /// Whether the codec loses anything, of ``technical``.
    public var encoding: TechnicalProperties.Encoding? { technical?.encoding }

    private static func text(_ values: [String]?) -> String? {
        guard let values, !values.isEmpty else { return nil }
        return values.count == 1 ? values[0] : values.joined(separator: ", ")
    }
}

/// Identifiers of the MusicBrainz database, as UUIDs in text form.
public struct MusicBrainzTags: Sendable, Hashable, Codable {
    /// The recording (called "track id" in most files).
    public var recordingID: String?
    /// The track on its release.
    public var releaseTrackID: String?
    /// The release (called "album id").
    public var releaseID: String?
    /// The group of releases that are one album.
    public var releaseGroupID: String?
    /// The artists, in order.
    public var artistIDs: [String]?
    /// The artists of the album, in order.
    public var albumArtistIDs: [String]?

    /// Creates identifiers; absent ones are `nil`.
    ///
    /// - Parameters:
    ///   - recordingID: The recording.
    ///   - releaseTrackID: The track on its release.
    ///   - releaseID: The release.
    ///   - releaseGroupID: The group of releases that are one album.
    ///   - artistIDs: The artists, in order.
    ///   - albumArtistIDs: The artists of the album, in order.
    public init(
        recordingID: String? = nil, releaseTrackID: String? = nil, releaseID: String? = nil,
        releaseGroupID: String? = nil, artistIDs: [String]? = nil, albumArtistIDs: [String]? = nil
    ) {
        self.recordingID = recordingID
        self.releaseTrackID = releaseTrackID
        self.releaseID = releaseID
        self.releaseGroupID = releaseGroupID
        self.artistIDs = artistIDs
        self.albumArtistIDs = albumArtistIDs
    }

    /// Whether no identifier is known.
    public var isEmpty: Bool { self == MusicBrainzTags() }
}

/// Under which names a track is sorted, such as "Beatles, The".
public struct SortNames: Sendable, Hashable, Codable {
    /// The title's.
    public var title: String?
    /// The artist's.
    public var artist: String?
    /// The album's.
    public var album: String?
    /// The album artist's.
    public var albumArtist: String?
    /// The composer's.
    public var composer: String?

    /// Creates names; absent ones are `nil`.
    ///
    /// - Parameters:
    ///   - title: The title's.
    ///   - artist: The artist's.
    ///   - album: The album's.
    ///   - albumArtist: The album artist's.
    ///   - composer: The composer's.
    public init(
        title: String? = nil, artist: String? = nil, album: String? = nil, albumArtist: String? = nil,
        composer: String? = nil
    ) {
        self.title = title
        self.artist = artist
        self.album = album
        self.albumArtist = albumArtist
        self.composer = composer
    }

    /// Whether no name is known.
    public var isEmpty: Bool { self == SortNames() }
}

/// The words of a track in one language.
public struct LyricsLanguageVariant: Sendable, Hashable, Codable {
    /// The language as the file has it, in ID3 three letters of ISO 639-2 such as `eng`; `nil` when it is not told.
    public var languageCode: String?
    /// The words, with line feeds between lines.
    public var text: String

    /// Creates a variant.
    ///
    /// - Parameters:
    ///   - languageCode: The language; empty, `und` (undetermined) and `XXX` (ID3's word for that) become `nil`.
    ///   - text: The words.
    public init(languageCode: String? = nil, text: String) {
        self.languageCode = languageCode.flatMap { ["", "und", "xxx"].contains($0.lowercased()) ? nil : $0 }
        self.text = text
    }
}
