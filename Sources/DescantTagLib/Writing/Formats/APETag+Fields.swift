internal import DescantContainers
internal import DescantCore
internal import Foundation

/// Fields as items of an APE tag. Items of other names stay byte by byte.
extension APETag {
    private static let names: [TagField: String] = [
        .title: "Title", .artist: "Artist", .album: "Album", .albumArtist: "Album Artist", .composer: "Composer",
        .genre: "Genre", .bpm: "BPM", .comment: "Comment", .titleSort: "TITLESORT", .artistSort: "ARTISTSORT",
        .albumSort: "ALBUMSORT", .albumArtistSort: "ALBUMARTISTSORT", .composerSort: "COMPOSERSORT",
        .trackGain: "REPLAYGAIN_TRACK_GAIN", .trackPeak: "REPLAYGAIN_TRACK_PEAK",
        .albumGain: "REPLAYGAIN_ALBUM_GAIN", .albumPeak: "REPLAYGAIN_ALBUM_PEAK",
        .recordingID: "MUSICBRAINZ_TRACKID", .releaseTrackID: "MUSICBRAINZ_RELEASETRACKID",
        .releaseID: "MUSICBRAINZ_ALBUMID", .releaseGroupID: "MUSICBRAINZ_RELEASEGROUPID",
        .artistID: "MUSICBRAINZ_ARTISTID", .albumArtistID: "MUSICBRAINZ_ALBUMARTISTID",
    ]

    mutating func apply(_ change: TagChange) {
        for field in TagField.allCases {
            guard let name = Self.names[field], let values = change[field] else { continue }
            let aliases = field == .albumArtist ? ["ALBUMARTIST"] : []
            set(name, values.isEmpty ? nil : values.joined(separator: "\0"), aliases: aliases)
        }
        if let date = change.date(old: text("YEAR") ?? text("DATE")) { set("Year", date.first, aliases: ["DATE"]) }
        if let track = change.pair(.track, .trackTotal, old: text("TRACK")) { set("Track", track) }
        if let disc = change.pair(.disc, .discTotal, old: text("DISC")) { set("Disc", disc) }
        if let lyrics = change.lyrics {
            let text = lyrics.isEmpty ? nil : lyrics.map(\.text).joined(separator: "\0")
            set("Lyrics", text, aliases: ["UNSYNCEDLYRICS"])
        }
        if let pictures = change.pictures { apply(pictures) }
    }

    private func text(_ name: String) -> String? {
        items.first { $0.name.uppercased() == name }.map { String(decoding: $0.value, as: UTF8.self) }
    }

    private mutating func set(_ name: String, _ text: String?, aliases: [String] = []) {
        replace([name.uppercased()] + aliases, by: text.map { Item(name: name, value: Array($0.utf8)) })
    }

    /// Replaces the items of some names, compared without case.
    private mutating func replace(_ names: [String], by item: Item?) {
        let place = items.firstIndex { names.contains($0.name.uppercased()) } ?? items.count
        items.removeAll { names.contains($0.name.uppercased()) }
        if let item { items.insert(item, at: min(place, items.count)) }
    }

    /// APE tags hold a front and a back cover.
    private mutating func apply(_ change: TagChange.Pictures) {
        switch change {
        case .frontCover(let cover): setCover("Cover Art (Front)", cover)
        case .all(let pictures):
            setCover("Cover Art (Front)", pictures.first { $0.kind == .frontCover } ?? pictures.first)
            setCover("Cover Art (Back)", pictures.first { $0.kind == .backCover })
        }
    }

    private mutating func setCover(_ name: String, _ picture: TagPicture?) {
        let item = picture.map { picture in
            let suffix = picture.mimeType?.split(separator: "/").last ?? "bin"
            let value = Array("cover.\(suffix)".utf8) + [0] + picture.data
            return Item(name: name, flags: 1 << 1, value: value)
        }
        replace([name.uppercased()], by: item)
    }
}
