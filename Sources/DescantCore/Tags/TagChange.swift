public import Foundation

/// A field of ``TagBundle``. The raw value is its name in `descant tags`.
public enum TagField: String, Sendable, Hashable, Codable, CaseIterable {
    /// ``TagBundle/title``.
    case title
    /// ``TagBundle/artists``.
    case artists = "artist"
    /// ``TagBundle/album``.
    case album
    /// ``TagBundle/albumArtists``.
    case albumArtists = "albumartist"
    /// ``TagBundle/composers``.
    case composers = "composer"
    /// ``TagBundle/genres``.
    case genres = "genre"
    /// ``TagBundle/year``; removing it removes the whole date, and another year comes without the old month and day.
    case year
    /// ``TagBundle/trackNumber``.
    case trackNumber = "track"
    /// ``TagBundle/trackTotal``.
    case trackTotal = "tracktotal"
    /// ``TagBundle/discNumber``.
    case discNumber = "disc"
    /// ``TagBundle/discTotal``.
    case discTotal = "disctotal"
    /// ``TagBundle/bpm``.
    case bpm
    /// ``TagBundle/comment``; removing it removes every comment that a reader could show.
    case comment
    /// ``TagBundle/lyrics``.
    case lyrics
    /// ``ReplayGainTags/trackGain``.
    case trackGain = "gain"
    /// ``ReplayGainTags/trackPeak``.
    case trackPeak = "peak"
    /// ``ReplayGainTags/albumGain``.
    case albumGain = "albumgain"
    /// ``ReplayGainTags/albumPeak``.
    case albumPeak = "albumpeak"
    /// ``SortNames/title``.
    case titleSort = "titlesort"
    /// ``SortNames/artist``.
    case artistSort = "artistsort"
    /// ``SortNames/album``.
    case albumSort = "albumsort"
    /// ``SortNames/albumArtist``.
    case albumArtistSort = "albumartistsort"
    /// ``SortNames/composer``.
    case composerSort = "composersort"
    /// ``MusicBrainzTags/recordingID``.
    case recordingID = "musicbrainz-recording"
    /// ``MusicBrainzTags/releaseTrackID``.
    case releaseTrackID = "musicbrainz-track"
    /// ``MusicBrainzTags/releaseID``.
    case releaseID = "musicbrainz-release"
    /// ``MusicBrainzTags/releaseGroupID``.
    case releaseGroupID = "musicbrainz-release-group"
    /// ``MusicBrainzTags/artistIDs``.
    case artistIDs = "musicbrainz-artist"
    /// ``MusicBrainzTags/albumArtistIDs``.
    case albumArtistIDs = "musicbrainz-albumartist"
    /// ``TagBundle/artworkData``; removing it removes that one picture.
    case artwork
    /// ``TagBundle/pictures``; removing them removes pictures that the reader leaves out, too.
    case pictures
}

/// A change of the tags of one file: fields to set, fields to remove, and single pictures. Every other field is kept.
///
/// <!-- snippet: Tests/Integration/DocumentationTests/Guide/CommentExamples.swift#tag-change -->
/// ```swift
/// var change = TagChange(remove: [.comment, .discNumber])
/// change.set.title = "Rain"
/// change.pictures = [.remove(backCover)]
/// ```
///
/// An edited copy of what was read gives a change, too: ``init(from:to:)``.
public struct TagChange: Sendable, Hashable {
    /// A change of one picture; the others stay as they are.
    public enum Picture: Sendable, Hashable {
        /// Adds a picture behind the others.
        case add(TagPicture)
        /// Replaces a picture, given as it was read, at its place.
        case replace(TagPicture, with: TagPicture)
        /// Removes a picture, given as it was read.
        case remove(TagPicture)
    }

    /// The fields to set: those that are not `nil`. An empty text, and a list without texts, removes the field.
    public var set: TagBundle
    /// The fields to remove.
    public var remove: Set<TagField>
    /// Changes of single pictures, in order, after ``set`` and ``remove``.
    public var pictures: [Picture]

    /// Creates a change; without arguments it keeps everything.
    ///
    /// - Parameters:
    ///   - set: The fields to set.
    ///   - remove: The fields to remove.
    ///   - pictures: Changes of single pictures.
    public init(set: TagBundle = TagBundle(), remove: Set<TagField> = [], pictures: [Picture] = []) {
        self.set = set
        self.remove = remove
        self.pictures = pictures
    }

