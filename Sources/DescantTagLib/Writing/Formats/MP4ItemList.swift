internal import DescantContainers
internal import DescantCore

/// The items of an `ilst` atom. Unchanged items stay byte by byte.
struct MP4ItemList {
    private(set) var items: [MP4EditableAtom]

    init(_ items: [MP4EditableAtom]) { self.items = items }

    private static let textItems: [TagField: String] = [
        .title: "\u{A9}nam", .artists: "\u{A9}ART", .album: "\u{A9}alb", .albumArtists: "aART", .composers: "\u{A9}wrt",
        .genres: "\u{A9}gen", .comment: "\u{A9}cmt", .titleSort: "sonm", .artistSort: "soar", .albumSort: "soal",
        .albumArtistSort: "soaa", .composerSort: "soco",
    ]
    private static let freeItems: [TagField: String] = [
        .trackGain: "replaygain_track_gain", .trackPeak: "replaygain_track_peak",
        .albumGain: "replaygain_album_gain", .albumPeak: "replaygain_album_peak",
        .recordingID: "MusicBrainz Track Id", .releaseTrackID: "MusicBrainz Release Track Id",
        .releaseID: "MusicBrainz Album Id", .releaseGroupID: "MusicBrainz Release Group Id",
        .artistIDs: "MusicBrainz Artist Id", .albumArtistIDs: "MusicBrainz Album Artist Id",
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

    mutating func apply(_ edits: TagEdits) throws(ContainerError) {
        for field in TagField.allCases {
            guard edits[field] != nil else { continue }
            if let name = Self.textItems[field], let values = edits.values(field, old: try texts(name)) {
                try set(name, values.map { Self.data(.utf8, Array($0.utf8)) })
            } else if let name = Self.freeItems[field], let values = edits[field] {
                try setFree(field, name, values)
            }
        }
        // A numeric genre would remain beside the new one.
        if edits[.genres] != nil { items.removeAll { $0.name == "gnre" } }
        if let date = edits.date(old: try texts("\u{A9}day").first) {
            try set("\u{A9}day", date.map { Self.data(.utf8, Array($0.utf8)) })
        }
        try setPair(edits, .trackNumber, .trackTotal, "trkn", tail: [0, 0])
        try setPair(edits, .discNumber, .discTotal, "disk", tail: [])
        if let bpm = edits[.bpm] { try setTempo(bpm.first) }
        if let lyrics = edits.lyrics {
            try set("\u{A9}lyr", lyrics.texts.map { Self.data(.utf8, Array($0.utf8)) })
        }
        if let pictures = edits.pictures { try set(pictures) }
    }

    // MARK: Numbers

    /// The maximum of a number: readers such as TagLib take its 16 bits as signed.
    private static let numberLimit = 32_767

    private mutating func setTempo(_ text: String?) throws(ContainerError) {
        guard let text else { return try set("tmpo", []) }
        guard let beats = Double(text).flatMap({ Int(exactly: $0) }), (1...Self.numberLimit).contains(beats) else {
            throw .invalidValue("\(text) beats per minute; MP4 takes whole numbers from 1 to \(Self.numberLimit)")
        }
        try set("tmpo", [Self.data(.integer, .number(beats, bytes: 2, .big))])
    }

    // MARK: Items

    private static func data(_ kind: Kind, _ value: [UInt8]) -> MP4EditableAtom {
        MP4EditableAtom(name: "data", content: .number(kind.rawValue, bytes: 4, .big) + [0, 0, 0, 0] + value)
    }

    /// Replaces the items of a name by one item of several values.
    private mutating func set(_ name: String, _ values: [MP4EditableAtom]) throws(ContainerError) {
        let place = items.firstIndex { $0.name == name } ?? items.count
        items.removeAll { $0.name == name }
        guard !values.isEmpty else { return }
        items.insert(
            MP4EditableAtom(name: name, content: try MP4EditableAtom.bytes(values)), at: min(place, items.count))
    }

    /// The values of the items of a name.
    private func values(_ name: String) throws(ContainerError) -> [MP4EditableAtom] {
        var values: [MP4EditableAtom] = []
        for item in items where item.name == name { values += try MP4EditableAtom.list(in: item.content[...]) }
        return values
    }

    private func texts(_ name: String) throws(ContainerError) -> [String] {
        try values(name).filter { $0.name == "data" }
            .map { String(decoding: $0.content.dropFirst(8), as: UTF8.self) }
    }

    private mutating func setPair(
        _ edits: TagEdits, _ number: TagField, _ total: TagField, _ name: String, tail: [UInt8]
    ) throws(ContainerError) {
        for field in [number, total] {
            guard let value = edits[field]?.first.flatMap({ Int($0) }), value > Self.numberLimit else { continue }
            throw .invalidValue("\(field.rawValue) \(value); MP4 takes numbers up to \(Self.numberLimit)")
        }
        let old = try values(name).first.map { Array($0.content.dropFirst(8)) } ?? []
        // 0 stands for none.
        let count = { (place: Int) in Int(old[place]) << 8 | Int(old[place + 1]) }
        let known = old.count >= 6 ? [count(2), count(4)].map { $0 > 0 ? "\($0)" : "" }.joined(separator: "/") : nil
        guard let pair = edits.pair(number, total, old: known) else { return }
        let value = pair.first.map { pair in
            let (first, second) = TagText.numberAndTotal(pair)
            return [0, 0] + .number(first ?? 0, bytes: 2, .big) + .number(second ?? 0, bytes: 2, .big) + tail
        }
        try set(name, value.map { [Self.data(.implicit, $0)] } ?? [])
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

    private mutating func setFree(
        _ field: TagField, _ name: String, _ values: [String]
    ) throws(ContainerError) {
        func isOld(_ item: MP4EditableAtom) -> Bool { Self.freeName(item).flatMap(TagField.init(key:)) == field }
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

    private mutating func set(_ pictures: PictureEdit) throws(ContainerError) {
        // The first one counts as the front cover.
        let front = pictures.new.filter { $0.kind == .frontCover }
        let ordered = PictureEdit(
            old: pictures.old, new: front + pictures.new.filter { $0.kind != .frontCover },
            removesHidden: pictures.removesHidden)
        try set(
            "covr", try ordered.entries(try values("covr"), bytes: { $0.content }, make: Self.data))
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
