internal import Descant
internal import Foundation
internal import PlayerApp

/// Loads playlists on the web (M3U, PLS, XSPF), and puts their tracks in their places.
struct WebPlaylists {
    /// A playlist that was loaded.
    private enum Content {
        case tracks([PlaylistEntry])
        /// The address is that of sound, such as a station or HTTP Live Streaming, and is played as it is.
        case sound
    }

    /// An entry, and the playlists that it lies in.
    private struct Item {
        var entry: PlaylistEntry
        var path: [URL] = []
        /// Whether the entry is a playlist that is still to be loaded.
        var isOpen: Bool

        init(_ entry: PlaylistEntry, path: [URL] = []) {
            self.entry = entry
            self.path = path
            // Pages are asked only when a person names them: those in a playlist are tracks, which servers count and convert.
            isOpen = WebPlaylists.isPlaylist(entry.url, withPages: false)
        }
    }

    let environment: AudioEnvironment

    /// How long one playlist may take, in seconds: a silent server is given up before, one that sends a little now and then is not.
    private var timeLimit: Double { environment.network.timeLimit + 2 }
    /// How long all playlists of a call may take, in nanoseconds.
    private var totalTimeLimit: UInt64 { UInt64(environment.network.timeLimit * 2_000_000_000) }
    /// How many are loaded at a time.
    private static let width = 8
    private static let endings: Set<String> = ["m3u", "pls", "xspf"]
    /// Pages that servers make at the moment. The content type says whether it is a playlist.
    private static let pageEndings: Set<String> = ["php", "asp", "aspx", "ashx", "cgi", "jsp"]
    /// The formats by their content types.
    private static let formats = [
        "audio/x-scpls": "pls", "audio/scpls": "pls", "application/pls+xml": "pls", "application/xspf+xml": "xspf",
        "audio/x-mpegurl": "m3u", "audio/mpegurl": "m3u", "application/x-mpegurl": "m3u", "application/mpegurl": "m3u",
        "application/vnd.apple.mpegurl": "m3u",
    ]

    /// Whether an address may be that of a playlist. M3U8 on the web is HTTP Live Streaming, which the engine plays.
    ///
    /// - Parameters:
    ///   - url: The address.
    ///   - withPages: Whether a page that a server makes counts.
    static func isPlaylist(_ url: URL, withPages: Bool = true) -> Bool {
        guard !url.isFileURL, ["http", "https"].contains(url.scheme?.lowercased()) else { return false }
        let ending = url.pathExtension.lowercased()
        return endings.contains(ending) || withPages && pageEndings.contains(ending)
    }

    /// Returns the tracks of an address on the web.
    ///
    /// - Throws: ``InputError`` for a playlist that cannot be loaded or names no tracks; `CancellationError`.
    func tracks(of url: URL) async throws -> [PlaylistEntry] {
        guard Self.isPlaylist(url) else { return [PlaylistEntry(url: url)] }
        let end = environment.clock.now() + totalTimeLimit
        switch try await load(url, until: end) {
        case .sound: return [PlaylistEntry(url: url)]
        case .tracks(let entries):
            let tracks = try await expand(
                entries.map { Item($0, path: [url]) }, until: end, loaded: 1, name: url.shownAddress)
            guard !tracks.isEmpty else {
                throw InputError(description: "\(url.shownAddress): the playlist names nothing but itself")
            }
            return tracks
        }
    }

    /// Returns entries with the tracks of playlists on the web in their places. A playlist that cannot be loaded in time, or for which there
    /// are too many, is kept as an entry: the player then reports the reason on its line.
    ///
    /// - Parameters:
    ///   - entries: The entries of a playlist on this computer.
    ///   - file: The playlist, for errors.
    /// - Throws: ``InputError`` when there are too many tracks; `CancellationError`.
    func expanded(_ entries: [PlaylistEntry], of file: URL) async throws -> [PlaylistEntry] {
        guard entries.contains(where: { Self.isPlaylist($0.url, withPages: false) }) else { return entries }
        let end = environment.clock.now() + totalTimeLimit
        return try await expand(entries.map { Item($0) }, until: end, loaded: 0, name: file.path)
    }

    private func expand(
        _ items: [Item], until end: UInt64, loaded: Int, name: String
    ) async throws -> [PlaylistEntry] {
        var (items, loaded) = (items, loaded)
        for _ in 0..<PlaylistFile.depthLimit {
            // A playlist within itself is left out.
            items.removeAll { $0.isOpen && $0.path.contains($0.entry.url) }
            var wanted: Set<URL> = []
            for index in items.indices where items[index].isOpen {
                let url = items[index].entry.url
                items[index].isOpen = wanted.contains(url) || loaded + wanted.count < PlaylistFile.fileLimit
                if items[index].isOpen { wanted.insert(url) }
            }
            if wanted.isEmpty { break }
            loaded += wanted.count
            let contents = try await load(wanted, until: end)
            let closed = items
            items = []
            for item in closed {
                items += item.isOpen ? Self.opened(item, contents[item.entry.url]) : [item]
                try Self.check(items.count, name: name)
            }
        }
        try Self.check(items.count, name: name)
        return items.map(\.entry)
    }

