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

    /// What ``MusicAssistantClient/playMedia(queueId:uri:option:radioMode:)`` takes.
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
}
