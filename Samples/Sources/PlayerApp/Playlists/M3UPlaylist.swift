public import Foundation

/// M3U and M3U8 playlists.
public enum M3UPlaylist {
    /// Reads a playlist's text.
    ///
    /// Relative paths count from the playlist's folder; `file:` and other URLs are taken as they are; `#EXTINF` gives length
    /// and title. A byte order mark, carriage returns and unknown directives are ignored. What a playlist on the web names is on the
    /// web, too: relative addresses count from its own, and files are left out.
    ///
    /// - Parameters:
    ///   - text: The playlist.
    ///   - base: The folder that relative paths count from, or the address of a playlist on the web.
    ///   - limit: The number of entries behind which reading ends.
    /// - Returns: The entries in order.
    public static func entries(in text: String, relativeTo base: URL, limit: Int = .max) -> [PlaylistEntry] {
        var entries: [PlaylistEntry] = []
        var info: (duration: TimeInterval?, title: String?) = (nil, nil)
        // Scalars are told apart faster than characters, and none belongs to the line break before it.
        for scalars in text.unicodeScalars.split(whereSeparator: {
            !(" "..."~").contains($0) && Character($0).isNewline
        }) {
            let content = Substring(scalars)
            guard content.utf8.count <= PlaylistLocation.lineLimit else { continue }
            var line = PlaylistLocation.trimmed(content)
            if line.hasPrefix("\u{FEFF}") { line = PlaylistLocation.trimmed(line.dropFirst()) }
            if line.hasPrefix("#EXTINF:") {
                info = parseInfo(line.dropFirst("#EXTINF:".count))
            } else if !line.isEmpty, !PlaylistLocation.isComment(line) {
                if let url = PlaylistLocation.url(for: line, relativeTo: base) {
                    entries.append(PlaylistEntry(url: url, title: info.title, duration: info.duration))
                    if entries.count >= limit { break }
                }
                info = (nil, nil)
            }
        }
        return entries
    }

    /// Whether a playlist divides a stream into segments (HTTP Live Streaming), which are no tracks.
    ///
    /// - Parameter text: The playlist.
    public static func isLiveStream(_ text: String) -> Bool {
        text.split(maxSplits: 100, whereSeparator: \.isNewline).contains { $0.hasPrefix("#EXT-X-") }
    }

    private static func parseInfo(_ text: Substring) -> (TimeInterval?, String?) {
        let comma = titleComma(in: text)
        let seconds = Double(text[..<(comma ?? text.endIndex)].prefix { $0.isNumber || $0 == "." || $0 == "-" })
        let title = comma.map { PlaylistLocation.trimmed(text[text.utf8.index(after: $0)...]) } ?? ""
        return (seconds.flatMap { $0 > 0 ? $0 : nil }, title.isEmpty ? nil : title)
    }

    /// Returns the comma in front of the title. Values of attributes may contain others, as in
    /// `-1 group-title="Rock, Pop",Radio One`.
    private static func titleComma(in text: Substring) -> Substring.Index? {
        let bytes = text.utf8
        var isQuoted = false
        for index in bytes.indices {
            if bytes[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
            if bytes[index] == UInt8(ascii: ","), !isQuoted { return index }
        }
        // A quotation mark without a second one begins no value.
        return bytes.firstIndex(of: UInt8(ascii: ","))
    }

    /// Returns the text of a playlist, with titles and lengths. ``entries(in:relativeTo:)`` reads it back.
    ///
    /// - Parameters:
    ///   - entries: The tracks.
    ///   - folder: The folder of the playlist. Files below it get relative paths.
    public static func text(of entries: [PlaylistEntry], relativeTo folder: URL) -> String {
        let lines = entries.flatMap { entry in
            let length = PlaylistLocation.whole(entry.duration) ?? -1
            return [
                "#EXTINF:\(length),\(PlaylistLocation.singleLine(entry.fullTitle))",
                PlaylistLocation.line(for: entry.url, relativeTo: folder),
            ]
        }
        return (["#EXTM3U"] + lines).joined(separator: "\n") + "\n"
    }
}

extension PlaylistEntry {
    /// The artist and the title.
    var fullTitle: String { [artist, title].compactMap { $0 }.joined(separator: " - ") }
}
