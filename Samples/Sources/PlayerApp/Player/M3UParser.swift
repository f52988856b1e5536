public import Foundation

/// Reads M3U and M3U8 playlists.
public enum M3UParser {
    /// Reads a playlist's text.
    ///
    /// Relative paths count from the playlist's folder; `file:` and other URLs are taken as they are; `#EXTINF` gives length
    /// and title. A byte order mark, carriage returns and unknown directives are ignored.
    ///
    /// - Parameters:
    ///   - text: The playlist.
    ///   - folder: The folder that relative paths count from.
    /// - Returns: The entries in order.
    public static func entries(in text: String, relativeTo folder: URL) -> [PlaylistEntry] {
        var entries: [PlaylistEntry] = []
        var info: (duration: TimeInterval?, title: String?) = (nil, nil)
        for line in text.split(whereSeparator: \.isNewline) {
            var line = line.trimmingCharacters(in: .whitespaces)
            if line.hasPrefix("\u{FEFF}") { line.removeFirst() }
            if line.hasPrefix("#EXTINF:") {
                info = parseInfo(line.dropFirst("#EXTINF:".count))
            } else if !line.isEmpty, !line.hasPrefix("#") {
                entries.append(
                    PlaylistEntry(url: url(for: line, relativeTo: folder), title: info.title, duration: info.duration))
                info = (nil, nil)
            }
        }
        return entries
    }

    private static func parseInfo(_ text: Substring) -> (TimeInterval?, String?) {
        let parts = text.split(separator: ",", maxSplits: 1)
        let seconds = parts.first.flatMap { Double($0.prefix { $0.isNumber || $0 == "." || $0 == "-" }) }
        let title = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
        return (seconds.flatMap { $0 > 0 ? $0 : nil }, title.isEmpty ? nil : title)
    }

    private static func url(for line: String, relativeTo folder: URL) -> URL {
        if line.hasPrefix("/") { return URL(fileURLWithPath: line).standardizedFileURL }
        if line.contains("://") || line.hasPrefix("file:"), let url = URL(string: line) { return url }
        return folder.appendingPathComponent(line).standardizedFileURL
    }
}
