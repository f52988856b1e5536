internal import Foundation
internal import PlayerApp

/// Reads XSPF playlists, which are XML with URIs: https://xspf.org/spec.
enum XSPFReader {
    /// The maximum length of an address or a name, in bytes; longer ones are left out.
    private static let textLimit = 1 << 16

    /// Reads a playlist's text. Damaged XML is repaired as a browser repairs HTML.
    ///
    /// - Parameters:
    ///   - text: The playlist.
    ///   - base: The folder that relative addresses count from, or the address of a playlist on the web.
    ///   - name: The name in errors.
    /// - Returns: The tracks with an address, in order. The first of several addresses or titles of a track counts.
    /// - Throws: ``InputError`` when elements are nested too deep.
    static func entries(in text: String, relativeTo base: URL, name: String) throws(InputError) -> [PlaylistEntry] {
        var entries: [PlaylistEntry] = []
        var track: [String: String] = [:]
        // The open elements from the track on. An extension may have elements of the same names.
        var path: [String] = []
        // The text of the child that is being read.
        var value = ""
        for token in try MarkupParser.tokens(of: text, name: name) {
            switch token {
            case .start(let name, _):
                if name == "track" || !path.isEmpty { path.append(name) }
                if path.count == 2 { value = "" }
            case .text(let text): if path.count == 2 { value += text }
            case .end:
                if path.count == 2, track[path[1]] == nil { track[path[1]] = usable(value) }
                if path.count == 1 {
                    if let entry = entry(track, relativeTo: base) { entries.append(entry) }
                    track = [:]
                }
                _ = path.popLast()
            }
        }
        return entries
    }

    /// Returns a text without white space at its ends; `nil` for an empty one, and for one above the limit.
    private static func usable(_ text: String) -> String? {
        guard text.utf8.count <= textLimit else { return nil }
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        return trimmed.isEmpty ? nil : trimmed
    }

    private static func entry(_ track: [String: String], relativeTo base: URL) -> PlaylistEntry? {
        guard let location = track["location"], let url = url(location, relativeTo: base) else { return nil }
        let milliseconds = track["duration"].flatMap(Double.init).flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
        var entry = PlaylistEntry(
            url: url, title: track["title"], artist: track["creator"],
            duration: milliseconds.map { $0 / 1000 })
        entry.album = track["album"]
        return entry
    }

    /// An address with a scheme is taken as it is; others are paths, with or without escapes. A playlist on the web names no files.
    private static func url(_ location: String, relativeTo base: URL) -> URL? {
        guard base.isFileURL else { return PlaylistLocation.webURL(for: location, relativeTo: base) }
        if let url = URL(string: location), url.scheme != nil { return url }
        let path = location.removingPercentEncoding ?? location
        if path.hasPrefix("/") { return URL(fileURLWithPath: path).standardizedFileURL }
        return base.appendingPathComponent(path).standardizedFileURL
    }
}
