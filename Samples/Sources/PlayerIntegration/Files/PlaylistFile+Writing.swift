internal import Foundation
internal import PlayerApp

extension PlaylistFile {
    /// Writes a playlist as M3U, PLS or XSPF, as the ending says.
    ///
    /// - Parameters:
    ///   - entries: The tracks.
    ///   - path: The file; `.m3u` is added to a name without an ending, and `~` is the home folder.
    ///   - replaces: Whether a file of that name is overwritten; one whose ending was added never is.
    /// - Returns: The path of the file.
    /// - Throws: `PlaylistFileExists`, or ``InputError`` with the file and the reason.
    static func write(_ entries: [PlaylistEntry], as path: String, replaces: Bool) throws -> String {
        var url = URL(fileURLWithPath: HomePath.expand(path)).standardizedFileURL
        // Whoever has agreed to the loss of `list` was not asked about `list.m3u`.
        let mayReplace = replaces && !url.pathExtension.isEmpty
        if url.pathExtension.isEmpty { url.appendPathExtension("m3u") }
        let text = try Self.text(of: entries, for: url)
        guard mayReplace || !FileManager.default.fileExists(atPath: url.path) else {
            throw PlaylistFileExists(path: url.path)
        }
        let file = try PendingFile(url)
        do {
            try Data(text.utf8).write(to: file.partial)
            try file.keep()
        } catch let error as InputError {
            file.discard()
            throw error
        } catch {
            file.discard()
            throw InputError(description: "\(url.path) cannot be written: \(error.localizedDescription)")
        }
        return url.path
    }
}
