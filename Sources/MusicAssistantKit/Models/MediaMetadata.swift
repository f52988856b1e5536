public import Foundation

/// What is known about an item beyond its name.
public struct MediaMetadata: JSONModel {
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

    /// A text about it.
    public var about: String? { text("description") }

    /// The language of that text.
    public var aboutLanguage: String? { text("description_language") }

    /// What somebody thinks of it.
    public var review: String? { text("review") }

    /// Whether its words are not for children; nil when nobody said so.
    public var isExplicit: Bool? { bool("explicit") }

    /// Its pictures.
    public var images: [MediaImage] { models("images") }

    /// What it belongs to.
    public var grouping: String? { text("grouping") }

    /// Its genres.
    public var genres: [String] { texts("genres") }

    /// Its mood.
    public var mood: String? { text("mood") }

    /// Its style.
    public var style: String? { text("style") }

    /// Who owns it.
    public var copyright: String? { text("copyright") }

    /// The words of a track.
    public var lyrics: String? { text("lyrics") }

    /// The words of a track with times, in the format LRC.
    public var timedLyrics: String? { text("lrc_lyrics") }

    /// The record company.
    public var label: String? { text("label") }

    /// Pages about it.
    public var links: [MediaLink] { models("links") }

    /// Who plays on it.
    public var performers: [String] { texts("performers") }

    /// The address of an excerpt.
    public var preview: String? { text("preview") }

    /// How often it is played, 0…100.
    public var popularity: Int? { int("popularity") }

    /// When it came out, ISO 8601.
    public var releaseDate: String? { text("release_date") }

    /// Its languages.
    public var languages: [String] { texts("languages") }

    /// The chapters of an audiobook or episode.
    public var chapters: [MediaChapter] { models("chapters") }

    /// When the server looked for this last.
    public var lastRefresh: Date? { double("last_refresh").map(Date.init(timeIntervalSince1970:)) }
}

/// A page about an item.
public struct MediaLink: JSONModel {
    /// Everything that the server sent.
    public let json: JSONValue

    /// Takes what the server sent.
    ///
    /// - Parameter json: The value as it came.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is no object with url.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "url")
        self.json = json
    }

    /// Whose page, such as `website` or `lastfm`.
    public var type: String? { text("type") }

    /// The address.
    public var url: String { text("url") ?? "" }
}

/// A chapter of an audiobook or episode.
public struct MediaChapter: JSONModel {
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

    /// Its place among the chapters.
    public var position: Int? { int("position") }

    /// Its name.
    public var name: String { text("name") ?? "" }

    /// Where it begins, in seconds.
    public var start: Double? { double("start") }

    /// Where it ends, in seconds; nil when that is not known.
    public var end: Double? { double("end") }
}
