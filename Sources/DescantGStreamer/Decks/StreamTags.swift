internal import CGStreamer
internal import DescantCore
internal import Foundation

/// The tags of a stream, merged from any number of tag messages.
struct StreamTags: Sendable {
    private(set) var tags = TagBundle()
    /// The codec's name from the parser or decoder.
    private(set) var codec: String?
    private var loudness = LoudnessTags()

    /// - Parameter codec: The codec until tags name another one; `nil` for none.
    init(codec: String? = nil) { self.codec = codec }

    /// Whether these tags tell which song is heard.
    var nameSong: Bool { tags.title != nil || tags.artists != nil || tags.album != nil }

    /// The loudness tags; `nil` without any.
    var replayGain: ReplayGainTags? { loudness.values }

    /// The maximum size of a picture, in bytes.
    private static let artworkLimit = 32 << 20

    /// Merges a tag message; later messages win, as a radio stream needs.
    mutating func merge(_ message: UnsafeMutablePointer<GstMessage>) {
        var list: UnsafeMutablePointer<GstTagList>?
        gst_message_parse_tag(message, &list)
        guard let list else { return }
        defer { gst_tag_list_unref(list) }
        merge(list)
    }

    /// Merges a list of tags.
    mutating func merge(_ list: UnsafeMutablePointer<GstTagList>) {
        tags.title = Self.text(list, GST_TAG_TITLE) ?? tags.title
        tags.artists = Self.texts(list, GST_TAG_ARTIST) ?? tags.artists
        tags.album = Self.text(list, GST_TAG_ALBUM) ?? tags.album
        tags.albumArtists = Self.texts(list, GST_TAG_ALBUM_ARTIST) ?? tags.albumArtists
        tags.genres = Self.texts(list, GST_TAG_GENRE) ?? tags.genres
        tags.year = Self.year(list) ?? tags.year
        tags.trackNumber = Self.number(list, GST_TAG_TRACK_NUMBER) ?? tags.trackNumber
        tags.discNumber = Self.number(list, GST_TAG_ALBUM_VOLUME_NUMBER) ?? tags.discNumber
        codec = Self.text(list, GST_TAG_AUDIO_CODEC) ?? codec
        loudness.merge(list)
        if tags.artworkData == nil { tags.artworkData = Self.artwork(list) }
    }

    private static func text(_ list: UnsafeMutablePointer<GstTagList>, _ name: String) -> String? {
        var value: UnsafeMutablePointer<CChar>?
        guard gst_tag_list_get_string(list, name, &value) != 0, let value else { return nil }
        defer { g_free(value) }
        return String(cString: value)
    }

    /// The values of a tag that may be there several times; `nil` without any.
    private static func texts(_ list: UnsafeMutablePointer<GstTagList>, _ name: String) -> [String]? {
        let texts = (0..<gst_tag_list_get_tag_size(list, name)).compactMap { index -> String? in
            var value: UnsafeMutablePointer<CChar>?
            guard gst_tag_list_get_string_index(list, name, index, &value) != 0, let value else { return nil }
            defer { g_free(value) }
            return String(cString: value)
        }
        return texts.isEmpty ? nil : texts
    }

    private static func number(_ list: UnsafeMutablePointer<GstTagList>, _ name: String) -> Int? {
        var value: guint = 0
        return gst_tag_list_get_uint(list, name, &value) != 0 && value > 0 ? Int(value) : nil
    }

    private static func year(_ list: UnsafeMutablePointer<GstTagList>) -> Int? {
        var moment: OpaquePointer?
        if gst_tag_list_get_date_time(list, GST_TAG_DATE_TIME, &moment) != 0, let moment {
            defer { gst_date_time_unref(moment) }
            return gst_date_time_has_year(moment) != 0 ? Int(gst_date_time_get_year(moment)) : nil
        }
        var date: UnsafeMutablePointer<GDate>?
        guard gst_tag_list_get_date(list, GST_TAG_DATE, &date) != 0, let date else { return nil }
        defer { g_date_free(date) }
        return Int(g_date_get_year(date))
    }

