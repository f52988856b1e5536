public import Descant
internal import Foundation

/// `--set name=value`, read into a bundle. A list's name may come several times, once for each value.
public struct TagAssignment: Sendable {
    private let name: String
    private let value: String

    /// Reads an argument.
    ///
    /// - Parameter argument: A name, an equals sign and a value.
    /// - Throws: ``InputError`` naming what is wrong, with the names there are.
    public init(_ argument: String) throws {
        guard let sign = argument.firstIndex(of: "=") else {
            throw InputError(description: "--set \(argument): write it as name=value")
        }
        name = argument[..<sign].lowercased()
        value = String(argument[argument.index(after: sign)...])
        var trial = TagBundle()
        try apply(to: &trial)
    }

    /// Whether the words of a language are set, beside which those in other languages stay.
    public var isOfOneLanguage: Bool { name.hasPrefix("lyrics:") }

    /// Whether words are set without a language, which take the place of all others.
    public var isOfAllLanguages: Bool { name == "lyrics" }

    /// Words that are set together with those of a file that stay: the ones in other languages.
    ///
    /// - Parameters:
    ///   - new: The words that are set.
    ///   - old: The words of the file. Those without a language do not stay: most kinds of tags have none.
    public static func merge(
        _ new: [LyricsLanguageVariant], into old: [LyricsLanguageVariant]
    ) -> [LyricsLanguageVariant] {
        let languages = Set(new.compactMap { $0.languageCode?.lowercased() })
        return old.filter { lyrics in lyrics.languageCode.map { !languages.contains($0.lowercased()) } ?? false } + new
    }

    /// The names there are.
    public static var names: [String] {
        (Array(texts.keys) + Array(lists.keys) + Array(numbers.keys) + Array(decimals.keys) + ["lyrics"]).sorted()
    }

    /// The field that `--unset` removes.
    ///
    /// - Parameter name: A name of ``names``, `artwork` or `pictures`; capitals do not matter.
    /// - Returns: The field.
    /// - Throws: ``InputError`` for another name, with the names there are.
    public static func field(named name: String) throws -> TagField {
        guard let field = TagField(rawValue: name.lowercased()) else {
            let known = TagField.allCases.map(\.rawValue).sorted().joined(separator: ", ")
            throw InputError(description: "--unset \(name): there is no such field; try \(known)")
        }
        return field
    }

    /// Sets the field.
    ///
    /// - Parameter tags: The tags to write.
    /// - Throws: ``InputError`` for an unknown name and for a value that is not a number where one is needed.
    public func apply(to tags: inout TagBundle) throws {
        if let field = Self.texts[name] {
            tags[keyPath: field] = value
        } else if let field = Self.lists[name] {
            tags[keyPath: field] = (tags[keyPath: field] ?? []) + [value]
        } else if let field = Self.numbers[name] {
            try setNumber(field, in: &tags)
        } else if let field = Self.decimals[name] {
            guard let number = Double(value) else { throw InputError(description: "--set \(name)=\(value): no number") }
            tags[keyPath: field] = number
        } else if name == "lyrics" || name.hasPrefix("lyrics:") {
            let language = name == "lyrics" ? nil : String(name.dropFirst("lyrics:".count))
            tags.lyrics = (tags.lyrics ?? []) + [LyricsLanguageVariant(languageCode: language, text: value)]
        } else {
            throw InputError(
                description: "--set \(name)=…: there is no such field; try \(Self.names.joined(separator: ", "))")
        }
    }

    /// A number, or number and total with a slash between them.
    private func setNumber(_ field: WritableKeyPath<TagBundle, Int?>, in tags: inout TagBundle) throws {
        let parts = value.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let refusal = InputError(description: "--set \(name)=\(value): no number")
        // Only a number that a total follows may be left out.
        if parts.count < 2 || !parts[0].isEmpty {
            guard let number = parts.first.flatMap({ Int($0) }) else { throw refusal }
            tags[keyPath: field] = number
        }
        guard parts.count == 2 else { return }
        guard let total = Int(parts[1]), name == "track" || name == "disc" else { throw refusal }
        if name == "track" { tags.trackTotal = total } else { tags.discTotal = total }
    }

    // Key paths are not declared Sendable, so they are created for each use.
    private static var texts: [String: WritableKeyPath<TagBundle, String?>] {
        [
            "title": \.title, "album": \.album, "comment": \.comment, "titlesort": \.sortNames.title,
            "artistsort": \.sortNames.artist, "albumsort": \.sortNames.album,
            "albumartistsort": \.sortNames.albumArtist, "composersort": \.sortNames.composer,
            "musicbrainz-recording": \.musicBrainz.recordingID, "musicbrainz-track": \.musicBrainz.releaseTrackID,
            "musicbrainz-release": \.musicBrainz.releaseID,
            "musicbrainz-release-group": \.musicBrainz.releaseGroupID,
        ]
    }

    private static var lists: [String: WritableKeyPath<TagBundle, [String]?>] {
        [
            "artist": \.artists, "albumartist": \.albumArtists, "composer": \.composers, "genre": \.genres,
            "musicbrainz-artist": \.musicBrainz.artistIDs, "musicbrainz-albumartist": \.musicBrainz.albumArtistIDs,
        ]
    }

    private static var numbers: [String: WritableKeyPath<TagBundle, Int?>] {
        [
            "year": \.year, "track": \.trackNumber, "tracktotal": \.trackTotal, "disc": \.discNumber,
            "disctotal": \.discTotal,
        ]
    }

    private static var decimals: [String: WritableKeyPath<TagBundle, Double?>] {
        [
            "bpm": \.bpm, "gain": \.replayGain.trackGain, "peak": \.replayGain.trackPeak,
            "albumgain": \.replayGain.albumGain, "albumpeak": \.replayGain.albumPeak,
        ]
    }
}
