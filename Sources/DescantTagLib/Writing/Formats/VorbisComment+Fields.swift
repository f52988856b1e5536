internal import DescantContainers
internal import DescantCore
internal import Foundation

/// Fields as lines of comments. Lines of other names stay byte by byte.
extension VorbisComment {
    private static let names: [TagField: [String]] = [
        .title: ["TITLE"], .artist: ["ARTIST"], .album: ["ALBUM"], .albumArtist: ["ALBUMARTIST", "ALBUM ARTIST"],
        .composer: ["COMPOSER"], .genre: ["GENRE"], .bpm: ["BPM"], .titleSort: ["TITLESORT"],
        .artistSort: ["ARTISTSORT"], .albumSort: ["ALBUMSORT"], .albumArtistSort: ["ALBUMARTISTSORT"],
        .composerSort: ["COMPOSERSORT"], .trackGain: ["REPLAYGAIN_TRACK_GAIN"], .trackPeak: ["REPLAYGAIN_TRACK_PEAK"],
        .albumGain: ["REPLAYGAIN_ALBUM_GAIN"], .albumPeak: ["REPLAYGAIN_ALBUM_PEAK"],
        .recordingID: ["MUSICBRAINZ_TRACKID"], .releaseTrackID: ["MUSICBRAINZ_RELEASETRACKID"],
        .releaseID: ["MUSICBRAINZ_ALBUMID"], .releaseGroupID: ["MUSICBRAINZ_RELEASEGROUPID"],
        .artistID: ["MUSICBRAINZ_ARTISTID"], .albumArtistID: ["MUSICBRAINZ_ALBUMARTISTID"],
    ]

    /// Applies all changes except pictures.
    ///
    /// - Parameters:
    ///   - change: What to write.
    ///   - usesR128: Whether gains are stored as in Opus, relative to -23 LUFS.
    mutating func apply(_ change: TagChange, usesR128: Bool = false) {
        for field in TagField.allCases {
            guard let names = Self.names[field], let values = change[field] else { continue }
            if usesR128, field == .trackGain || field == .albumGain { continue }
            set(names, values)
        }
        if usesR128 { applyR128(change.replayGain) }
        if let comment = change[.comment] {
            set(values("COMMENT").isEmpty && !values("DESCRIPTION").isEmpty ? ["DESCRIPTION"] : ["COMMENT"], comment)
        }
        let date = values("DATE").first ?? values("YEAR").first
        if let date = change.date(old: date) { set(["DATE", "YEAR"], date) }
        applyPair(change, .track, .trackTotal, ["TRACKNUMBER"], ["TRACKTOTAL", "TOTALTRACKS"])
        applyPair(change, .disc, .discTotal, ["DISCNUMBER"], ["DISCTOTAL", "TOTALDISCS"])
        if let lyrics = change.lyrics { set(["LYRICS", "UNSYNCEDLYRICS"], lyrics.map(\.text)) }
    }

    /// A total has its own line, unless the file stores it behind a slash.
    private mutating func applyPair(
        _ change: TagChange, _ number: TagField, _ total: TagField, _ numberNames: [String], _ totalNames: [String]
    ) {
        let old = values(numberNames[0]).first
        let hasSlash = old?.contains("/") == true
        if hasSlash || change[number] != nil {
            let text = hasSlash ? change.pair(number, total, old: old) : change[number]?.first
            if let text { set(numberNames, [text]) }
        }
        let hasLine = totalNames.contains { !values($0).isEmpty }
        if let values = change[total], !hasSlash || hasLine { set(totalNames, values) }
    }

    /// Sets gains in 1/256 dB relative to -23 LUFS, and removes ReplayGain lines (RFC 7845, section 5.2.1).
    private mutating func applyR128(_ loudness: ReplayGainTags) {
        for (part, gain) in [("TRACK", loudness.trackGain), ("ALBUM", loudness.albumGain)] {
            guard let gain else { continue }
            let steps = Int(min(max((gain - 5) * 256, -32_768), 32_767).rounded())
            set(["R128_\(part)_GAIN", "REPLAYGAIN_\(part)_GAIN"], ["\(steps)"])
        }
    }

    // MARK: Pictures

    private static let pictureName = "METADATA_BLOCK_PICTURE"

    /// Changes the pictures of an Ogg file, which are comments.
    mutating func applyPictures(_ change: TagChange.Pictures) {
        switch change {
        case .all(let pictures): set([Self.pictureName, "COVERART", "COVERARTMIME"], pictures.map(Self.text))
        case .frontCover(let cover):
            let place = lines.firstIndex { Self.name(of: $0) == Self.pictureName && Self.isFrontCover($0) }
            let line = Array("\(Self.pictureName)=\(Self.text(cover))".utf8)
            if let place { lines[place] = line } else { lines.append(line) }
        }
    }

    private static func text(_ picture: TagPicture) -> String {
        Data(FLACPicture.bytes(picture)).base64EncodedString()
    }

    private static func isFrontCover(_ line: [UInt8]) -> Bool {
        // Eight characters are six bytes, which hold the kind.
        guard let head = Data(base64Encoded: Data(line.dropFirst(pictureName.utf8.count + 1).prefix(8))) else {
            return false
        }
        return FLACPicture.isFrontCover(Array(head))
    }
}
