internal import CTagLibShim
internal import DescantCore
internal import Foundation

/// Converts the records of the shim into a bundle, by the rules of `TagReaderPort`.
struct TagRecords {
    private let bytes: UnsafeRawBufferPointer
    private var tags = TagBundle()
    private var totals: (track: Int?, disc: Int?) = (nil, nil)
    private var chapters: [Chapter] = []
    private var ebuGain: (track: Double?, album: Double?) = (nil, nil)

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    func bundle() -> TagBundle {
        var reader = self
        var position = 0
        while position + 6 <= bytes.count {
            let length = Int(bytes.loadUnaligned(fromByteOffset: position + 2, as: UInt32.self))
            let end = position + 6 + length
            guard end <= bytes.count else { break }
            let content = UnsafeRawBufferPointer(rebasing: bytes[position + 6..<end])
            reader.take(dtl_field(UInt32(bytes[position])), detail: bytes[position + 1], content)
            position = end
        }
        return reader.finished()
    }

    private func finished() -> TagBundle {
        var tags = tags
        tags.trackTotal = totals.track ?? tags.trackTotal
        tags.discTotal = totals.disc ?? tags.discTotal
        // Opus gains are relative to -23 LUFS, ReplayGain's reference lies 5 dB above.
        tags.replayGain.trackGain = ebuGain.track.map { $0 + 5 } ?? tags.replayGain.trackGain
        tags.replayGain.albumGain = ebuGain.album.map { $0 + 5 } ?? tags.replayGain.albumGain
        if !chapters.isEmpty {
            tags.technical = tags.technical ?? TechnicalProperties()
            tags.technical?.chapters = chapters.sorted { $0.start < $1.start }
        }
        tags.artworkData = (tags.pictures?.first { $0.kind == .frontCover } ?? tags.pictures?.first)?.data
        return tags
    }

    // MARK: Fields

    private mutating func take(_ field: dtl_field, detail: UInt8, _ content: UnsafeRawBufferPointer) {
        switch field {
        case DTL_LYRICS: takeLyrics(content)
        case DTL_PICTURE: takePicture(kind: Int(detail), content)
        case DTL_NUMBERS: takeNumbers(content)
        case DTL_CHAPTER: takeChapter(content)
        case DTL_CODEC:
            tags.technical = tags.technical ?? TechnicalProperties()
            tags.technical?.codec = TagText.string(content)
            tags.technical?.encoding = detail == 1 ? .lossless : .lossy
        default: takeText(field, TagText.string(content))
        }
    }

    private mutating func takeText(_ field: dtl_field, _ text: String) {
        switch field {
        case DTL_TITLE: tags.title = tags.title ?? text
        case DTL_ARTIST: Self.append(text, to: &tags.artists)
        case DTL_ALBUM: tags.album = tags.album ?? text
        case DTL_ALBUM_ARTIST: Self.append(text, to: &tags.albumArtists)
        case DTL_COMPOSER: Self.append(text, to: &tags.composers)
        case DTL_GENRE: Self.append(text, to: &tags.genres)
        case DTL_COMMENT: tags.comment = tags.comment ?? text
        case DTL_TITLE_SORT: tags.sortNames.title = tags.sortNames.title ?? text
        case DTL_ARTIST_SORT: tags.sortNames.artist = tags.sortNames.artist ?? text
        case DTL_ALBUM_SORT: tags.sortNames.album = tags.sortNames.album ?? text
        case DTL_ALBUM_ARTIST_SORT: tags.sortNames.albumArtist = tags.sortNames.albumArtist ?? text
        case DTL_COMPOSER_SORT: tags.sortNames.composer = tags.sortNames.composer ?? text
        case DTL_MB_RECORDING: tags.musicBrainz.recordingID = tags.musicBrainz.recordingID ?? text
        case DTL_MB_RELEASE_TRACK: tags.musicBrainz.releaseTrackID = tags.musicBrainz.releaseTrackID ?? text
        case DTL_MB_RELEASE: tags.musicBrainz.releaseID = tags.musicBrainz.releaseID ?? text
        case DTL_MB_RELEASE_GROUP: tags.musicBrainz.releaseGroupID = tags.musicBrainz.releaseGroupID ?? text
        case DTL_MB_ARTIST: Self.append(text, to: &tags.musicBrainz.artistIDs)
        case DTL_MB_ALBUM_ARTIST: Self.append(text, to: &tags.musicBrainz.albumArtistIDs)
        default: takeNumber(field, text)
        }
    }