    /// The front cover, or the first picture when none is marked as front cover.
    private static func artwork(_ list: UnsafeMutablePointer<GstTagList>) -> Data? {
        var fallback: Data?
        for index in 0..<gst_tag_list_get_tag_size(list, GST_TAG_IMAGE) {
            var sample: OpaquePointer?
            guard gst_tag_list_get_sample_index(list, GST_TAG_IMAGE, index, &sample) != 0, let sample else { continue }
            defer { gst_sample_unref(sample) }
            guard let data = bytes(of: sample) else { continue }
            if isFrontCover(sample) { return data }
            fallback = fallback ?? data
        }
        return fallback
    }

    private static func isFrontCover(_ sample: OpaquePointer) -> Bool {
        guard let info = gst_sample_get_info(sample), let kind = gst_structure_get_value(info, "image-type") else {
            return false
        }
        // GST_TAG_IMAGE_TYPE_FRONT_COVER.
        return g_value_get_enum(kind) == 1
    }

    private static func bytes(of sample: OpaquePointer) -> Data? {
        guard let buffer = gst_sample_get_buffer(sample) else { return nil }
        var map = GstMapInfo()
        guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { return nil }
        defer { gst_buffer_unmap(buffer, &map) }
        guard map.size <= artworkLimit, let start = map.data else { return nil }
        return Data(bytes: start, count: Int(map.size))
    }
}

/// The loudness tags of a stream, converted to one reference level.
private struct LoudnessTags: Sendable {
    /// The reference level of ReplayGain in dB SPL; files may specify another one.
    private static let referenceLevel = 89.0
    /// R128 gains of Ogg Opus (RFC 7845, 5.2.1) refer to -23 LUFS, ReplayGain's to -18 LUFS.
    private static let r128Offset = 5.0

    private var found = ReplayGainTags()
    private var fileReference = Self.referenceLevel
    private var r128Track: Double?
    private var r128Album: Double?

    /// The loudness; `nil` without tags.
    var values: ReplayGainTags? {
        var values = found
        let shift = Self.referenceLevel - fileReference
        values.trackGain = found.trackGain.map { $0 + shift } ?? r128Track.map { $0 + Self.r128Offset }
        values.albumGain = found.albumGain.map { $0 + shift } ?? r128Album.map { $0 + Self.r128Offset }
        return values.isEmpty ? nil : values
    }

    /// Merges a list of tags; later lists win.
    mutating func merge(_ list: UnsafeMutablePointer<GstTagList>) {
        found.trackGain = Self.number(list, GST_TAG_TRACK_GAIN) ?? found.trackGain
        found.trackPeak = Self.number(list, GST_TAG_TRACK_PEAK) ?? found.trackPeak
        found.albumGain = Self.number(list, GST_TAG_ALBUM_GAIN) ?? found.albumGain
        found.albumPeak = Self.number(list, GST_TAG_ALBUM_PEAK) ?? found.albumPeak
        fileReference = Self.number(list, GST_TAG_REFERENCE_LEVEL) ?? fileReference
        for index in 0..<gst_tag_list_get_tag_size(list, GST_TAG_EXTENDED_COMMENT) {
            var value: UnsafeMutablePointer<CChar>?
            guard gst_tag_list_get_string_index(list, GST_TAG_EXTENDED_COMMENT, index, &value) != 0, let value else {
                continue
            }
            defer { g_free(value) }
            readR128(String(cString: value))
        }
    }

    /// Parses a comment such as "R128_TRACK_GAIN=-512", in 1/256 dB.
    private mutating func readR128(_ comment: String) {
        let parts = comment.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let value = Int(parts[1].filter { !$0.isWhitespace }),
            (-32_768...32_768).contains(value)
        else { return }
        switch parts[0].uppercased() {
        case "R128_TRACK_GAIN": r128Track = Double(value) / 256
        case "R128_ALBUM_GAIN": r128Album = Double(value) / 256
        default: break
        }
    }

    private static func number(_ list: UnsafeMutablePointer<GstTagList>, _ name: String) -> Double? {
        var value = 0.0
        return gst_tag_list_get_double(list, name, &value) != 0 && value.isFinite ? value : nil
    }
}