    /// The change that makes one bundle of another: fields that differ are set, fields that became `nil` are removed.
    ///
    /// - Parameters:
    ///   - old: The tags as read.
    ///   - new: The tags as edited. ``TagBundle/technical`` is ignored.
    public init(from old: TagBundle, to new: TagBundle) {
        self.init()
        for field in TagField.allCases where field != .artwork && field != .pictures {
            if field.isSet(in: new) {
                if !field.isEqual(old, new) { field.copy(from: new, to: &set) }
            } else if field.isSet(in: old) {
                remove.insert(field)
            }
        }
        let hasOtherPictures = (new.pictures ?? []) != (old.pictures ?? [])
        // Pictures that the reader left out stay, so the field as a whole is not removed.
        if hasOtherPictures { set.pictures = new.pictures ?? [] }
        if let artwork = new.artworkData {
            if artwork != old.artworkData { set.artworkData = artwork }
        } else if old.artworkData != nil, !hasOtherPictures {
            remove.insert(.artwork)
        }
    }

    /// The tags of a file after this change, as a reader shows them.
    ///
    /// - Parameter old: The tags before.
    /// - Returns: The tags after; ``TagBundle/technical`` stays.
    /// - Throws: ``CoreError/invalidArgument(_:)`` for a field that is both set and removed, and for a picture to replace or
    ///   remove that is not among ``TagBundle/pictures``.
    public func applied(to old: TagBundle) throws(CoreError) -> TagBundle {
        var new = old
        for field in TagField.allCases {
            let isSet = field.isGiven(in: set)
            guard !isSet || !remove.contains(field) else {
                throw .invalidArgument("\(field.rawValue) is both set and removed; choose one of them")
            }
            guard field != .artwork, field != .pictures else { continue }
            if remove.contains(field) || (isSet && !field.isSet(in: set)) {
                field.copy(from: TagBundle(), to: &new)
            } else if isSet {
                field.copy(from: set, to: &new)
            }
        }
        let list = try newPictures(old)
        new.pictures = list.isEmpty ? nil : list
        new.artworkData = Self.artwork(of: list)
        return new
    }

    private func newPictures(_ old: TagBundle) throws(CoreError) -> [TagPicture] {
        let shown = old.pictures ?? old.artworkData.map { [TagPicture(data: $0)] } ?? []
        var list = remove.contains(.pictures) ? [] : set.pictures ?? shown
        if remove.contains(.artwork), let place = list.firstIndex(where: { $0.data == old.artworkData }) {
            list.remove(at: place)
        }
        if let data = set.artworkData, data != old.artworkData, data != Self.artwork(of: list) {
            if let place = list.firstIndex(where: { $0.kind == .frontCover }) {
                list[place].data = data
            } else {
                list.insert(TagPicture(data: data), at: 0)
            }
        }
        for change in pictures {
            switch change {
            case .add(let picture): list.append(picture)
            case .replace(let picture, let new): list[try Self.place(of: picture, in: list)] = new
            case .remove(let picture): list.remove(at: try Self.place(of: picture, in: list))
            }
        }
        return list
    }

    /// The picture that ``TagBundle/artworkData`` shows.
    private static func artwork(of list: [TagPicture]) -> Data? {
        (list.first { $0.kind == .frontCover } ?? list.first)?.data
    }

    private static func place(of picture: TagPicture, in list: [TagPicture]) throws(CoreError) -> Int {
        guard let place = list.firstIndex(of: picture) else {
            let known = list.map { "\($0.kind) of \($0.data.count) bytes" }.joined(separator: ", ")
            throw .invalidArgument(
                "no picture \(picture.kind) of \(picture.data.count) bytes; there is \(known.isEmpty ? "none" : known)")
        }
        return place
    }
}

/// A writer that can remove fields and change single pictures.
///
/// It is called like a ``TagWriterPort``.
public protocol TagEditorPort: TagWriterPort {
    /// Applies a change and keeps everything else as it is, as ``TagWriterPort/write(url:tags:)`` does.
    ///
    /// A field that already reads as it is set is not written: what its reader does not show of it (further values, the month
    /// of a date, digits of a gain, the descriptions of lyrics) stays. Pictures that the reader leaves out stay, unless
    /// ``TagField/pictures`` is removed.
    ///
    /// - Parameters:
    ///   - url: A file URL.
    ///   - change: What to change; an empty one leaves the file untouched.
    /// - Throws: As ``TagWriterPort/write(url:tags:)`` and ``TagChange/applied(to:)``.
    func write(url: URL, change: TagChange) throws
}

// MARK: Fields by key path

