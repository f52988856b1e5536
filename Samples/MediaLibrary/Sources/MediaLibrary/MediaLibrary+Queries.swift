public import Foundation
internal import GRDB

/// What the library holds.
extension MediaLibrary {
    /// The artists with albums, by name.
    ///
    /// - Parameter genre: A genre, of which only albums and tracks count; `nil` for all.
    /// - Throws: ``LibraryError``.
    public func artists(in genre: String? = nil) async throws -> [LibraryArtist] {
        try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT max(albumArtist), count(DISTINCT albumKey), count(*) FROM track
                    \(genre == nil ? "" : "WHERE id IN (SELECT trackID FROM genre WHERE key = :genre)")
                    GROUP BY artistKey ORDER BY artistKey = '', artistKey
                    """, arguments: genre.map { ["genre": LibrarySchema.key($0)] } ?? [:]
            ).map { LibraryArtist(name: $0[0] ?? "", albumCount: $0[1], trackCount: $0[2]) }
        }
    }

    /// The albums, by artist, year and title.
    ///
    /// - Parameters:
    ///   - artist: Whose albums; `nil` for everybody's.
    ///   - genre: A genre, of which only tracks count; `nil` for all.
    /// - Throws: ``LibraryError``.
    public func albums(by artist: String? = nil, in genre: String? = nil) async throws -> [LibraryAlbum] {
        try await read { db in
            var conditions: [String] = []
            var values: [any DatabaseValueConvertible] = []
            if let artist {
                conditions.append("artistKey = ?")
                values.append(LibrarySchema.key(artist))
            }
            if let genre {
                conditions.append("id IN (SELECT trackID FROM genre WHERE key = ?)")
                values.append(LibrarySchema.key(genre))
            }
            return try Row.fetchAll(
                db,
                sql: """
                    SELECT max(album), max(albumArtist), max(year), count(*), total(duration) FROM track
                    \(conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND "))
                    GROUP BY artistKey, albumKey ORDER BY artistKey = '', artistKey, albumKey = '', max(year), albumKey
                    """, arguments: StatementArguments(values)
            ).map {
                LibraryAlbum(
                    title: $0[0] ?? "", artist: $0[1] ?? "", year: $0[2], trackCount: $0[3], duration: $0[4])
            }
        }
    }

    /// The genres, by name.
    ///
    /// - Throws: ``LibraryError``.
    public func genres() async throws -> [LibraryGenre] {
        try await read { db in
            try Row.fetchAll(db, sql: "SELECT max(name), count(*) FROM genre GROUP BY key ORDER BY key")
                .map { LibraryGenre(name: $0[0], trackCount: $0[1]) }
        }
    }

    /// Tracks that meet conditions.
    ///
    /// - Parameter query: The conditions, the order and the part of the result.
    /// - Throws: ``LibraryError``.
    public func tracks(_ query: LibraryQuery = LibraryQuery()) async throws -> [LibraryTrack] {
        try await read { db in
            var conditions: [String] = []
            var values: [any DatabaseValueConvertible] = []
            func demand(_ condition: String, _ value: String?) {
                guard let value else { return }
                conditions.append(condition)
                values.append(LibrarySchema.key(value))
            }
            demand("artistKey = ?", query.artist)
            demand("albumKey = ?", query.album)
            demand("id IN (SELECT trackID FROM genre WHERE key = ?)", query.genre)
            let order: String
            // Titles with the same key have an order, too.
            let place = "discNumber, trackNumber, nameKey(title), title"
            switch query.order {
            case .album where query.album != nil: order = "artistKey, \(place)"
            case .album:
                // In the order of the albums' list: the tracks of an album may have several years, and stay together.
                order = """
                    artistKey, albumKey = '',
                    (SELECT max(year) FROM track AS other
                        WHERE other.artistKey = track.artistKey AND other.albumKey = track.albumKey),
                    albumKey, \(place)
                    """
            case .mostPlayed:
                order = "playCount DESC, lastPlayed DESC"
                conditions.append("playCount > 0")
            case .newest: order = "id DESC"
            }
            let filter = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
            return try Row.fetchAll(
                db, sql: "SELECT * FROM track \(filter) ORDER BY \(order) LIMIT ? OFFSET ?",
                arguments: StatementArguments(
                    values + [query.limit ?? -1, query.offset] as [any DatabaseValueConvertible])
            ).map(LibraryTrack.init)
        }
    }

    /// Tracks that contain every word of a text in title, artist, album or genre; each word is the beginning of one there. Case and
    /// accents of letters do not matter.
    ///
    /// - Parameters:
    ///   - text: Words with spaces between them; without any, nothing is found.
    ///   - limit: The maximum number of tracks.
    /// - Returns: The tracks in the order in which they were found on the disk, which keeps albums together.
    /// - Throws: ``LibraryError``.
    public func search(_ text: String, limit: Int = 200) async throws -> [LibraryTrack] {
        let words = text.split(whereSeparator: \.isWhitespace).prefix(20)
            .map { $0.filter { $0.isLetter || $0.isNumber || $0.isPunctuation || $0.isSymbol } }
            .filter { $0.contains { $0.isLetter || $0.isNumber } }
        guard !words.isEmpty, limit > 0 else { return [] }
        let pattern = words.map { "\"\($0.replacing("\"", with: "\"\""))\"*" }.joined(separator: " ")
        return try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT track.* FROM trackText JOIN track ON track.id = trackText.rowid
                    WHERE trackText MATCH ? ORDER BY trackText.rowid LIMIT ?
                    """, arguments: [pattern, limit]
            ).map(LibraryTrack.init)
        }
    }

    /// The track of a file.
    ///
    /// - Parameter url: A file.
    /// - Returns: `nil` when the library does not have it.
    /// - Throws: ``LibraryError``.
    public func track(at url: URL) async throws -> LibraryTrack? {
        let paths = Self.paths(of: url)
        return try await read { db in
            for path in paths {
                let row = try Row.fetchOne(db, sql: "SELECT * FROM track WHERE path = ?", arguments: [path])
                if let row { return LibraryTrack(row) }
            }
            return nil
        }
    }

    /// The paths by which the library may know a file: without links to its folders, as scans store it, and without any links.
    private static func paths(of url: URL) -> [String] {
        let folder = try? realPath(url.deletingLastPathComponent())
        let named = folder.map { URL(filePath: $0, directoryHint: .isDirectory).appending(path: url.lastPathComponent) }
        return [named?.path ?? url.path] + [try? realPath(url)].compactMap(\.self)
    }

    /// Counts.
    ///
    /// - Throws: ``LibraryError``.
    public func statistics() async throws -> LibraryStatistics {
        try await read { db in
            let tracks = try Row.fetchOne(
                db,
                sql: """
                    SELECT count(*), count(DISTINCT nullif(artistKey, '')), total(duration), total(size),
                        total(playCount), count(failure) FROM track
                    """)
            let albums = try Int.fetchOne(
                db,
                sql: "SELECT count(*) FROM (SELECT 1 FROM track WHERE albumKey <> '' GROUP BY artistKey, albumKey)")
            let genres = try Int.fetchOne(db, sql: "SELECT count(DISTINCT key) FROM genre")
            func number(_ index: Int) -> Double { tracks?[index] ?? 0 }
            return LibraryStatistics(
                trackCount: Int(number(0)), artistCount: Int(number(1)), albumCount: albums ?? 0,
                genreCount: genres ?? 0, duration: number(2), size: Int64(number(3)), playCount: Int(number(4)),
                failureCount: Int(number(5)))
        }
    }

    /// Counts that a file was played.
    ///
    /// - Parameters:
    ///   - url: The file; others than those of the library are ignored.
    ///   - date: When.
    /// - Returns: Whether the library has it.
    /// - Throws: ``LibraryError``.
    @discardableResult
    public func notePlayed(_ url: URL, at date: Date = Date()) async throws -> Bool {
        let paths = Self.paths(of: url)
        return try await write { db in
            for path in paths {
                try db.execute(
                    sql: "UPDATE track SET playCount = playCount + 1, lastPlayed = ? WHERE path = ?",
                    arguments: [date.timeIntervalSince1970, path])
                if db.changesCount > 0 { return true }
            }
            return false
        }
    }
}

extension LibraryTrack {
    init(_ row: Row) {
        let genres: String? = row["genres"]
        let lastPlayed: Double? = row["lastPlayed"]
        self.init(
            id: row["id"], url: URL(filePath: row["path"], directoryHint: .notDirectory), title: row["title"],
            artist: row["artist"], albumArtist: row["albumArtist"], album: row["album"],
            genres: genres.map { $0.components(separatedBy: Self.genreSeparator) } ?? [], year: row["year"],
            discNumber: row["discNumber"], trackNumber: row["trackNumber"], duration: row["duration"],
            playCount: row["playCount"], lastPlayed: lastPlayed.map(Date.init(timeIntervalSince1970:)),
            failure: row["failure"])
    }

    /// Between genres in the table, which the search takes for a space.
    static let genreSeparator = "\u{1F}"
}
