public import Foundation

/// Writes XSPF playlists, which are XML with URIs: https://xspf.org/spec.
public enum XSPFPlaylist {
    /// Returns the text of a playlist, with titles, artists, albums and lengths in milliseconds.
    ///
    /// - Parameters:
    ///   - entries: The tracks.
    ///   - folder: The folder of the playlist. Files below it get relative addresses.
    public static func text(of entries: [PlaylistEntry], relativeTo folder: URL) -> String {
        let tracks = entries.flatMap { entry in
            ["    <track>"]
                + [
                    ("location", address(of: entry.url, below: folder)), ("title", entry.title),
                    ("creator", entry.artist), ("album", entry.album),
                    ("duration", PlaylistLocation.whole(entry.duration.map { $0 * 1000 }).map(String.init)),
                ].compactMap { name, value in value.map { "      <\(name)>\(escaped($0))</\(name)>" } } + [
                    "    </track>"
                ]
        }
        let lines =
            [
                #"<?xml version="1.0" encoding="UTF-8"?>"#, #"<playlist version="1" xmlns="http://xspf.org/ns/0/">"#,
                "  <trackList>",
            ] + tracks + ["  </trackList>", "</playlist>"]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func address(of url: URL, below folder: URL) -> String {
        guard url.isFileURL, url.fragment == nil, let path = PlaylistLocation.relativePath(of: url, below: folder)
        else {
            return PlaylistLocation.address(of: url)
        }
        // Every byte but those of plain names is escaped, so that no part looks like a scheme, a query or a fragment.
        let plain = CharacterSet(charactersIn: "-._~/ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
        return path.addingPercentEncoding(withAllowedCharacters: plain) ?? url.absoluteString
    }

    /// Replaces what XML does not allow as text. Control characters cannot be written in XML 1.0 at all.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\t", "\n", "\r": result += " "
            case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