/// The place of a field in a bundle, by the type of its value.
package enum TagPath {
    case text(WritableKeyPath<TagBundle, String?>)
    case list(WritableKeyPath<TagBundle, [String]?>)
    case number(WritableKeyPath<TagBundle, Int?>)
    case decimal(WritableKeyPath<TagBundle, Double?>)
    case lyrics
    case artwork
    case pictures
}

extension TagField {
    package var path: TagPath {
        switch self {
        case .title: .text(\.title)
        case .artists: .list(\.artists)
        case .album: .text(\.album)
        case .albumArtists: .list(\.albumArtists)
        case .composers: .list(\.composers)
        case .genres: .list(\.genres)
        case .year: .number(\.year)
        case .trackNumber: .number(\.trackNumber)
        case .trackTotal: .number(\.trackTotal)
        case .discNumber: .number(\.discNumber)
        case .discTotal: .number(\.discTotal)
        case .bpm: .decimal(\.bpm)
        case .comment: .text(\.comment)
        case .lyrics: .lyrics
        case .trackGain: .decimal(\.replayGain.trackGain)
        case .trackPeak: .decimal(\.replayGain.trackPeak)
        case .albumGain: .decimal(\.replayGain.albumGain)
        case .albumPeak: .decimal(\.replayGain.albumPeak)
        case .titleSort: .text(\.sortNames.title)
        case .artistSort: .text(\.sortNames.artist)
        case .albumSort: .text(\.sortNames.album)
        case .albumArtistSort: .text(\.sortNames.albumArtist)
        case .composerSort: .text(\.sortNames.composer)
        case .recordingID: .text(\.musicBrainz.recordingID)
        case .releaseTrackID: .text(\.musicBrainz.releaseTrackID)
        case .releaseID: .text(\.musicBrainz.releaseID)
        case .releaseGroupID: .text(\.musicBrainz.releaseGroupID)
        case .artistIDs: .list(\.musicBrainz.artistIDs)
        case .albumArtistIDs: .list(\.musicBrainz.albumArtistIDs)
        case .artwork: .artwork
        case .pictures: .pictures
        }
    }

    /// Whether the bundle has a value that is not empty.
    fileprivate func isSet(in tags: TagBundle) -> Bool {
        switch path {
        case .text(let path): tags[keyPath: path].map(Self.isText) == true
        case .list(let path): tags[keyPath: path]?.contains(where: Self.isText) == true
        case .number(let path): tags[keyPath: path] != nil
        case .decimal(let path): tags[keyPath: path] != nil
        case .lyrics: tags.lyrics?.contains { Self.isText($0.text) } == true
        case .artwork: tags.artworkData != nil
        case .pictures: tags.pictures?.isEmpty == false
        }
    }

    /// Whether the bundle has a value, which may be empty.
    fileprivate func isGiven(in tags: TagBundle) -> Bool {
        switch path {
        case .text(let path): tags[keyPath: path] != nil
        case .list(let path): tags[keyPath: path] != nil
        case .number, .decimal, .artwork: isSet(in: tags)
        case .lyrics: tags.lyrics != nil
        case .pictures: tags.pictures != nil
        }
    }

    fileprivate func isEqual(_ first: TagBundle, _ second: TagBundle) -> Bool {
        switch path {
        case .text(let path): first[keyPath: path] == second[keyPath: path]
        case .list(let path): first[keyPath: path] == second[keyPath: path]
        case .number(let path): first[keyPath: path] == second[keyPath: path]
        case .decimal(let path): first[keyPath: path] == second[keyPath: path]
        case .lyrics: first.lyrics == second.lyrics
        case .artwork: first.artworkData == second.artworkData
        case .pictures: first.pictures == second.pictures
        }
    }

    /// Copies the field without empty texts.
    fileprivate func copy(from source: TagBundle, to target: inout TagBundle) {
        switch path {
        case .text(let path): target[keyPath: path] = source[keyPath: path]
        case .list(let path): target[keyPath: path] = source[keyPath: path]?.filter(Self.isText)
        case .number(let path): target[keyPath: path] = source[keyPath: path]
        case .decimal(let path): target[keyPath: path] = source[keyPath: path]
        case .lyrics: target.lyrics = source.lyrics?.filter { Self.isText($0.text) }
        case .artwork: target.artworkData = source.artworkData
        case .pictures: target.pictures = source.pictures
        }
    }

    /// Readers trim texts, and so a text of blanks counts as empty.
    private static func isText(_ text: String) -> Bool { text.contains { !$0.isWhitespace } }
}
