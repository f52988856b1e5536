/// An item of the library.
public struct SimulatedItem: Sendable, Hashable {
    /// The kind of item.
    public var kind: LibraryKind
    /// The identifier within the library and kind.
    public var id: String
    /// The title.
    public var name: String
    /// The artist's identifier, of albums and tracks.
    public var artist: String?
    /// The album's identifier, of tracks.
    public var album: String?
    /// The length in seconds, of tracks.
    public var duration: Int
    /// Whether it is a favourite.
    public var isFavorite = false
    /// The identifiers of a playlist's tracks, in order.
    public var tracks: [String] = []

    /// Creates an item.
    ///
    /// - Parameters:
    ///   - kind: The kind of item.
    ///   - id: The identifier within the library and kind.
    ///   - name: The title.
    ///   - artist: The artist's identifier.
    ///   - album: The album's identifier.
    ///   - duration: The length in seconds.
    ///   - tracks: The identifiers of a playlist's tracks.
    public init(
        _ kind: LibraryKind, _ id: String, _ name: String, artist: String? = nil, album: String? = nil,
        duration: Int = 0, tracks: [String] = []
    ) {
        self.kind = kind
        self.id = id
        self.name = name
        self.artist = artist
        self.album = album
        self.duration = duration
        self.tracks = tracks
    }

    /// The address, such as `library://track/7`.
    public var uri: String { "library://\(kind.rawValue)/\(id)" }
}
