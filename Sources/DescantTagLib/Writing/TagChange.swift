internal import DescantContainers
internal import DescantCore
internal import Foundation

/// The fields that change, checked, and converted to text.
struct TagChange {
    /// The change of the pictures.
    enum Pictures {
        /// Replaces all pictures.
        case all([TagPicture])
        /// Replaces the front cover, and keeps the others.
        case frontCover(TagPicture)
    }

    /// The fields that change, with their values; a field without values is removed.
    private(set) var texts: [TagField: [String]] = [:]
    private(set) var lyrics: [LyricsLanguageVariant]?
    private(set) var pictures: Pictures?
    /// The gains as numbers, for tags that do not store them as text.
    private(set) var replayGain: ReplayGainTags

    var isEmpty: Bool { texts.isEmpty && lyrics == nil && pictures == nil }

    /// The new values of a field; `nil` when it does not change.
    subscript(field: TagField) -> [String]? { texts[field] }

    /// - Throws: `ContainerError.invalidValue` naming the field whose value cannot be written.
    init(_ tags: TagBundle) throws(ContainerError) {
        replayGain = tags.replayGain
        lyrics = tags.lyrics
        takeTexts(tags)
        try takeNumbers(tags)
        try takeLoudness(tags.replayGain)
        for values in texts.values where values.contains(where: { $0.utf8.contains(0) }) {
            throw .invalidValue("a text with a zero byte")
        }
        for variant in lyrics ?? [] where variant.text.utf8.contains(0) {
            throw .invalidValue("lyrics with a zero byte")
        }
        if let all = tags.pictures {
            for picture in all { try Self.check(picture) }
            pictures = .all(all)
        }
        try takeArtwork(tags)
    }

    private mutating func takeTexts(_ tags: TagBundle) {
        let single: [(TagField, String?)] = [
            (.title, tags.title), (.album, tags.album), (.comment, tags.comment), (.titleSort, tags.sortNames.title),
            (.artistSort, tags.sortNames.artist), (.albumSort, tags.sortNames.album),
            (.albumArtistSort, tags.sortNames.albumArtist), (.composerSort, tags.sortNames.composer),
            (.recordingID, tags.musicBrainz.recordingID), (.releaseTrackID, tags.musicBrainz.releaseTrackID),
            (.releaseID, tags.musicBrainz.releaseID), (.releaseGroupID, tags.musicBrainz.releaseGroupID),
        ]
        for (field, value) in single { texts[field] = value.map { [$0] } }
        let several: [(TagField, [String]?)] = [
            (.artist, tags.artists), (.albumArtist, tags.albumArtists), (.composer, tags.composers),
            (.genre, tags.genres), (.artistID, tags.musicBrainz.artistIDs),
            (.albumArtistID, tags.musicBrainz.albumArtistIDs),
        ]
        for (field, values) in several { texts[field] = values }
    }

    private mutating func takeNumbers(_ tags: TagBundle) throws(ContainerError) {
        let numbers: [(TagField, String, Int?, ClosedRange<Int>)] = [
            (.date, "year", tags.year, 1_000...9_999), (.track, "track number", tags.trackNumber, 1...65_535),
            (.trackTotal, "track total", tags.trackTotal, 1...65_535),
            (.disc, "disc number", tags.discNumber, 1...65_535),
            (.discTotal, "disc total", tags.discTotal, 1...65_535),
        ]
        for (field, name, value, range) in numbers {
            guard let value else { continue }
            guard range.contains(value) else {
                throw .invalidValue("\(name) \(value); \(range.lowerBound) to \(range.upperBound) are possible")
            }
            texts[field] = ["\(value)"]
        }
        guard let bpm = tags.bpm else { return }
        guard bpm > 0, bpm <= 10_000 else { throw .invalidValue("\(bpm) beats per minute; up to 10000 are possible") }
        texts[.bpm] = [bpm == bpm.rounded() ? "\(Int(bpm))" : "\(bpm)"]
    }

    private mutating func takeLoudness(_ loudness: ReplayGainTags) throws(ContainerError) {
        for (field, gain) in [(TagField.trackGain, loudness.trackGain), (.albumGain, loudness.albumGain)] {
            guard let gain else { continue }
            guard abs(gain) <= 100 else { throw .invalidValue("a ReplayGain of \(gain) dB; -100 to 100 are possible") }
            texts[field] = [String(format: "%.2f dB", gain)]
        }
        for (field, peak) in [(TagField.trackPeak, loudness.trackPeak), (.albumPeak, loudness.albumPeak)] {
            guard let peak else { continue }
            guard peak >= 0, peak <= 1_000 else { throw .invalidValue("a peak of \(peak); 0 to 1000 are possible") }
            texts[field] = [String(format: "%.6f", peak)]
        }
    }

    private mutating func takeArtwork(_ tags: TagBundle) throws(ContainerError) {
        guard let data = tags.artworkData else { return }
        let cover = TagPicture(data: data)
        try Self.check(cover)
        guard case .all(let all) = pictures else {
            pictures = .frontCover(cover)
            return
        }
        // A bundle of the reader has its front cover in both properties.
        if !all.contains(where: { $0.data == data }) { pictures = .all(Self.replacingFrontCover(in: all, by: cover)) }
    }

    private static func check(_ picture: TagPicture) throws(ContainerError) {
        guard picture.data.count <= TagPicture.sizeLimit else {
            throw .invalidValue("a picture of \(picture.data.count) bytes; \(TagPicture.sizeLimit) are possible")
        }
        guard picture.mimeType != nil else {
            throw .invalidValue("a picture that is neither JPEG, PNG, GIF, WebP, BMP nor TIFF")
        }
    }

    private static func replacingFrontCover(in pictures: [TagPicture], by cover: TagPicture) -> [TagPicture] {
        var pictures = pictures
        guard let index = pictures.firstIndex(where: { $0.kind == .frontCover }) else { return [cover] + pictures }
        pictures[index] = TagPicture(data: cover.data, description: pictures[index].description)
        return pictures
    }

    // MARK: Numbers with totals

    /// Number and total as one text, such as "7/12"; `nil` when neither changes.
    ///
    /// - Parameters:
    ///   - number: The number's field.
    ///   - total: The total's field.
    ///   - old: The text in the file.
    func pair(_ number: TagField, _ total: TagField, old: String?) -> String? {
        guard self[number] != nil || self[total] != nil else { return nil }
        let known = TagText.numberAndTotal(old ?? "")
        let newNumber = self[number]?.first ?? known.0.map { "\($0)" }
        guard let newTotal = self[total]?.first ?? known.1.map({ "\($0)" }) else { return newNumber }
        return "\(newNumber ?? "")/\(newTotal)"
    }

    /// The new year; `nil` when the date in the file is in that year, so that its month and day stay.
    func date(old: String?) -> [String]? {
        guard let year = self[.date]?.first else { return nil }
        return old.flatMap(TagText.year).map { "\($0)" } == year ? nil : [year]
    }
}

/// A field that is text in every kind of tag.
enum TagField: CaseIterable {
    case title, artist, album, albumArtist, composer, genre
    case date, track, trackTotal, disc, discTotal, bpm, comment
    case titleSort, artistSort, albumSort, albumArtistSort, composerSort
    case trackGain, trackPeak, albumGain, albumPeak
    case recordingID, releaseTrackID, releaseID, releaseGroupID, artistID, albumArtistID
}
