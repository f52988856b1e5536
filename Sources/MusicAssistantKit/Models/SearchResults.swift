/// What a search found, by kind.
public struct SearchResults: JSONModel {
    /// Everything that the server sent.
    public let json: JSONValue

    /// Takes what the server sent.
    ///
    /// - Parameter json: The value as it came.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is no object.
    public init(json: JSONValue) throws {
        try Self.check(json)
        self.json = json
    }

    /// Artists.
    public var artists: [MediaItem] { models("artists") }

    /// Albums.
    public var albums: [MediaItem] { models("albums") }

    /// Tracks.
    public var tracks: [MediaItem] { models("tracks") }

    /// Playlists.
    public var playlists: [MediaItem] { models("playlists") }

    /// Radio stations.
    public var radio: [MediaItem] { models("radio") }

    /// Audiobooks.
    public var audiobooks: [MediaItem] { models("audiobooks") }

    /// Podcasts.
    public var podcasts: [MediaItem] { models("podcasts") }

    /// Genres.
    public var genres: [MediaItem] { models("genres") }

    /// Everything.
    public var all: [MediaItem] { artists + albums + tracks + playlists + radio + audiobooks + podcasts + genres }
}
