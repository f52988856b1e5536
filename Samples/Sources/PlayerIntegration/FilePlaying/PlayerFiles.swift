public import Foundation
public import PlayerApp

/// Keeps the preferences as a JSON file, and writes playlists.
public struct PlayerFiles: PlayerStorage {
    /// The file of the preferences; it need not exist.
    public let preferencesFile: URL

    /// The maximum size of the file in bytes; it has about 150.
    private static let sizeLimit = 64 << 10

    /// Keeps the preferences in a file.
    ///
    /// - Parameter preferencesFile: The file.
    public init(preferencesFile: URL) { self.preferencesFile = preferencesFile }

    /// Reads the preferences. A damaged file is renamed, so that it is neither used nor overwritten.
    ///
    /// - Returns: The preferences, the standard ones without a file, and a message when the file cannot be used.
    public func readPreferences() -> (preferences: ViewPreferences, problem: String?) {
        let path = preferencesFile.path
        guard FileManager.default.fileExists(atPath: path) else { return (ViewPreferences(), nil) }
        do {
            let file = try FileHandle(forReadingFrom: preferencesFile)
            defer { try? file.close() }
            let data = try file.read(upToCount: Self.sizeLimit + 1) ?? Data()
            if data.count <= Self.sizeLimit, let read = try? JSONDecoder().decode(ViewPreferences.self, from: data) {
                return (read, nil)
            }
        } catch {
            return (ViewPreferences(), "\(path) cannot be read: \(error.localizedDescription)")
        }
        let aside = preferencesFile.appendingPathExtension("damaged")
        guard rename(path, aside.path) == 0 else { return (ViewPreferences(), "\(path) is damaged and ignored") }
        return (ViewPreferences(), "\(path) is damaged; it was set aside as \(aside.lastPathComponent)")
    }

    /// Writes the preferences; the file is replaced as a whole.
    ///
    /// - Parameter preferences: The preferences.
    /// - Throws: ``InputError`` naming the file.
    public func save(_ preferences: ViewPreferences) async throws {
        do {
            try FileManager.default.createDirectory(
                at: preferencesFile.deletingLastPathComponent(), withIntermediateDirectories: true)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(preferences).write(to: preferencesFile, options: .atomic)
        } catch {
            throw InputError(
                description: "\(preferencesFile.path) cannot be written: \(error.localizedDescription)")
        }
    }

    /// Writes a playlist as M3U, PLS or XSPF, as the ending says. A file of that name is not overwritten.
    ///
    /// - Parameters:
    ///   - entries: The tracks.
    ///   - path: The file; `.m3u` is added to a name without an ending, and `~` is the home folder.
    /// - Returns: The path of the file.
    /// - Throws: `PlaylistFileExists`, or ``InputError`` with the file and the reason.
    public func save(_ entries: [PlaylistEntry], as path: String, replaces: Bool) async throws -> String {
        try PlaylistFile.write(entries, as: path, replaces: replaces)
    }
}
