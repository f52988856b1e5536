internal import DescantContainers
internal import DescantCore

/// The items of an `ilst` atom. Unchanged items stay byte by byte.
struct MP4ItemList {
    private(set) var items: [MP4EditableAtom]

    init(_ items: [MP4EditableAtom]) { self.items = items }

    private static let textItems: [TagField: String] = [
        .title: "\u{A9}nam", .artist: "\u{A9}ART", .album: "\u{A9}alb", .albumArtist: "aART", .composer: "\u{A9}wrt",
        .genre: "\u{A9}gen", .comment: "\u{A9}cmt", .titleSort: "sonm", .artistSort: "soar", .albumSort: "soal",
        .albumArtistSort: "soaa", .composerSort: "soco",
    ]
    private static let freeItems: [TagField: String] = [
        .trackGain: "replaygain_track_gain", .trackPeak: "replaygain_track_peak",
        .albumGain: "replaygain_album_gain", .albumPeak: "replaygain_album_peak",
        .recordingID: "MusicBrainz Track Id", .releaseTrackID: "MusicBrainz Release Track Id",
        .releaseID: "MusicBrainz Album Id", .releaseGroupID: "MusicBrainz Release Group Id",
        .artistID: "MusicBrainz Artist Id", .albumArtistID: "MusicBrainz Album Artist Id",
    ]

    /// The type numbers of values; the name of the item implies the type of an `implicit` one.
    private enum Kind: Int {
        case implicit = 0
        case utf8 = 1
        case gif = 12
        case jpeg = 13
        case png = 14
        case integer = 21
        case bmp = 27
    }

    mutating func apply(_ change: TagChange) throws(ContainerError) {
        for field in TagField.allCases {
            guard let values = change[field] else { continue }
            if let name = Self.textItems[field] {
                try set([name], values.map { Self.data(.utf8, Array($0.utf8)) })
            } else if let name = Self.freeItems[field] {
                try setFree(name, values)
            }
        }
        // A numeric genre would remain beside the new one.
        if change[.genre] != nil { items.removeAll { $0.name == "gnre" } }
        let day = try value("\u{A9}day").map { String(decoding: $0, as: UTF8.self) }
        if let date = change.date(old: day) {
            try set(["\u{A9}day"], date.map { Self.data(.utf8, Array($0.utf8)) })
        }
        try setPair(change, .track, .trackTotal, "trkn", tail: [0, 0])
        try setPair(change, .disc, .discTotal, "disk", tail: [])
        if let bpm = change[.bpm]?.first.flatMap({ Double($0) }) {
            try set(["tmpo"], [Self.data(.integer, .number(Int(bpm.rounded()), bytes: 2, .big))])
        }
        if let lyrics = change.lyrics {
            try set(["\u{A9}lyr"], lyrics.map { Self.data(.utf8, Array($0.text.utf8)) })
        }
        if let pictures = change.pictures { try setPictures(pictures) }
    }

    // MARK: Items

    private static func data(_ kind: Kind, _ value: [UInt8]) -> MP4EditableAtom {
        MP4EditableAtom(name: "data", content: .number(kind.rawValue, bytes: 4, .big) + [0, 0, 0, 0] + value)
    }

    /// Replaces the items of some names by one of the first name.
    private mutating func set(_ names: [String], _ values: [MP4EditableAtom]) throws(ContainerError) {
        let place = items.firstIndex { names.contains($0.name) } ?? items.count
        items.removeAll { names.contains($0.name) }
        guard !values.isEmpty else { return }
        items.insert(
            MP4EditableAtom(name: names[0], content: try MP4EditableAtom.bytes(values)), at: min(place, items.count))
    }

    /// The first value of an item.
    private func value(_ name: String) throws(ContainerError) -> ArraySlice<UInt8>? {
        guard let item = items.first(where: { $0.name == name }) else { return nil }
        return try MP4EditableAtom.list(in: item.content[...]).first { $0.name == "data" }?.content.dropFirst(8)
    }

    private mutating func setPair(
        _ change: TagChange, _ number: TagField, _ total: TagField, _ name: String, tail: [UInt8]
    ) throws(ContainerError) {
        let old = try value(name).map(Array.init) ?? []
        let known = old.count >= 6 ? "\(Int(old[2]) << 8 | Int(old[3]))/\(Int(old[4]) << 8 | Int(old[5]))" : nil
        guard let pair = change.pair(number, total, old: known) else { return }
        let (first, second) = TagText.numberAndTotal(pair)
        try set(
            [name],
            [
                Self.data(
                    .implicit,
                    [0, 0] + .number(first ?? 0, bytes: 2, .big) + .number(second ?? 0, bytes: 2, .big) + tail)
            ])
    }

    // MARK: Free items

    private static let namespace = "com.apple.iTunes"

    /// The name of a free item; `nil` for one of another namespace.
    private static func freeName(_ item: MP4EditableAtom) -> String? {
        guard item.name == "----", let parts = try? MP4EditableAtom.list(in: item.content[...]),
            let mean = parts.first(where: { $0.name == "mean" }), let name = parts.first(where: { $0.name == "name" }),
            mean.content.dropFirst(4).elementsEqual(namespace.utf8)
        else { return nil }
        return String(decoding: name.content.dropFirst(4), as: UTF8.self)
    }

    private mutating func setFree(_ name: String, _ values: [String]) throws(ContainerError) {
        func isOld(_ item: MP4EditableAtom) -> Bool { Self.freeName(item)?.lowercased() == name.lowercased() }
        let place = items.firstIndex(where: isOld) ?? items.count
        items.removeAll(where: isOld)
        guard !values.isEmpty else { return }
        let parts =
            [
                MP4EditableAtom(name: "mean", content: [0, 0, 0, 0] + Array(Self.namespace.utf8)),
                MP4EditableAtom(name: "name", content: [0, 0, 0, 0] + Array(name.utf8)),
            ] + values.map { Self.data(.utf8, Array($0.utf8)) }
        items.insert(
            MP4EditableAtom(name: "----", content: try MP4EditableAtom.bytes(parts)), at: min(place, items.count))
    }

    // MARK: Pictures

    private mutating func setPictures(_ change: TagChange.Pictures) throws(ContainerError) {
        switch change {
        case .all(let pictures):
            // The first one counts as the front cover.
            let front = pictures.filter { $0.kind == .frontCover }
            var values: [MP4EditableAtom] = []
            for picture in front + pictures.filter({ $0.kind != .frontCover }) { values.append(try Self.data(picture)) }
            try set(["covr"], values)
        case .frontCover(let cover):
            let item = items.first { $0.name == "covr" }
            let old =
                try item.map { item throws(ContainerError) in try MP4EditableAtom.list(in: item.content[...]) } ?? []
            try set(["covr"], [try Self.data(cover)] + old.dropFirst())
        }
    }

    private static func data(_ picture: TagPicture) throws(ContainerError) -> MP4EditableAtom {
        let kind: Kind? =
            switch picture.mimeType {
            case "image/jpeg": .jpeg
            case "image/png": .png
            case "image/gif": .gif
            case "image/bmp": .bmp
            default: nil
            }
        guard let kind else {
            throw .unsupported("MP4 has no place for a picture of type \(picture.mimeType ?? "unknown")")
        }
        return data(kind, Array(picture.data))
    }
}
