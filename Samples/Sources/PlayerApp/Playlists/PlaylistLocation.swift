public import Foundation

/// The places of tracks as playlists write them.
public enum PlaylistLocation {
    /// The maximum length of a line of a playlist, in bytes. Paths have 4,096 at most; longer lines are left out.
    static let lineLimit = 1 << 16

    /// Returns the URL that a line of a playlist stands for: a path, or a URL with its scheme.
    ///
    /// - Parameters:
    ///   - line: The line.
    ///   - base: The folder that relative paths count from, or the address of a playlist on the web.
    /// - Returns: `nil` for a line of a playlist on the web that names something else than an address on the web.
    static func url(for line: String, relativeTo base: URL) -> URL? {
        guard base.isFileURL else { return webURL(for: line, relativeTo: base) }
        if line.hasPrefix("/") { return file(line) }
        if line.contains("://") || line.hasPrefix("file:"), let url = URL(string: line), url.scheme != nil {
            return url
        }
        return file(base.path + "/" + line)
    }

    /// Returns the URL of a path. The disk is not asked whether it is a folder, which would take as long as all the rest.
    private static func file(_ path: String) -> URL {
        let url = URL(filePath: path, directoryHint: .inferFromPath)
        let bytes = path.utf8
        let isStandard = !zip(bytes, bytes.dropFirst()).contains { first, second in
            first == UInt8(ascii: "/") && (second == UInt8(ascii: "/") || second == UInt8(ascii: "."))
        }
        return isStandard ? url : url.standardizedFileURL
    }

    /// Returns a text without spaces at its ends. Few lines have any, and Foundation makes copies of all.
    static func trimmed(_ text: Substring) -> String {
        let isPlain = [text.utf8.first, text.utf8.last].allSatisfy { (0x21..<0x7F).contains($0 ?? 0) }
        return isPlain ? String(text) : text.trimmingCharacters(in: .whitespaces)
    }

    /// The schemes of addresses that a playlist on the web may name. Files and devices of this computer are not among them.
    private static let webSchemes: Set<String> = ["http", "https", "rtsp", "rtmp", "mms", "mmsh"]

    /// Returns the address that a reference in a playlist on the web stands for: also a path from the root is one on that server.
    ///
    /// - Parameters:
    ///   - reference: An address, or a path that counts from that of the playlist.
    ///   - address: That of the playlist.
    /// - Returns: `nil` for what is not on the web, such as a file of this computer.
    public static func webURL(for reference: String, relativeTo address: URL) -> URL? {
        let hasScheme = reference.contains("://") || reference.hasPrefix("file:")
        // A colon in the name of a file begins no scheme.
        let isPath = !hasScheme && !reference.hasPrefix("/") && !reference.hasPrefix("?")
        let url = URL(string: isPath ? "./" + reference : reference, relativeTo: address)?.absoluteURL
        guard let url, webSchemes.contains(url.scheme?.lowercased() ?? ""), url.host()?.isEmpty == false else {
            return nil
        }
        return url
    }

    /// Returns an address as a playlist holds it: without its password, because others may read the file.
    ///
    /// - Parameter url: The address.
    static func address(of url: URL) -> String {
        let text = url.absoluteString
        // `https://user:password@host/path`; the user stays.
        guard let start = text.firstRange(of: "://")?.upperBound else { return text }
        let authority = text[start...].prefix { !"/?#".contains($0) }
        guard let end = authority.lastIndex(of: "@"), let colon = authority[..<end].firstIndex(of: ":") else {
            return text
        }
        let rest = authority[..<colon].isEmpty ? text.index(after: end) : end
        return String(text[..<colon] + text[rest...])
    }

    /// The hosts whose passwords a playlist of some tracks leaves out, in their order.
    ///
    /// - Parameter entries: The tracks.
    static func hostsWithPasswords(in entries: [PlaylistEntry]) -> [String] {
        var hosts: [String] = []
        for entry in entries where !entry.url.isFileURL && address(of: entry.url) != entry.url.absoluteString {
            let host = entry.url.host() ?? ""
            if !hosts.contains(host) { hosts.append(host) }
        }
        return hosts
    }

    /// Returns the line for a track. A file below the playlist's folder gets a relative path, so that the folder can be moved as a
    /// whole.
    ///
    /// - Parameters:
    ///   - url: The track.
    ///   - folder: The folder of the playlist.
    static func line(for url: URL, relativeTo folder: URL) -> String {
        // A path alone would lose the host of file://host/path.
        guard url.isFileURL, url.fragment == nil, (url.host() ?? "").isEmpty, !url.path.isEmpty else {
            return address(of: url)
        }
        // A line break or a space at either end would not be read back, and a # would begin a comment.
        let isPlain = !url.path.contains(where: \.isNewline) && !hasOuterSpace(url.path)
        guard isPlain else { return url.absoluteString }
        let path = url.standardizedFileURL.path
        guard let relative = relativePath(of: url, below: folder) else { return path }
        let isAmbiguous =
            ["\u{FEFF}", "file:"].contains { relative.hasPrefix($0) } || relative.contains("://")
            || isComment(relative) || hasOuterSpace(relative)
        return isAmbiguous ? path : relative
    }

    /// Whether a line is a comment: also when a combining mark makes another character of its `#`.
    static func isComment(_ line: String) -> Bool { line.unicodeScalars.first == "#" }

    private static func hasOuterSpace(_ text: String) -> Bool { text != text.trimmingCharacters(in: .whitespaces) }

    /// Returns the path from a folder to a file below it; `nil` for other files.
    static func relativePath(of url: URL, below folder: URL) -> String? {
        let root = folder.standardizedFileURL.path + "/"
        let path = url.standardizedFileURL.path
        return path.hasPrefix(root) ? String(path.dropFirst(root.count)) : nil
    }

    /// Returns a number as a playlist writes it; `nil` for none, and for a length that a damaged playlist announced and no integer holds.
    static func whole(_ number: Double?) -> Int? { number.flatMap { Int(exactly: $0.rounded()) } }

    /// Returns a text on one line.
    static func singleLine(_ text: String) -> String { String(text.map { $0.isNewline ? " " : $0 }) }
}
