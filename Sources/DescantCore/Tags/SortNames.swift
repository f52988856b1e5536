/// Under which names a track is sorted, such as "Beatles, The".
public struct SortNames: Sendable, Hashable, Codable {
    /// The title's.
    public var title: String?
    /// The artist's.
    public var artist: String?
    /// The album's.
    public var album: String?
    /// The album artist's.
    public var albumArtist: String?
    /// The composer's.
    public var composer: String?

    /// Creates names; absent ones are `nil`.
    ///
    /// - Parameters:
    ///   - title: The title's.
    ///   - artist: The artist's.
    ///   - album: The album's.
    ///   - albumArtist: The album artist's.
    ///   - composer: The composer's.
    public init(
        title: String? = nil, artist: String? = nil, album: String? = nil, albumArtist: String? = nil,
        composer: String? = nil
    ) {
        self.title = title
        self.artist = artist
        self.album = album
        self.albumArtist = albumArtist
        self.composer = composer
    }

    /// Whether no name is known.
    public var isEmpty: Bool { self == SortNames() }
}
