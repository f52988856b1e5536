internal import DescantContainers
internal import DescantCore
internal import Foundation

/// Fields as lines of comments. Lines of other names stay byte by byte.
extension VorbisComment {
    /// The names that new lines get; the reader may know further ones.
    private static let names: [TagField: String] = [
        .title: "TITLE", .artists: "ARTIST", .album: "ALBUM", .albumArtists: "ALBUMARTIST", .composers: "COMPOSER",
        .genres: "GENRE", .bpm: "BPM", .titleSort: "TITLESORT", .artistSort: "ARTISTSORT", .albumSort: "ALBUMSORT",
        .albumArtistSort: "ALBUMARTISTSORT", .composerSort: "COMPOSERSORT", .trackGain: "REPLAYGAIN_TRACK_GAIN",
        .trackPeak: "REPLAYGAIN_TRACK_PEAK", .albumGain: "REPLAYGAIN_ALBUM_GAIN", .albumPeak: "REPLAYGAIN_ALBUM_PEAK",
        .recordingID: "MUSICBRAINZ_TRACKID", .releaseTrackID: "MUSICBRAINZ_RELEASETRACKID",
        .releaseID: "MUSICBRAINZ_ALBUMID", .releaseGroupID: "MUSICBRAINZ_RELEASEGROUPID",
        .artistIDs: "MUSICBRAINZ_ARTISTID", .albumArtistIDs: "MUSICBRAINZ_ALBUMARTISTID",
    ]

    /// Applies all changes except pictures.
    ///
    /// - Parameters:
    ///   - edits: What to write.
    ///   - usesR128: Whether gains are stored as in Opus, relative to -23 LUFS.
    mutating func apply(_ edits: TagEdits, usesR128: Bool = false) {
        for field in TagField.allCases {
            guard edits[field] != nil, let name = Self.names[field],
                let values = edits.values(field, old: values(of: field))
            else { continue }
            switch field {
            case .trackGain where usesR128: setR128("R128_TRACK_GAIN", field, edits.replayGain.trackGain)
            case .albumGain where usesR128: setR128("R128_ALBUM_GAIN", field, edits.replayGain.albumGain)
            default: set(field, name, values)
            }
        }
        applyComment(edits)
        let date = values("DATE").isEmpty ? "YEAR" : "DATE"
        if let new = edits.date(old: values(date).first) {
            set(.year, "DATE", new.isEmpty ? [] : new + values(date).dropFirst())
        }
        applyPair(edits, .trackNumber, .trackTotal, "TRACKNUMBER", "TRACKTOTAL")
        applyPair(edits, .discNumber, .discTotal, "DISCNUMBER", "DISCTOTAL")
        if let lyrics = edits.lyrics { set(.lyrics, "LYRICS", lyrics.texts) }
    }

    /// The values of all lines that the reader takes for a field.
    private func values(of field: TagField) -> [String] {
        lines.filter { TagField(key: Self.name(of: $0)) == field }
            .map { String(decoding: $0.drop { $0 != 0x3D }.dropFirst(), as: UTF8.self) }
    }

    private mutating func set(_ field: TagField, _ name: String, _ values: [String]) {
        set(name, values) { TagField(key: $0) == field }
    }

    /// The reader shows DESCRIPTION where there is no COMMENT.
    private mutating func applyComment(_ edits: TagEdits) {
        guard let new = edits[.comment] else { return }
        guard !new.isEmpty else { return set(.comment, "COMMENT", []) }
        let name = values("COMMENT").isEmpty && !values("DESCRIPTION").isEmpty ? "DESCRIPTION" : "COMMENT"
        set(name, new + values(name).dropFirst()) { $0 == name }
    }

    /// A total has its own line, unless the file stores it behind a slash.
    private mutating func applyPair(
        _ edits: TagEdits, _ number: TagField, _ total: TagField, _ numberName: String, _ totalName: String
    ) {
        let old = values(of: number).first
        let hasSlash = old?.contains("/") == true
        let hasLine = !values(of: total).isEmpty
        let text = hasSlash ? edits.pair(number, total, old: old, hasSeparateTotal: hasLine) : edits[number]
        if let text { set(number, numberName, text) }
        if let values = edits[total] {
            if !hasSlash || hasLine { set(total, totalName, values) }
        } else if old == nil, !hasLine, let text, !text.isEmpty, let known = edits.count(total) {
            // The new line hides number and total of a tag in front.
            set(total, totalName, [known])
        }
    }

    /// Sets a gain in 1/256 dB relative to -23 LUFS, and removes its ReplayGain lines (RFC 7845, section 5.2.1).
    private mutating func setR128(_ name: String, _ field: TagField, _ gain: Double?) {
        let steps = gain.map { Int(min(max(($0 - 5) * 256, -32_768), 32_767).rounded()) }
        set(field, name, steps.map { ["\($0)"] } ?? [])
    }

    // MARK: Pictures

    private static let pictureName = "METADATA_BLOCK_PICTURE"

    /// Changes the pictures of an Ogg file, which are comments.
    mutating func apply(_ pictures: PictureEdit) throws(ContainerError) {
        let place = lines.firstIndex(where: Self.isPicture) ?? lines.count
        let old = lines.filter(Self.isPicture)
        lines.removeAll(where: Self.isPicture)
        let new = try pictures.entries(
            old, bytes: { Self.block($0).map(FLACPicture.data) ?? [] },
            make: { Array("\(Self.pictureName)=\(Self.text($0))".utf8) })
        lines.insert(contentsOf: new, at: min(place, lines.count))
        removeTypeWithoutPicture()
    }

    /// Removes the pictures, for a FLAC file, which has blocks for them. Those that cannot be decoded stay.
    ///
    /// - Returns: The blocks.
    mutating func takePictures() -> [[UInt8]] {
        let blocks = lines.compactMap(Self.block)
        lines.removeAll { Self.block($0) != nil }
        removeTypeWithoutPicture()
        return blocks
    }

    private mutating func removeTypeWithoutPicture() {
        guard !lines.contains(where: { Self.name(of: $0) == "COVERART" }) else { return }
        lines.removeAll { Self.name(of: $0) == "COVERARTMIME" }
    }

    private static func isPicture(_ line: [UInt8]) -> Bool { [pictureName, "COVERART"].contains(name(of: line)) }

    private static func text(_ picture: TagPicture) -> String {
        Data(FLACPicture.bytes(picture)).base64EncodedString()
    }

    /// The block of a picture; `nil` for another line, and for a picture that cannot be decoded.
    private static func block(_ line: [UInt8]) -> [UInt8]? {
        guard isPicture(line), let value = Data(base64Encoded: Data(line.drop { $0 != 0x3D }.dropFirst())) else {
            return nil
        }
        let isBlock = name(of: line) == pictureName
        let block = isBlock ? Array(value) : FLACPicture.bytes(TagPicture(data: value, kind: .other))
        return FLACPicture.data(of: block).isEmpty ? nil : block
    }
}
