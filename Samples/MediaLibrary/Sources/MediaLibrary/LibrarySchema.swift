internal import Foundation
internal import GRDB

/// The tables of a library, by the versions in which they came.
enum LibrarySchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 folders and tracks") { db in
            try db.create(table: "folder") { table in
                table.autoIncrementedPrimaryKey("id")
                table.column("path", .text).notNull().unique()
            }
            try db.create(table: "track") { table in
                table.autoIncrementedPrimaryKey("id")
                table.belongsTo("folder", onDelete: .cascade).notNull()
                table.column("path", .text).notNull().unique()
                // Nanoseconds since 1970 and bytes: a file with the same two is not read again.
                table.column("modified", .integer).notNull()
                table.column("size", .integer).notNull()
                table.column("title", .text).notNull()
                table.column("artist", .text)
                table.column("albumArtist", .text)
                table.column("album", .text)
                table.column("genres", .text)
                table.column("year", .integer)
                table.column("discNumber", .integer)
                table.column("trackNumber", .integer)
                table.column("duration", .double)
                table.column("failure", .text)
                table.column("playCount", .integer).notNull().defaults(to: 0)
                table.column("lastPlayed", .double)
                // Names without case and accents, by which tracks are grouped and sorted.
                table.column("artistKey", .text).notNull()
                table.column("albumKey", .text).notNull()
            }
            try db.create(
                index: "trackByAlbum", on: "track",
                columns: ["artistKey", "year", "albumKey", "discNumber", "trackNumber", "title"])
            try db.create(
                index: "albums", on: "track",
                columns: ["artistKey", "albumKey", "year", "duration", "albumArtist", "album"])
            try db.create(index: "trackByPlayCount", on: "track", columns: ["playCount"])
            try db.create(table: "genre", options: .withoutRowID) { table in
                table.column("key", .text).notNull()
                table.column("trackID", .integer).notNull().references("track", onDelete: .cascade)
                table.column("name", .text).notNull()
                table.primaryKey(["key", "trackID"])
            }
            try db.create(index: "genreByTrack", on: "genre", columns: ["trackID"])
            try db.create(virtualTable: "trackText", using: FTS5()) { table in
                table.synchronize(withTable: "track")
                table.tokenizer = .unicode61(diacritics: .remove)
                // Beginnings of words are found without a walk over all words.
                table.prefixes = [1, 2, 3]
                for column in ["title", "artist", "albumArtist", "album", "genres"] { table.column(column) }
            }
        }
        return migrator
    }

    /// What a name is grouped and sorted by: without case and accents.
    static func key(_ name: String?) -> String {
        (name ?? "").folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The same in SQL, for names whose keys the tables do not have: `nameKey(title)`.
    static let nameKey = DatabaseFunction("nameKey", argumentCount: 1, pure: true) { values in
        LibrarySchema.key(String.fromDatabaseValue(values[0]))
    }
}
