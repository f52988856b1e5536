/// Identifiers of the MusicBrainz database, as UUIDs in text form.
public struct MusicBrainzTags: Sendable, Hashable, Codable {
    /// The recording (called "track id" in most files).
    public var recordingID: String?
    /// The track on its release.
    public var releaseTrackID: String?
    /// The release (called "album id").
    public var releaseID: String?
    /// The group of releases that are one album.
    public var releaseGroupID: String?
    /// The artists, in order.
    public var artistIDs: [String]?
    /// The artists of the album, in order.
    public var albumArtistIDs: [String]?

    /// Creates identifiers; absent ones are `nil`.
    ///
    /// - Parameters:
    ///   - recordingID: The recording.
    ///   - releaseTrackID: The track on its release.
    ///   - releaseID: The release.
    ///   - releaseGroupID: The group of releases that are one album.
    ///   - artistIDs: The artists, in order.
    ///   - albumArtistIDs: The artists of the album, in order.
    public init(
        recordingID: String? = nil, releaseTrackID: String? = nil, releaseID: String? = nil,
        releaseGroupID: String? = nil, artistIDs: [String]? = nil, albumArtistIDs: [String]? = nil
    ) {
        self.recordingID = recordingID
        self.releaseTrackID = releaseTrackID
        self.releaseID = releaseID
        self.releaseGroupID = releaseGroupID
        self.artistIDs = artistIDs
        self.albumArtistIDs = albumArtistIDs
    }

    /// Whether no identifier is known.
    public var isEmpty: Bool { self == MusicBrainzTags() }
}
