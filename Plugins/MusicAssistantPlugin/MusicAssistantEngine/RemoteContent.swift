internal import Descant
internal import Foundation
internal import MusicAssistantKit

/// The content on the server for the user's words or address.
struct RemoteContent {
    /// Its identifier in commands.
    let uri: String
    /// The server's item; `nil` for web addresses.
    let item: MediaItem?

    /// Its length in seconds.
    var duration: TimeInterval? { item?.duration }

    /// Finds content on the server.
    ///
    /// Web addresses are played unchanged. All others are looked up, so that missing content is an error at once:
    /// `library://…` and other addresses that are URLs, `music-assistant:ADDRESS` for addresses that are not valid URLs
    /// (with an underscore in the scheme or a space in the path), and `music-assistant:WORDS` for a search.
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

    /// The best match for words: the item with exactly that name, else the first track, album, artist, playlist or station.
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
    /// The track of a queue, with a cover from the client's server.
    init(_ entry: QueueItem, of client: MusicAssistantClient) {
        let media = entry.mediaItem
        self.init(
            id: ID(rawValue: entry.queueItemId), url: media.flatMap { URL(string: $0.uri.withoutPasswords) },
            title: (media?.name ?? entry.name).withoutPasswords, duration: entry.duration)
        if let media { describe(media) }
        artworkURL = client.imageURL(for: entry, size: Self.coverSize)
    }

    /// The track of loaded content that does not play.
    init(_ content: RemoteContent, of client: MusicAssistantClient) {
        let uri = content.uri.withoutPasswords
        self.init(
            id: ID(rawValue: uri), url: URL(string: uri), title: content.item?.name.withoutPasswords ?? uri,
            duration: content.duration)
        guard let item = content.item else { return }
        describe(item)
        artworkURL = client.imageURL(for: item, size: Self.coverSize)
    }

    /// The size of a cover for player panels, in pixels.
    private static let coverSize = 512

    private mutating func describe(_ media: MediaItem) {
        artists = media.artists.map(\.name)
        album = media.album?.name ?? (media.mediaType == .album ? media.name : nil)
        albumArtists = media.album?.artists.map(\.name) ?? []
        genres = media.genres
        trackNumber = media.trackNumber
        discNumber = media.discNumber
        year = media.album?.year ?? media.year
    }
}

extension String {
    /// The text without the user names and passwords of URLs in it, because player panels and errors show it.
    var withoutPasswords: String { replacing(/:\/\/[^\/?#\s]*@/, with: "://") }
}
