public import Foundation

/// An artist, album, track, playlist, radio station, audiobook, podcast, genre or folder.
///
/// Lists hold items without all of their fields; ``MusicAssistantClient/item(uri:)`` gets the whole item.
public struct MediaItem: JSONModel {
    /// Everything that the server sent.
    public let json: JSONValue

    /// Takes what the server sent.
    ///
    /// - Parameter json: The value as it came.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is no object with item_id.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "item_id")
        self.json = json
    }

    /// What its provider calls it.
    public var itemId: String { text("item_id") ?? "" }

    /// Its provider, `library` for what is in the library.
    public var provider: String { text("provider") ?? "" }

    /// What ``MusicAssistantClient/playMedia(queueId:uri:option:radioMode:startItem:)`` takes.
    public var uri: String { text("uri") ?? "" }

    /// Its name or title.
    public var name: String { text("name") ?? "" }

    /// What tells it from others of the name, such as `remix`.
    public var version: String? { text("version") }

    /// The name to sort by.
    public var sortName: String? { text("sort_name") }

    /// What it is.
    public var mediaType: MediaType { MediaType(rawValue: text("media_type") ?? "unknown") }

    /// Whether it can be put into a queue.
    public var isPlayable: Bool { bool("is_playable") ?? false }

    /// Whether it is a favourite.
    public var isFavorite: Bool { bool("favorite") ?? false }

    /// Whether it can be played now; nil when the server does not say.
    public var isAvailable: Bool? { bool("available") }

    /// Its length in seconds.
    public var duration: Double? { double("duration") }

    /// Who plays it.
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

    /// Its place in a playlist.
    public var position: Int? { int("position") }

    /// Who made a playlist.
    public var owner: String? { text("owner") }

    /// Whether a playlist can be changed.
    public var isEditable: Bool? { bool("is_editable") }

    /// Where ``MusicAssistantClient/browse(path:)`` goes on from a folder.
    public var path: String? { text("path") }

    /// Where an audiobook or episode was left, in milliseconds.
    public var resumePosition: Double? { double("resume_position_ms") }

    /// Whether it was heard to the end.
    public var isFullyPlayed: Bool? { bool("fully_played") }

    /// When it came into the library, ISO 8601.
    public var dateAdded: String? { text("date_added") }

    /// Its pictures.
    public var images: [MediaImage] {
        (json["metadata"]?["images"].map(MediaImage.list) ?? [])
            + (json["image"].flatMap { try? MediaImage(json: $0) }.map { [$0] } ?? [])
    }

    /// Its genres.
    public var genres: [String] { (json["metadata"]?["genres"]?.arrayValue ?? []).compactMap(\.stringValue) }

    /// A text about it.
    public var about: String? { json["metadata"]?["description"]?.stringValue }

    /// Where it can be had.
    public var providerMappings: [ProviderMapping] { models("provider_mappings") }

    /// What a recommendation holds.
    public var items: [MediaItem] { models("items") }

    /// What translations call it.
    public var translationKey: String? { text("translation_key") }

    /// What is known about it beyond its name; nil in short forms.
    public var metadata: MediaMetadata? { model("metadata") }

    /// Who brought out an audiobook or podcast.
    public var publisher: String? { text("publisher") }

    /// The podcast that an episode is from.
    public var podcast: MediaItem? { model("podcast") }

    /// How many episodes a podcast has.
    public var episodeCount: Int? { int("total_episodes") }

    /// The number of an episode.
    public var episodeNumber: Int? { int("episode_number") }

    /// The season of an episode.
    public var season: Int? { int("season") }

    /// When a track was played last.
    public var lastPlayed: Date? { double("last_played").map(Date.init(timeIntervalSince1970:)) }

    /// What a playlist may hold.
    public var supportedMediaTypes: [String] { texts("supported_mediatypes") }

    /// Whether a playlist or station is made as it plays.
    public var isDynamic: Bool { bool("is_dynamic") ?? false }

    /// Other names of a genre.
    public var genreAliases: [String] { texts("genre_aliases") }

    /// A second line for a recommendation.
    public var subtitle: String? { text("subtitle") }

    /// The name of a symbol for a recommendation.
    public var icon: String? { text("icon") }

    /// Who wrote an audiobook.
    public var authors: [String] { names("authors") }

    /// Who reads an audiobook.
    public var narrators: [String] { names("narrators") }

    /// What others call it: numbers of databases and bar codes.
    public var externalIds: [ExternalId] {
        (json["external_ids"]?.arrayValue ?? []).compactMap { pair in
            guard let type = pair[0]?.stringValue, let value = pair[1]?.stringValue else { return nil }
            return ExternalId(type: type, value: value)
        }
    }

    /// What somebody else calls an item.
    public struct ExternalId: Sendable, Hashable {
        /// Whose number, such as `isrc`, `barcode` or `musicbrainz_recordingid`.
        public let type: String
        /// The number.
        public let value: String
    }

    /// Servers send names, newer ones items.
    private func names(_ field: String) -> [String] {
        (json[field]?.arrayValue ?? []).compactMap { $0.stringValue ?? $0["name"]?.stringValue }
    }
}
