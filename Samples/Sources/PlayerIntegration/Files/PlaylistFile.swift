internal import Descant
internal import Foundation
internal import PlayerApp

/// Reads playlist files (M3U, PLS, XSPF and CUE) and writes all but CUE, by the ending of their names.
enum PlaylistFile {
    /// The endings of the formats that are written.
    private static let writtenEndings = SoundFile.playlistEndings.dropLast()
    /// The maximum size of a file in bytes. A track takes about 100.
    static let sizeLimit = 16 << 20
    /// The maximum number of tracks, those of the playlists in a playlist included.
    static let trackLimit = 200_000
    /// How many playlists may lie within each other.
    static let depthLimit = 8
    /// How many playlists are read for one.
    static let fileLimit = 1_000
    /// How many names beyond ASCII are looked for before they count as those of this system.
    private static let probeLimit = 100

    /// Whether a file is read as a playlist.
    static func isPlaylist(_ url: URL) -> Bool {
        // A path with a zero byte would open a file of a shorter name.
        url.isFileURL && SoundFile.playlistEndings.contains(InputExpander.ending(of: url.path))
            && !url.path.utf8.contains(0)
    }

    /// Returns the tracks of a playlist, and in their place those of the playlists in it. A playlist within itself is left out.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - step: Called after each step of the disk.
    /// - Throws: ``InputError`` when it cannot be read, is too large or has no tracks.
    static func entries(of url: URL, step: () -> Void = {}) throws -> [PlaylistEntry] {
        var found = (entries: [PlaylistEntry](), files: 0)
        try collect(url.standardizedFileURL, within: [], into: &found, step)
        guard !found.entries.isEmpty else { throw InputError(description: "\(url.path): the playlist has no entries") }
        return found.entries
    }

    private static func collect(
        _ url: URL, within outer: [URL], into found: inout (entries: [PlaylistEntry], files: Int), _ step: () -> Void
    ) throws {
        found.files += 1
        guard found.files <= fileLimit else {
            throw InputError(description: "\(url.path): more than \(fileLimit) playlists lie within the playlist")
        }
        let path = outer + [url]
        let folder = url.deletingLastPathComponent()
        var probes = probeLimit
        for var entry in try lines(of: url) {
            step()
            entry = meant(entry, relativeTo: folder, probes: &probes)
            let list = isPlaylist(entry.url) ? entry.url.standardizedFileURL : nil
            if let list, exists(list.path) {
                if !path.contains(list), path.count < depthLimit { try collect(list, within: path, into: &found, step) }
            } else {
                found.entries.append(entry)
            }
            guard found.entries.count <= trackLimit else {
                throw InputError(description: "\(url.path): the playlist has more than \(trackLimit) tracks")
            }
        }
    }

    /// Returns an entry with the file that is meant: other players write `%20` for a space, Windows backslashes, and
    /// macOS the other Unicode form of a name.
    ///
    /// - Parameter probes: How many more names are looked for only because they are not ASCII: a disk may take a
    ///   millisecond for each. Where one of them is not there, all are looked for.
    private static func meant(
        _ entry: PlaylistEntry, relativeTo folder: URL, probes: inout Int
    ) -> PlaylistEntry {
        let path = entry.url.path
        let root = folder.path + "/"
        guard entry.url.isFileURL, entry.part == nil else { return entry }
        let name = path.hasPrefix(root) ? String(path.dropFirst(root.count)) : path
        let isEncoded = name.utf8.contains { "%\\".utf8.contains($0) }
        guard isEncoded || probes > 0 && name.utf8.contains(where: { $0 >= 0x80 }) else { return entry }
        if exists(path) {
            if !isEncoded { probes -= 1 }
            return entry
        }
        probes = .max
        let slashed = name.replacing("\\", with: "/")
        let names = [name, name.removingPercentEncoding, slashed, slashed.removingPercentEncoding].compactMap(\.self)
            .filter { !$0.utf8.contains(0) }
        let files = unicodeForms(of: names).lazy
            .map { URL(fileURLWithPath: $0, relativeTo: folder).standardizedFileURL }
        guard let file = files.first(where: { exists($0.path) }) else { return entry }
        var meant = entry
        meant.url = file
        if entry.title == PlaylistEntry(url: entry.url).title { meant.title = PlaylistEntry(url: file).title }
        return meant
    }

