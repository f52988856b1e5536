internal import Descant
internal import Foundation
internal import GRDB

/// A track as the library stores it.
struct TrackRow: Sendable {
    let file: FoundFile
    let failure: String?
    private let track: Track

    /// The maximum length of a stored text, in characters. Longer ones come from damaged or hostile files.
    private static let textLimit = 1_000
    /// The maximum number of stored genres.
    private static let genreLimit = 50

    /// Creates a row.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - outcome: Its tags, or why they cannot be read; then its name stands for the title.
    init(_ file: FoundFile, _ outcome: Result<Track, CoreError>) {
        self.file = file
        switch outcome {
        case .success(let track): (self.track, failure) = (track, nil)
        case .failure(let error):
            track = Track(url: URL(filePath: file.path, directoryHint: .notDirectory))
            failure = error.description
        }
    }

    /// Stores the row. A track of the same path keeps its number and its play count.
    func store(_ db: Database) throws {
        let tags = track.tags
        let artist = Self.text(tags.artist)
        let albumArtist = Self.text(tags.albumArtist) ?? artist
        let album = Self.text(tags.album)
        let genres = (tags.genres ?? []).prefix(Self.genreLimit).compactMap(Self.text)
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO track (folderID, path, modified, size, title, artist, albumArtist, album, genres, year,
                    discNumber, trackNumber, duration, failure, artistKey, albumKey)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (path) DO UPDATE SET folderID = excluded.folderID, modified = excluded.modified,
                    size = excluded.size, title = excluded.title, artist = excluded.artist,
                    albumArtist = excluded.albumArtist, album = excluded.album, genres = excluded.genres,
                    year = excluded.year, discNumber = excluded.discNumber, trackNumber = excluded.trackNumber,
                    duration = excluded.duration, failure = excluded.failure, artistKey = excluded.artistKey,
                    albumKey = excluded.albumKey
                RETURNING id
                """)
        let id = try Int64.fetchOne(
            statement,
            arguments: [
                file.folder, file.path, file.modified, file.size, Self.text(track.title) ?? "", artist, albumArtist,
                album,
                genres.isEmpty ? nil : genres.joined(separator: LibraryTrack.genreSeparator), tags.year,
                tags.discNumber, tags.trackNumber, track.duration.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil },
                failure, LibrarySchema.key(albumArtist), LibrarySchema.key(album),
            ])
        guard let id else { return }
        try db.cachedStatement(sql: "DELETE FROM genre WHERE trackID = ?").execute(arguments: [id])
        let insert = try db.cachedStatement(sql: "INSERT OR IGNORE INTO genre (key, trackID, name) VALUES (?, ?, ?)")
        for genre in genres { try insert.execute(arguments: [LibrarySchema.key(genre), id, genre]) }
    }

    /// A text without the characters that end or hide it; `nil` when nothing is left.
    private static func text(_ text: String?) -> String? {
        guard let text else { return nil }
        let printable = String(
            String.UnicodeScalarView(text.unicodeScalars.prefix(textLimit).map { $0.value < 0x20 ? " " : $0 }))
        return printable.isEmpty ? nil : printable
    }
}