    private static func append(_ text: String, to list: inout [String]?) { list = (list ?? []) + [text] }

    private mutating func takeNumber(_ field: dtl_field, _ text: String) {
        switch field {
        case DTL_DATE: tags.year = tags.year ?? TagText.year(text)
        case DTL_TRACK:
            let (number, total) = TagText.numberAndTotal(text)
            tags.trackNumber = tags.trackNumber ?? number
            tags.trackTotal = tags.trackTotal ?? total
        case DTL_DISC:
            let (number, total) = TagText.numberAndTotal(text)
            tags.discNumber = tags.discNumber ?? number
            tags.discTotal = tags.discTotal ?? total
        case DTL_TRACK_TOTAL: totals.track = totals.track ?? TagText.count(text[...])
        case DTL_DISC_TOTAL: totals.disc = totals.disc ?? TagText.count(text[...])
        case DTL_BPM: tags.bpm = tags.bpm ?? TagText.decimal(text).flatMap { $0 > 0 ? $0 : nil }
        case DTL_TRACK_GAIN: tags.replayGain.trackGain = tags.replayGain.trackGain ?? TagText.decimal(text)
        case DTL_ALBUM_GAIN: tags.replayGain.albumGain = tags.replayGain.albumGain ?? TagText.decimal(text)
        case DTL_TRACK_PEAK: tags.replayGain.trackPeak = tags.replayGain.trackPeak ?? TagText.peak(text)
        case DTL_ALBUM_PEAK: tags.replayGain.albumPeak = tags.replayGain.albumPeak ?? TagText.peak(text)
        case DTL_R128_TRACK_GAIN: ebuGain.track = ebuGain.track ?? TagText.decimal(text).map { $0 / 256 }
        case DTL_R128_ALBUM_GAIN: ebuGain.album = ebuGain.album ?? TagText.decimal(text).map { $0 / 256 }
        default: break
        }
    }

    // MARK: Others

    /// Splits content into a text behind its length, and the remaining bytes.
    private static func marked(_ content: UnsafeRawBufferPointer) -> (mark: String, rest: UnsafeRawBufferPointer)? {
        guard content.count >= 4 else { return nil }
        let length = Int(content.loadUnaligned(as: UInt32.self))
        guard content.count >= 4 + length else { return nil }
        let mark = TagText.string(UnsafeRawBufferPointer(rebasing: content[4..<4 + length]))
        return (mark, UnsafeRawBufferPointer(rebasing: content[(4 + length)...]))
    }

    private mutating func takeLyrics(_ content: UnsafeRawBufferPointer) {
        guard let (language, words) = Self.marked(content) else { return }
        let variant = LyricsLanguageVariant(languageCode: language, text: TagText.string(words))
        tags.lyrics = (tags.lyrics ?? []) + [variant]
    }

    private mutating func takePicture(kind: Int, _ content: UnsafeRawBufferPointer) {
        guard let (description, data) = Self.marked(content), data.count <= TagPicture.sizeLimit else { return }
        let picture = TagPicture(data: Data(data), kind: .init(rawValue: kind) ?? .other, description: description)
        guard picture.mimeType != nil else { return }
        tags.pictures = (tags.pictures ?? []) + [picture]
    }

    private mutating func takeChapter(_ content: UnsafeRawBufferPointer) {
        guard content.count >= 8, chapters.count < Chapter.limit else { return }
        let start = content.loadUnaligned(as: Int64.self)
        let title = TagText.string(UnsafeRawBufferPointer(rebasing: content[8...]))
        if start >= 0 { chapters.append(Chapter(title: title, start: Double(start) / 1_000)) }
    }

    private mutating func takeNumbers(_ content: UnsafeRawBufferPointer) {
        guard content.count == 6 * 8 else { return }
        func number(_ index: Int) -> Int64? {
            let value = content.loadUnaligned(fromByteOffset: index * 8, as: Int64.self)
            return value > 0 ? value : nil
        }
        var technical = tags.technical ?? TechnicalProperties()
        technical.duration = number(0).map { Double($0) / 1_000 }
        technical.bitrate = number(1).map { Int($0) * 1_000 }
        technical.sampleRate = number(2).map { Int($0) }
        technical.channels = number(3).map { Int($0) }
        technical.bitDepth = number(4).map { Int($0) }
        technical.fileSize = content.loadUnaligned(fromByteOffset: 40, as: Int64.self)
        tags.technical = technical
    }
}
