internal import CGStreamer
internal import DescantCore

/// The loudness that the tags of a stream tell, brought to one reference level.
struct LoudnessTags: Sendable {
    /// The reference level of ReplayGain in dB SPL; files may name another one.
    private static let referenceLevel = 89.0
    /// R128 gains of Ogg Opus (RFC 7845, 5.2.1) lead to -23 LUFS, ReplayGain's to -18 LUFS.
    private static let r128Offset = 5.0

    private var found = ReplayGainTags()
    private var fileReference = Self.referenceLevel
    private var r128Track: Double?
    private var r128Album: Double?

    /// What is known; `nil` for nothing.
    var values: ReplayGainTags? {
        var values = found
        let shift = Self.referenceLevel - fileReference
        values.trackGain = found.trackGain.map { $0 + shift } ?? r128Track.map { $0 + Self.r128Offset }
        values.albumGain = found.albumGain.map { $0 + shift } ?? r128Album.map { $0 + Self.r128Offset }
        return values.isEmpty ? nil : values
    }

    /// Takes over what a list of tags says; later lists win.
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

    /// Reads a comment such as "R128_TRACK_GAIN=-512": 256ths of a decibel.
    private mutating func readR128(_ comment: String) {
        let parts = comment.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let value = Int(parts[1].filter { !$0.isWhitespace }), abs(value) <= 32_768 else {
            return
        }
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
