public import Foundation

/// PLS playlists: numbered keys such as `File1=`, `Title1=` and `Length1=`, as radio stations give them.
public enum PLSPlaylist {
    /// Reads a playlist's text.
    ///
    /// The numbers give the order. Keys in any case of letters are read; sections, other keys and entries without a file are
    /// ignored. Paths are read as in M3U playlists.
    ///
    /// - Parameters:
    ///   - text: The playlist.
    ///   - base: The folder that relative paths count from, or the address of a playlist on the web.
    ///   - limit: The number of entries behind which reading ends.
    /// - Returns: The entries in the order of their numbers.
    public static func entries(in text: String, relativeTo base: URL, limit: Int = .max) -> [PlaylistEntry] {
        var tracks: [Int: (file: String?, title: String?, length: TimeInterval?)] = [:]
        for line in text.split(whereSeparator: \.isNewline) where line.utf8.count <= PlaylistLocation.lineLimit {
            let parts = line.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2, !parts[1].isEmpty else { continue }
            let key = parts[0].lowercased()
            let digits = key.reversed().prefix { $0.isASCII && $0.isNumber }.count
            guard let number = Int(key.suffix(digits)) else { continue }
            if tracks.count >= limit, tracks[number] == nil { break }
            switch key.dropLast(digits) {
            case "file": tracks[number, default: (nil, nil, nil)].file = parts[1]
            case "title": tracks[number, default: (nil, nil, nil)].title = parts[1]
            case "length":
                let seconds = Double(parts[1]).flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
                tracks[number, default: (nil, nil, nil)].length = seconds
            default: break
            }
        }
        return tracks.sorted { $0.key < $1.key }.compactMap { _, track in
            track.file.flatMap { PlaylistLocation.url(for: $0, relativeTo: base) }.map {
                PlaylistEntry(url: $0, title: track.title, duration: track.length)
            }
        }
    }

    /// Returns the text of a playlist, with titles and lengths in whole seconds. ``entries(in:relativeTo:)`` reads it back.
    ///
    /// - Parameters:
    ///   - entries: The tracks.
    ///   - folder: The folder of the playlist. Files below it get relative paths.
    public static func text(of entries: [PlaylistEntry], relativeTo folder: URL) -> String {
        let lines = entries.enumerated().flatMap { index, entry in
            [
                "File\(index + 1)=\(PlaylistLocation.line(for: entry.url, relativeTo: folder))",
                "Title\(index + 1)=\(PlaylistLocation.singleLine(entry.fullTitle))",
                "Length\(index + 1)=\(PlaylistLocation.whole(entry.duration) ?? -1)",
            ]
        }
        let end = ["NumberOfEntries=\(entries.count)", "Version=2"]
        return (["[playlist]"] + lines + end).joined(separator: "\n") + "\n"
    }
}
