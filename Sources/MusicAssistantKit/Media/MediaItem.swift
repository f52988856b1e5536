public import Foundation

/// An artist, album, track, playlist, radio station, audiobook, podcast, genre or folder.
///
/// Items in lists lack some fields; ``MusicAssistantClient/item(uri:)`` gets the whole item.
public struct MediaItem: JSONModel {
    /// The JSON value as the server sent it, with fields that this client does not know.
    public let json: JSONValue

    /// Creates the value from the server's JSON.
    ///
    /// - Parameter json: The JSON value of the server.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is not an object with item_id.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "item_id")
        self.json = json
    }

    /// The identifier at its provider.
    public var itemId: String { text("item_id") ?? "" }

    /// The provider, `library` for items of the library.
    public var provider: String { text("provider") ?? "" }

    /// The URI for ``MusicAssistantClient/playMedia(queueId:uri:option:radioMode:startItem:)``.
    public var uri: String { text("uri") ?? "" }

    /// The name or title.
    public var name: String { text("name") ?? "" }

    /// The version, such as `remix`.
    public var version: String? { text("version") }

    /// The name to sort by.
    public var sortName: String? { text("sort_name") }

    /// The kind of item.
    public var mediaType: MediaType { MediaType(rawValue: text("media_type") ?? "unknown") }

    /// Whether it can be put into a queue.
    public var isPlayable: Bool { bool("is_playable") ?? false }

    /// Whether it is a favourite.
    public var isFavorite: Bool { bool("favorite") ?? false }

    /// Whether it can be played now; nil when the server does not say.
    public var isAvailable: Bool? { bool("available") }

    /// Its length in seconds.
    public var duration: Double? { length("duration") }

    /// The artist.
    public var artists: [MediaItem] { models("artists") }

    /// The album that a track is from.
    public var album: MediaItem? { model("album") }

    /// The year of an album.
    public var year: Int? { int("year") }

    /// `album`, `single`, `compilation`, …
    public var albumType: String? { text("album_type") }

    /// Its number on the disc.
    public var trackNumber: Int? { int("track_number") }

    /// The disc it is on.
    public var discNumber: Int? { int("disc_number") }

    /// The position in a playlist.
    public var position: Int? { int("position") }

    /// The owner of a playlist.
    public var owner: String? { text("owner") }

    /// Whether a playlist can be changed.
    public var isEditable: Bool? { bool("is_editable") }

    /// The path of a folder for ``MusicAssistantClient/browse(path:)``.
    public var path: String? { text("path") }

    /// The resume position of an audiobook or episode, in milliseconds.
    public var resumePosition: Double? { double("resume_position_ms") }

    /// Whether it was played to the end.
    public var isFullyPlayed: Bool? { bool("fully_played") }

    /// When it was added to the library, ISO 8601.
    public var dateAdded: String? { text("date_added") }

    /// Its pictures.
    public var images: [MediaImage] {
        (json["metadata"]?["images"].map(MediaImage.list) ?? [])
            + (json["image"].flatMap { try? MediaImage(json: $0) }.map { [$0] } ?? [])
    }

    /// Its genres.
    public var genres: [String] { (json["metadata"]?["genres"]?.arrayValue ?? []).compactMap(\.stringValue) }

    /// The description.
    public var about: String? { json["metadata"]?["description"]?.stringValue }

    /// The providers of the item.
    public var providerMappings: [ProviderMapping] { models("provider_mappings") }

    /// The items of a recommendation.
    public var items: [MediaItem] { models("items") }

    /// The key of its name in translations.
    public var translationKey: String? { text("translation_key") }

    /// Further metadata; nil in short forms.
    public var metadata: MediaMetadata? { model("metadata") }

    /// The publisher of an audiobook or podcast.
    public var publisher: String? { text("publisher") }

    /// The podcast of an episode.
    public var podcast: MediaItem? { model("podcast") }

    /// The number of episodes of a podcast.
    public var episodeCount: Int? { int("total_episodes") }

    /// The number of an episode.
    public var episodeNumber: Int? { int("episode_number") }

    /// The season of an episode.
    public var season: Int? { int("season") }

    /// When a track was played last.
    public var lastPlayed: Date? { double("last_played").map(Date.init(timeIntervalSince1970:)) }

    /// The kinds of items that a playlist supports.
    public var supportedMediaTypes: [String] { texts("supported_mediatypes") }

    /// Whether a playlist or station is generated while it plays.
    public var isDynamic: Bool { bool("is_dynamic") ?? false }

    /// The aliases of a genre.
    public var genreAliases: [String] { texts("genre_aliases") }

    /// A second line for a recommendation.
    public var subtitle: String? { text("subtitle") }

    /// The name of the icon of a recommendation.
    public var icon: String? { text("icon") }

    /// The authors of an audiobook.
    public var authors: [String] { names("authors") }

    /// The narrators of an audiobook.
    public var narrators: [String] { names("narrators") }

    /// External identifiers, such as database numbers and bar codes.
    public var externalIds: [ExternalId] {
        (json["external_ids"]?.arrayValue ?? []).compactMap { pair in
            guard let type = pair[0]?.stringValue, let value = pair[1]?.stringValue else { return nil }
            return ExternalId(type: type, value: value)
        }
    }

    /// An external identifier of an item.
    public struct ExternalId: Sendable, Hashable {
        /// The type, such as `isrc`, `barcode` or `musicbrainz_recordingid`.
        public let type: String
        /// The number.
        public let value: String
    }

    /// Older servers send names, newer ones items.
    private func names(_ field: String) -> [String] {
        (json[field]?.arrayValue ?? []).compactMap { $0.stringValue ?? $0["name"]?.stringValue }
    }
}
