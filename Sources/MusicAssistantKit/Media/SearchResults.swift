/// The results of a search, by kind.
public struct SearchResults: JSONModel {
    /// The JSON value as the server sent it, with fields that this client does not know.
    public let json: JSONValue

    /// Creates the value from the server's JSON.
    ///
    /// - Parameter json: The JSON value of the server.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is not an object.
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

    /// All results.
    public var all: [MediaItem] { artists + albums + tracks + playlists + radio + audiobooks + podcasts + genres }
}
