public import Descant
internal import Foundation

/// The output of `tags` for a file.
public struct TagReport: Sendable, Codable {
    /// A picture, without its bytes.
    public struct Picture: Sendable, Codable {
        /// The kind: `frontCover`, `backCover`, …
        public var kind: String
        /// The image format.
        public var mimeType: String
        /// Its length.
        public var bytes: Int
        /// The description.
        public var description: String
    }

    /// The lyrics in one language.
    public struct Lyrics: Sendable, Codable {
        /// The language; absent when it is unknown.
        public var language: String?
        /// The words.
        public var text: String
    }

    /// The version of the fields' meaning; see `TagBundle.schemaVersion`.
    public var schemaVersion = TagBundle.schemaVersion
    /// Where the file is.
    public var url: String
    /// The tagged title.
    public var title: String?
    /// The artists.
    public var artists: [String]?
    /// The album.
    public var album: String?
    /// The album's artists.
    public var albumArtists: [String]?
    /// The composers.
    public var composers: [String]?
    /// The genres.
    public var genres: [String]?
    /// The year.
    public var year: Int?
    /// The track's number.
    public var trackNumber: Int?
    /// The number of tracks on the disc.
    public var trackTotal: Int?
    /// The disc's number.
    public var discNumber: Int?
    /// The number of discs.
    public var discTotal: Int?
    /// Beats per minute.
    public var bpm: Double?
    /// The comment.
    public var comment: String?
    /// The loudness; absent without any.
    public var replayGain: ReplayGainTags?
    /// The lyrics; absent without any.
    public var lyrics: [Lyrics]?
    /// Names to sort by; absent without any.
    public var sortNames: SortNames?
    /// Identifiers of MusicBrainz; absent without any.
    public var musicBrainz: MusicBrainzTags?
    /// The pictures; absent without any.
    public var pictures: [Picture]?
    /// The technical properties from the file's headers.
    public var technical: TechnicalProperties?

    /// Creates a report.
    ///
    /// - Parameter track: A file with its tags.
    public init(_ track: Track) {
        let tags = track.tags
        url = track.url.absoluteString
        title = tags.title
        artists = tags.artists
        album = tags.album
        albumArtists = tags.albumArtists
        composers = tags.composers
        genres = tags.genres
        year = tags.year
        trackNumber = tags.trackNumber
        trackTotal = tags.trackTotal
        discNumber = tags.discNumber
        discTotal = tags.discTotal
        bpm = tags.bpm
        comment = tags.comment
        replayGain = tags.replayGain.isEmpty ? nil : tags.replayGain
        lyrics = tags.lyrics.map { $0.map { Lyrics(language: $0.languageCode, text: $0.text) } }
        sortNames = tags.sortNames.isEmpty ? nil : tags.sortNames
        musicBrainz = tags.musicBrainz.isEmpty ? nil : tags.musicBrainz
        pictures = tags.pictures.map { $0.map(Self.picture) }
        technical = tags.technical
    }

    private static func picture(_ picture: TagPicture) -> Picture {
        Picture(
            kind: "\(picture.kind)", mimeType: picture.mimeType ?? "", bytes: picture.data.count,
            description: picture.description)
    }

    /// The fields as text: name and value.
    public var lines: [(name: String, value: String)] {
        func list(_ values: [String]?) -> String? { values?.joined(separator: ", ") }
        func pair(_ number: Int?, _ total: Int?) -> String? {
            guard number != nil || total != nil else { return nil }
            return (number.map(String.init) ?? "?") + (total.map { " of \($0)" } ?? "")
        }
        let texts: [(String, String?)] = [
            ("title", title), ("artist", list(artists)), ("album", album), ("album by", list(albumArtists)),
            ("composer", list(composers)), ("genre", list(genres)), ("year", year.map(String.init)),
            ("track", pair(trackNumber, trackTotal)), ("disc", pair(discNumber, discTotal)),
            ("bpm", bpm.map { Int(exactly: $0).map(String.init) ?? "\($0)" }), ("comment", comment),
            ("gain", replayGain?.trackGain.map { String(format: "%.2f dB", $0) }),
            ("album gain", replayGain?.albumGain.map { String(format: "%.2f dB", $0) }),
            ("sorted as", list(sortTexts)), ("recording", musicBrainz?.recordingID),
            ("release", musicBrainz?.releaseID),
        ]
        let words = (lyrics ?? []).map { lyrics in
            ("lyrics", (lyrics.language.map { "\($0), " } ?? "") + "\(lyrics.text.split(separator: "\n").count) lines")
        }
        let parts = (technical?.chapters ?? []).map { ("chapter", "\(Self.time($0.start))  \($0.title)") }
        let images = (pictures ?? []).map { ("picture", "\($0.kind), \($0.mimeType), \($0.bytes) bytes") }
        return texts.compactMap { name, value in value.map { (name, $0) } } + words + images + parts
    }

    private static func time(_ seconds: Double) -> String {
        let whole = Int(min(max(0, seconds), 1e9))
        return String(format: "%d:%02d:%02d", whole / 3_600, whole / 60 % 60, whole % 60)
    }

    private var sortTexts: [String]? {
        guard let names = sortNames else { return nil }
        return [names.title, names.artist, names.album, names.albumArtist, names.composer].compactMap(\.self)
    }
}
