internal import Descant
internal import Foundation
internal import MusicAssistantKit

/// What a person's words or address stand for on the server.
struct RemoteContent {
    /// What commands call it.
    let uri: String
    /// What the server knows about it; `nil` for addresses of the web.
    let item: MediaItem?

    /// Its length in seconds.
    var duration: TimeInterval? { item?.duration }

    /// Finds content on the server.
    ///
    /// Addresses of the web are played as they are. Everything else is looked up, so that what is missing shows now:
    /// `library://…` and other addresses that are URLs, `music-assistant:ADDRESS` for those that are none, as they have an
    /// underscore in their scheme or a space in their path, and `music-assistant:WORDS` for a search.
    static func find(_ url: URL, on client: MusicAssistantClient) async throws -> RemoteContent {
        if url.scheme == "http" || url.scheme == "https" { return RemoteContent(uri: url.absoluteString, item: nil) }
        var text = url.absoluteString
        if url.scheme == "music-assistant" {
            let rest = text.dropFirst("music-assistant:".count)
            text = rest.removingPercentEncoding ?? String(rest)
        }
        guard text.contains("://") else { return try await search(text, on: client) }
        return RemoteContent(uri: text, item: try await client.item(uri: text))
    }

    /// The best match for words: what is called exactly so, else the first track, album, artist, playlist or station.
    private static func search(_ words: String, on client: MusicAssistantClient) async throws -> RemoteContent {
        let found = try await client.search(query: words, limit: 10)
        let ranked = [
            found.tracks, found.albums, found.artists, found.playlists, found.radio, found.audiobooks, found.podcasts,
        ].flatMap(\.self)
        let exact = ranked.first {
            $0.name.compare(words, options: [.caseInsensitive, .diacriticInsensitive]) == .orderedSame
        }
        guard let item = exact ?? ranked.first else {
            throw CoreError.notFound(
                "music-assistant: nothing on the server is called \"\(words)\"; see: descant ma search")
        }
        return RemoteContent(uri: item.uri, item: item)
    }
}

extension NowPlayingTrack {
    /// What a queue plays, with a cover from the server that the client knows.
    init(_ entry: QueueItem, coversFrom server: URL?) {
        let media = entry.mediaItem
        self.init(
            id: ID(rawValue: entry.queueItemId), url: media.flatMap { URL(string: $0.uri) },
            title: media?.name ?? entry.name, duration: entry.duration)
        describe(media, coversFrom: server)
        if artworkURL == nil { artworkURL = entry.image?.address(on: server) }
    }

    /// What is loaded and does not play.
    init(_ content: RemoteContent, coversFrom server: URL?) {
        self.init(
            id: ID(rawValue: content.uri), url: URL(string: content.uri), title: content.item?.name ?? content.uri,
            duration: content.duration)
        describe(content.item, coversFrom: server)
    }

    private mutating func describe(_ media: MediaItem?, coversFrom server: URL?) {
        guard let media else { return }
        artists = media.artists.map(\.name)
        album = media.album?.name ?? (media.mediaType == .album ? media.name : nil)
        albumArtists = media.album?.artists.map(\.name) ?? []
        genres = media.genres
        trackNumber = media.trackNumber
        discNumber = media.discNumber
        year = media.album?.year ?? media.year
        artworkURL = (media.images + (media.album?.images ?? [])).lazy.compactMap { $0.address(on: server) }.first
    }
}

extension MediaImage {
    /// Where the picture can be loaded: at its own address, else from the server, which gets it from its provider.
    fileprivate func address(on server: URL?) -> URL? {
        if isRemotelyAccessible, let url = URL(string: path), url.scheme != nil { return url }
        guard let server, var parts = URLComponents(url: server, resolvingAgainstBaseURL: true) else { return nil }
        let isSecure = parts.scheme == "wss" || parts.scheme == "https"
        parts.port = parts.port ?? (isSecure ? nil : 8095)
        parts.scheme = isSecure ? "https" : "http"
        parts.path = "/imageproxy"
        // The server decodes the path twice.
        var plain = CharacterSet.alphanumerics
        plain.insert(charactersIn: "-._~")
        guard let once = path.addingPercentEncoding(withAllowedCharacters: plain),
            let twice = once.addingPercentEncoding(withAllowedCharacters: plain),
            let provider = provider.addingPercentEncoding(withAllowedCharacters: plain)
        else { return nil }
        parts.percentEncodedQuery = "provider=\(provider)&size=512&fmt=jpeg&path=\(twice)"
        return parts.url
    }
}
