public import Descant
public import Foundation
public import PlayerApp

/// Expands inputs into tracks: files, folders with all below them but hidden files and folders, and playlists (M3U, PLS, XSPF, CUE), on the web
/// too (M3U, PLS, XSPF).
///
/// In a folder, a CUE sheet that divides a file takes the file's place.
public enum InputExpander {
    /// The file extensions of sound files in folders. A file that is named directly needs none of them.
    static let endings = TagReading.fileExtensions.union(["mka", "wave"])

    /// The tracks of the arguments, in order.
    ///
    /// - Parameters:
    ///   - arguments: Paths and URLs.
    ///   - environment: Loads playlists on the web.
    /// - Returns: The tracks; a missing file is kept, so that the player reports it.
    /// - Throws: ``InputError`` for a folder without sound, and for a playlist that cannot be read; `CancellationError`.
    public static func entries(
        for arguments: [String], in environment: AudioEnvironment
    ) async throws -> [PlaylistEntry] {
        try await entries(for: arguments.map(url(for:)), in: environment)
    }

    /// The tracks that URLs stand for, in order.
    ///
    /// - Parameters:
    ///   - urls: Files, folders, playlists or web addresses.
    ///   - environment: Loads playlists on the web.
    /// - Throws: ``InputError`` for a folder without sound, and for a playlist that cannot be read; `CancellationError`.
    static func entries(for urls: [URL], in environment: AudioEnvironment) async throws -> [PlaylistEntry] {
        let web = WebPlaylists(environment: environment)
        var entries: [PlaylistEntry] = []
        for url in urls {
            entries += try await url.isFileURL ? web.expanded(localEntries(for: url), of: url) : web.tracks(of: url)
        }
        return entries
    }

    /// The URL of an argument, which is a path unless it begins with a scheme.
    ///
    /// - Parameter argument: A path or URL.
    public static func url(for argument: String) -> URL {
        if argument.contains("://"), let url = URL(string: argument), url.scheme != nil { return url }
        return URL(fileURLWithPath: argument).standardizedFileURL
    }

    /// The tracks that a URL stands for, in order; nothing is loaded from the web.
    ///
    /// - Parameter url: A file, folder, playlist or web address.
    /// - Throws: ``InputError``.
    public static func localEntries(for url: URL) throws -> [PlaylistEntry] {
        guard url.isFileURL else { return [PlaylistEntry(url: url)] }
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
        if exists, isFolder.boolValue { return try files(below: url) }
        if exists, PlaylistFile.isPlaylist(url) { return try PlaylistFile.entries(of: url) }
        return [PlaylistEntry(url: url)]
    }

    private static func files(below folder: URL) throws -> [PlaylistEntry] {
        let paths = try paths(below: folder)
        let sounds = paths.filter { endings.contains(($0 as NSString).pathExtension.lowercased()) }
            .sorted { $0.compare($1, options: [.numeric, .caseInsensitive]) == .orderedAscending }
        guard !sounds.isEmpty else {
            throw InputError(description: "\(folder.path): there are no audio files in this folder")
        }
        let sheets = paths.filter { ($0 as NSString).pathExtension.lowercased() == "cue" }.sorted()
        let parts = CUEFiles.parts(in: sheets.prefix(PlaylistFile.fileLimit).map(folder.appendingPathComponent))
        return sounds.flatMap { path in
            let file = folder.appendingPathComponent(path)
            return parts[file.standardizedFileURL.path] ?? [PlaylistEntry(url: file)]
        }
    }

    /// Returns the files below a folder by their paths from there. Hidden names are left out, such as those of macOS's metadata. The
    /// folder may be a link; links to folders below it are not followed, as they may lead in circles.
    private static func paths(below folder: URL) throws -> [String] {
        func names(in path: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder.path + "/" + path).filter { !$0.hasPrefix(".") }
        }
        guard var waiting = try? names(in: "") else {
            throw InputError(description: "\(folder.path): the folder cannot be read")
        }
        var files: [String] = []
        while let path = waiting.popLast() {
            var status = stat()
            guard lstat(folder.path + "/" + path, &status) == 0 else { continue }
            if status.st_mode & S_IFMT != S_IFDIR {
                files.append(path)
            } else if let inner = try? names(in: path) {
                waiting += inner.map { "\(path)/\($0)" }
            }
        }
        return files
    }
}

extension URL {
    /// The address as it may be shown: without a user name and password.
    var shownAddress: String { isFileURL ? absoluteString : AudioSource.url(self).name }
}