    /// Returns names, each followed by its composed and its decomposed Unicode form, without repetitions.
    ///
    /// macOS decomposes `ä` into a letter and an accent, other systems write one character. For Linux these are two
    /// names.
    static func unicodeForms(of names: [String]) -> [String] {
        var forms: [String] = []
        for name in names {
            let isASCII = name.utf8.allSatisfy { $0 < 0x80 }
            let others =
                isASCII ? [] : [name.precomposedStringWithCanonicalMapping, name.decomposedStringWithCanonicalMapping]
            // Bytes are compared, because strings are equal in all forms.
            for form in [name] + others where !forms.contains(where: { $0.utf8.elementsEqual(form.utf8) }) {
                forms.append(form)
            }
        }
        return forms
    }

    /// Whether there is a file or a folder at a path.
    static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// Returns the entries of one file, playlists among them.
    private static func lines(of url: URL) throws -> [PlaylistEntry] {
        let data: Data
        // A pipe may never end, and a device never does.
        guard (try? url.resolvingSymlinksInPath().resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile ?? true
        else {
            throw InputError(description: "\(url.path): this is not a file, so it is not a playlist")
        }
        do {
            let file = try FileHandle(forReadingFrom: url)
            defer { try? file.close() }
            data = try file.read(upToCount: sizeLimit + 1) ?? Data()
        } catch {
            throw InputError(description: "\(url.path): the playlist cannot be read: \(error.localizedDescription)")
        }
        guard data.count <= sizeLimit else {
            throw InputError(
                description: "\(url.path): the playlist has more than \(sizeLimit >> 20) MiB; split it into several")
        }
        guard let decoded = try? TextDecoding(data, name: url.lastPathComponent) else {
            throw InputError(description: "\(url.path): the file is not text, so it is not a playlist")
        }
        let format = url.pathExtension.lowercased()
        if format == "cue" { return try CUEFiles.entries(in: data, decoded: decoded, of: url) }
        let folder = url.deletingLastPathComponent()
        return try entries(in: decoded.text, format: format, relativeTo: folder, name: url.path)
    }

    /// Returns the entries in a text, playlists among them.
    ///
    /// - Parameters:
    ///   - text: The playlist.
    ///   - format: `pls`, `xspf`, or anything else for M3U.
    ///   - base: The folder that relative paths count from, or the address of a playlist on the web.
    ///   - name: The name in errors.
    static func entries(
        in text: String, format: String, relativeTo base: URL, name: String
    ) throws(InputError) -> [PlaylistEntry] {
        switch format {
        // One more than the limit tells that there are too many.
        case "pls": PLSPlaylist.entries(in: text, relativeTo: base, limit: trackLimit + 1)
        case "xspf": try XSPFReader.entries(in: text, relativeTo: base, name: name)
        default: M3UPlaylist.entries(in: text, relativeTo: base, limit: trackLimit + 1)
        }
    }

    /// Returns the text of a playlist.
    ///
    /// - Parameters:
    ///   - entries: The tracks.
    ///   - url: The file that it is for; its ending gives the format.
    /// - Throws: ``InputError`` for another ending.
    static func text(of entries: [PlaylistEntry], for url: URL) throws -> String {
        let folder = url.deletingLastPathComponent()
        switch url.pathExtension.lowercased() {
        case "m3u", "m3u8": return M3UPlaylist.text(of: entries, relativeTo: folder)
        case "pls": return PLSPlaylist.text(of: entries, relativeTo: folder)
        case "xspf": return XSPFPlaylist.text(of: entries, relativeTo: folder)
        default:
            let list = writtenEndings.map { ".\($0)" }.joined(separator: ", ")
            throw InputError(description: "\(url.path): use a name that ends in \(list)")
        }
    }
}
