internal import DescantContainers
internal import DescantCore
internal import Foundation

/// Fields as items of an APE tag. Items of other names stay byte by byte.
extension APETag {
    /// The names that new items get; the reader may know further ones.
    private static let names: [TagField: String] = [
        .title: "Title", .artists: "Artist", .album: "Album", .albumArtists: "Album Artist", .composers: "Composer",
        .genres: "Genre", .bpm: "BPM", .comment: "Comment", .titleSort: "TITLESORT", .artistSort: "ARTISTSORT",
        .albumSort: "ALBUMSORT", .albumArtistSort: "ALBUMARTISTSORT", .composerSort: "COMPOSERSORT",
        .trackGain: "REPLAYGAIN_TRACK_GAIN", .trackPeak: "REPLAYGAIN_TRACK_PEAK",
        .albumGain: "REPLAYGAIN_ALBUM_GAIN", .albumPeak: "REPLAYGAIN_ALBUM_PEAK",
        .recordingID: "MUSICBRAINZ_TRACKID", .releaseTrackID: "MUSICBRAINZ_RELEASETRACKID",
        .releaseID: "MUSICBRAINZ_ALBUMID", .releaseGroupID: "MUSICBRAINZ_RELEASEGROUPID",
        .artistIDs: "MUSICBRAINZ_ARTISTID", .albumArtistIDs: "MUSICBRAINZ_ALBUMARTISTID",
    ]

    mutating func apply(_ edits: TagEdits) {
        for field in TagField.allCases {
            guard edits[field] != nil, let name = Self.names[field],
                let values = edits.values(field, old: texts(of: field))
            else { continue }
            set(field, name, values)
        }
        if let date = edits.date(old: texts(of: .year).first) { set(.year, "Year", date) }
        applyPair(edits, .trackNumber, .trackTotal, "Track")
        applyPair(edits, .discNumber, .discTotal, "Disc")
        if let lyrics = edits.lyrics { set(.lyrics, "Lyrics", lyrics.texts) }
        if let pictures = edits.pictures { apply(pictures) }
    }

    /// Whether the reader takes an item for a field.
    private static func isItem(_ item: Item, of field: TagField) -> Bool {
        item.flags >> 1 & 3 == 0 && TagField(key: item.name) == field
    }

    private func texts(of field: TagField) -> [String] {
        items.filter { Self.isItem($0, of: field) }.flatMap { item in
            item.value.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    private mutating func set(_ field: TagField, _ name: String, _ values: [String]) {
        let item = values.isEmpty ? nil : Item(name: name, value: Array(values.joined(separator: "\0").utf8))
        replace(with: item) { Self.isItem($0, of: field) || $0.name.uppercased() == name.uppercased() }
    }

    private mutating func applyPair(_ edits: TagEdits, _ number: TagField, _ total: TagField, _ name: String) {
        let hasSeparateTotal = !texts(of: total).isEmpty
        let pair = edits.pair(number, total, old: texts(of: number).first, hasSeparateTotal: hasSeparateTotal)
        guard let pair else { return }
        set(number, name, pair)
        if edits[total] != nil { replace(with: nil) { Self.isItem($0, of: total) } }
    }

    private mutating func replace(with item: Item?, where isOld: (Item) -> Bool) {
        let place = items.firstIndex(where: isOld) ?? items.count
        items.removeAll(where: isOld)
        if let item { items.insert(item, at: min(place, items.count)) }
    }

    // MARK: Pictures

    /// APE tags hold a front and a back cover. A cover that does not change stays, and one that the reader leaves out.
    private mutating func apply(_ edit: PictureEdit) {
        let covers = [("Cover Art (Front)", edit.frontCover), ("Cover Art (Back)", edit.backCover)]
        for (name, cover) in covers where cover.old?.data != cover.new?.data || edit.removesHidden {
            let item = cover.new.map { picture in
                let suffix = picture.mimeType?.split(separator: "/").last ?? "bin"
                return Item(name: name, flags: 1 << 1, value: Array("cover.\(suffix)".utf8) + [0] + picture.data)
            }
            replace(with: item) { $0.name.uppercased() == name.uppercased() }
        }
    }
}