    private static func check(_ count: Int, name: String) throws(InputError) {
        guard count <= PlaylistFile.trackLimit else {
            throw InputError(description: "\(name): the playlist has more than \(PlaylistFile.trackLimit) tracks")
        }
    }

    /// An item as its tracks. A track without a title has that of the playlist.
    private static func opened(_ item: Item, _ content: Content?) -> [Item] {
        guard case .tracks(let entries)? = content else {
            var item = item
            item.isOpen = false
            return [item]
        }
        let title = item.entry.title == PlaylistEntry(url: item.entry.url).title ? nil : item.entry.title
        return entries.map { entry in
            var entry = entry
            if let title, entry.title == PlaylistEntry(url: entry.url).title { entry.title = title }
            return Item(entry, path: item.path + [item.entry.url])
        }
    }

    /// Loads playlists, several at a time.
    ///
    /// - Returns: Those that could be loaded.
    private func load(_ urls: Set<URL>, until end: UInt64) async throws -> [URL: Content] {
        try await withThrowingTaskGroup(of: (URL, Content?).self) { group in
            var waiting = Array(urls)
            var contents: [URL: Content] = [:]
            func addNext() {
                guard let url = waiting.popLast() else { return }
                group.addTask {
                    do { return (url, try await load(url, until: end)) } catch is InputError { return (url, nil) }
                }
            }
            for _ in 0..<Self.width { addNext() }
            while let (url, content) = try await group.next() {
                contents[url] = content
                addNext()
            }
            return contents
        }
    }

    private func load(_ url: URL, until end: UInt64) async throws -> Content {
        let name = url.shownAddress
        let now = environment.clock.now()
        let left = min(timeLimit, Double(end - min(now, end)) / 1_000_000_000)
        let isPage = Self.pageEndings.contains(url.pathExtension.lowercased())
        guard left > 0 else { throw InputError(description: "\(name): there was no time to load the playlist") }
        let document: WebDocument
        do {
            document = try await environment.webDocument(at: url, limit: PlaylistFile.sizeLimit, timeLimit: left) {
                type in
                guard let type else { return !isPage }
                if Self.formats[type] != nil { return true }
                return !isPage && !type.hasPrefix("audio/") && !type.hasPrefix("video/") && type != "application/ogg"
            }
        } catch let error as CoreError {
            // A page that is not a playlist is played, or its error reported, as every address.
            if isPage { return .sound }
            throw InputError(
                description:
                    "the playlist cannot be loaded: \(error.message); check the address, or save it and play the file")
        }
        let content = try content(of: document, name: name)
        guard case .tracks(var entries) = content else { return content }
        for index in entries.indices { entries[index].url = entries[index].url.withPassword(of: url) }
        return .tracks(entries)
    }

    private func content(of document: WebDocument, name: String) throws(InputError) -> Content {
        guard let data = document.data else { return .sound }
        guard let text = try? TextDecoding(data, name: name).text else {
            throw InputError(description: "\(name): what the server sends is not text, so it is not a playlist")
        }
        let start = text.drop(while: \.isWhitespace).prefix(9).lowercased()
        guard !start.hasPrefix("<!doctype"), !start.hasPrefix("<html") else {
            throw InputError(
                description:
                    "\(name): the server sends a web page; open it in a browser and copy the playlist's address")
        }
        let format = document.contentType.flatMap { Self.formats[$0] } ?? document.url.pathExtension.lowercased()
        if !["pls", "xspf"].contains(format), M3UPlaylist.isLiveStream(text) { return .sound }
        let entries = try PlaylistFile.entries(in: text, format: format, relativeTo: document.url, name: name)
        guard !entries.isEmpty else {
            throw InputError(
                description:
                    "\(name): the playlist names no address on the web; files of this computer are played from a playlist on it"
            )
        }
        return .tracks(entries)
    }
}

extension URL {
    /// The address with the user name and password of another one on the same server; without those, on another server and with a name of
    /// its own as it is.
    fileprivate func withPassword(of other: URL) -> URL {
        guard let user = other.user(percentEncoded: true), self.user(percentEncoded: true) == nil,
            server == other.server, var parts = URLComponents(url: self, resolvingAgainstBaseURL: true)
        else { return self }
        parts.percentEncodedUser = user
        parts.percentEncodedPassword = other.password(percentEncoded: true)
        return parts.url ?? self
    }

    private var server: [String?] {
        let scheme = scheme?.lowercased()
        return [scheme, host()?.lowercased(), String(port ?? (scheme == "https" ? 443 : 80))]
    }
}
