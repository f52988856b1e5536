public import Foundation

/// Writes M3U playlists.
public enum M3UWriter {
    /// Returns the text of a playlist, with titles and lengths. ``M3UParser`` reads it back.
    ///
    /// Files below the playlist's folder get relative paths, so that the folder can be moved as a whole.
    ///
    /// - Parameters:
    ///   - entries: The tracks.
    ///   - folder: The folder of the playlist.
    public static func text(of entries: [PlaylistEntry], relativeTo folder: URL) -> String {
        let root = folder.standardizedFileURL.path + "/"
        let lines = entries.flatMap { entry in
            let name = [entry.artist, entry.title].compactMap { $0 }.joined(separator: " - ")
            let line = String(name.map { $0.isNewline ? " " : $0 })
            return [
                "#EXTINF:\(entry.duration.map { Int($0.rounded()) } ?? -1),\(line)", address(entry.url, below: root),
            ]
        }
        return (["#EXTM3U"] + lines).joined(separator: "\n") + "\n"
    }

    private static func address(_ url: URL, below root: String) -> String {
        guard url.isFileURL else { return url.absoluteString }
        // A line break or a space at either end would not be read back, and a # would begin a comment.
        let isPlain =
            !url.path.contains(where: \.isNewline) && url.path == url.path.trimmingCharacters(in: .whitespaces)
        guard isPlain else { return url.absoluteString }
        let path = url.standardizedFileURL.path
        guard path.hasPrefix(root) else { return path }
        let relative = String(path.dropFirst(root.count))
        let isAmbiguous =
            relative.hasPrefix("#") || relative.hasPrefix(" ") || relative.contains("://")
            || relative.hasPrefix("file:")
        return isAmbiguous ? path : relative
    }
}
