public import Foundation

/// The metadata of an item.
public struct MediaMetadata: JSONModel {
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

    /// The description.
    public var about: String? { text("description") }

    /// The language of that text.
    public var aboutLanguage: String? { text("description_language") }

    /// A review.
    public var review: String? { text("review") }

    /// Whether the lyrics are explicit; nil when unknown.
    public var isExplicit: Bool? { bool("explicit") }

    /// Its pictures.
    public var images: [MediaImage] { models("images") }

    /// The grouping.
    public var grouping: String? { text("grouping") }

    /// Its genres.
    public var genres: [String] { texts("genres") }

    /// Its mood.
    public var mood: String? { text("mood") }

    /// Its style.
    public var style: String? { text("style") }

    /// The copyright notice.
    public var copyright: String? { text("copyright") }

    /// The lyrics of a track.
    public var lyrics: String? { text("lyrics") }

    /// The lyrics of a track with times, in the format LRC.
    public var timedLyrics: String? { text("lrc_lyrics") }

    /// The record company.
    public var label: String? { text("label") }

    /// Web pages about the item.
    public var links: [MediaLink] { models("links") }

    /// The performers.
    public var performers: [String] { texts("performers") }

    /// The address of a preview.
    public var preview: String? { text("preview") }

    /// The popularity, 0…100.
    public var popularity: Int? { int("popularity") }

    /// The release date, ISO 8601.
    public var releaseDate: String? { text("release_date") }

    /// Its languages.
    public var languages: [String] { texts("languages") }

    /// The chapters of an audiobook or episode.
    public var chapters: [MediaChapter] { models("chapters") }

    /// When the server last updated the metadata.
    public var lastRefresh: Date? { double("last_refresh").map(Date.init(timeIntervalSince1970:)) }
}

/// A web page about an item.
public struct MediaLink: JSONModel {
    /// The JSON value as the server sent it, with fields that this client does not know.
    public let json: JSONValue

    /// Creates the value from the server's JSON.
    ///
    /// - Parameter json: The JSON value of the server.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is not an object with url.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "url")
        self.json = json
    }

    /// The type of page, such as `website` or `lastfm`.
    public var type: String? { text("type") }

    /// The address.
    public var url: String { text("url") ?? "" }
}

/// A chapter of an audiobook or episode.
public struct MediaChapter: JSONModel {
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

    /// The number of the chapter.
    public var position: Int? { int("position") }

    /// The name to show.
    public var name: String { text("name") ?? "" }

    /// The start in seconds.
    public var start: Double? { double("start") }

    /// The end in seconds; nil when unknown.
    public var end: Double? { double("end") }
}
