internal import DescantCore
internal import Foundation

/// An APE tag of version 1 or 2: items of a name and a value, kept byte by byte where they do not change.
struct APETag {
    private struct Item {
        var name: String
        var flags: Int
        var value: [UInt8]
    }

    private static let footerCount = 32
    private static let preamble = Array("APETAGEX".utf8)

    private var items: [Item] = []
    /// How many bytes the tag has in the file; 0 for a new one.
    let oldCount: Int

    /// A new tag.
    init() { oldCount = 0 }

    /// Reads the tag that ends at a byte of a file.
    ///
    /// - Returns: `nil` when there is none.
    init?(in file: SourceFile, endingAt end: Int) throws {
        guard end >= Self.footerCount else { return nil }
        var footer = ByteReader(try file.bytes(end - Self.footerCount..<end))
        guard try footer.take(8).elementsEqual(Self.preamble) else { return nil }
        _ = try footer.take(4)
        let size = try footer.little(4)
        let count = try footer.little(4)
        let hasHeader = try footer.little(4) >> 31 & 1 == 1
        oldCount = size + (hasHeader ? Self.footerCount : 0)
        guard size >= Self.footerCount, oldCount <= end else { throw EditError.damaged("its APE tag has a wrong size") }
        var reader = ByteReader(try file.bytes(end - size..<end - Self.footerCount))
        // A damaged tag may announce four thousand million items.
        while items.count < count, reader.left > 0 {
            let length = try reader.little(4)
            let flags = try reader.little(4)
            var name: [UInt8] = []
            while let byte = try reader.take(1).first, byte != 0 { name.append(byte) }
            items.append(Item(name: String(latin1: name), flags: flags, value: Array(try reader.take(length))))
        }
    }

    var bytes: [UInt8] {
        var body: [UInt8] = []
        for item in items {
            body.appendLittle(item.value.count, 4)
            body.appendLittle(item.flags, 4)
            body += (item.name.latin1 ?? []) + [0] + item.value
        }
        let size = body.count + Self.footerCount
        return frame(size, isHeader: true) + body + frame(size, isHeader: false)
    }

    private func frame(_ size: Int, isHeader: Bool) -> [UInt8] {
        var bytes = Self.preamble
        bytes.appendLittle(2_000, 4)
        bytes.appendLittle(size, 4)
        bytes.appendLittle(items.count, 4)
        bytes.appendLittle(1 << 31 | (isHeader ? 1 << 29 : 0), 4)
        return bytes + [UInt8](repeating: 0, count: 8)
    }

    // MARK: Fields

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
        replace([name.uppercased()] + aliases, by: text.map { Item(name: name, flags: 0, value: Array($0.utf8)) })
    }

    /// Puts an item in the place of others, whatever the case of their names.
    private mutating func replace(_ names: [String], by item: Item?) {
        let place = items.firstIndex { names.contains($0.name.uppercased()) } ?? items.count
        items.removeAll { names.contains($0.name.uppercased()) }
        if let item { items.insert(item, at: min(place, items.count)) }
    }

    /// This kind of tag has places for a front and a back cover.
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
