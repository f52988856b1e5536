internal import CGStreamer
internal import Foundation

/// A decoder, demuxer or source that playbin needed and did not find.
struct MissingCodec: Sendable, Equatable {
    /// The display name: "MPEG-4 AAC decoder".
    let description: String
    /// The caps or scheme: "audio/mpeg, mpegversion=(int)4".
    let format: String

    init(description: String, format: String) {
        self.description = description
        self.format = format
    }

    /// Parses a missing-plugin message; `nil` for other element messages.
    init?(parsing message: UnsafeMutablePointer<GstMessage>) {
        guard gst_is_missing_plugin_message(message) != 0 else { return nil }
        let words = gst_missing_plugin_message_get_description(message)
        let detail = gst_missing_plugin_message_get_installer_detail(message)
        defer {
            g_free(words)
            g_free(detail)
        }
        description = words.map { String(cString: $0) } ?? "decoder"
        // gstreamer|1.0|program|description|decoder-audio/mpeg, mpegversion=(int)4
        let last = detail.map { String(cString: $0) }?.split(separator: "|").last.map(String.init) ?? ""
        format = last.split(separator: "-", maxSplits: 1).last.map(String.init) ?? last
    }

    /// Whether the codec is one of sound or a container, rather than of pictures and texts, which are not decoded.
    var concernsSound: Bool {
        if Self.others.contains(where: format.hasPrefix) { return false }
        // Playlists, documents and archives; the containers of sound are listed.
        if format.hasPrefix("application/") {
            return (Self.unpackaged + Self.packages.map(\.prefix)).contains(where: format.hasPrefix)
        }
        return !format.hasPrefix("video/") || Self.containers.contains { format.hasPrefix($0) }
    }

    private static let others = [
        "image/", "text/", "subpicture/", "closedcaption/", "meta/",
    ]

    /// Whether a decoder or demuxer of the format is installed; the stream is then unusual or damaged.
    var isInstalled: Bool { !DecoderRanking.elements(for: kind).isEmpty }

    /// The decoder that is installed for the format and not used; `nil` for other formats.
    var excluded: String? {
        DecoderRanking.elements(for: kind, minimum: GST_RANK_NONE).first(where: DecoderRanking.excluded.contains)
    }

    /// The format's name with the fields that identify a codec, without those of a single stream.
    private var kind: String {
        let fields = format.components(separatedBy: ", ")
        let marks = ["mpegversion=", "layer=", "wmaversion=", "streamversion="]
        let kept = fields.dropFirst().filter { field in marks.contains { field.hasPrefix($0) } }
        return (fields.prefix(1) + kept).joined(separator: ", ")
    }

    /// Formats with a video name that may hold sound only.
    private static let containers = [
        "video/x-ms-asf", "video/mpegts", "video/x-flv", "video/quicktime", "video/x-msvideo", "video/x-matroska",
        "video/webm", "video/ogg",
    ]

    /// The Debian package with the missing element; `nil` when there is none.
    var package: String? {
        if Self.unpackaged.contains(where: format.hasPrefix) { return nil }
        for (prefix, package) in Self.packages where format.hasPrefix(prefix) { return package }
        // Most other codecs are in libav; when it is installed, the codec is not in it.
        let hasLibav = (try? GStreamerInventory.hasElement("avdec_aac")) ?? false
        return hasLibav ? nil : "gstreamer1.0-libav"
    }

    /// Formats without a demuxer in Debian's GStreamer.
    private static let unpackaged = ["audio/x-caf", "application/x-caf"]

    // The first match counts.
    private static let packages: [(prefix: String, package: String)] = [
        ("audio/mpeg, mpegversion=(int)4", "gstreamer1.0-libav"),
        ("audio/mpeg, mpegversion=(int)2", "gstreamer1.0-libav"),
        ("audio/mpeg, mpegversion=(int)1", "gstreamer1.0-plugins-good"),
        ("audio/x-alac", "gstreamer1.0-libav"),
        ("audio/x-wma", "gstreamer1.0-libav"),
        ("audio/x-ac3", "gstreamer1.0-libav"),
        ("audio/x-eac3", "gstreamer1.0-libav"),
        ("audio/x-dts", "gstreamer1.0-libav"),
        ("audio/x-ape", "gstreamer1.0-libav"),
        ("application/x-ape", "gstreamer1.0-libav"),
        ("audio/x-tta", "gstreamer1.0-libav"),
        ("audio/x-musepack", "gstreamer1.0-plugins-bad"),
        ("audio/x-mod", "gstreamer1.0-plugins-bad"),
        ("audio/midi", "gstreamer1.0-plugins-bad"),
        ("audio/x-sbc", "gstreamer1.0-plugins-bad"),
        ("audio/x-siren", "gstreamer1.0-plugins-bad"),
        ("application/x-hls", "gstreamer1.0-plugins-bad"),
        ("application/dash+xml", "gstreamer1.0-plugins-bad"),
        ("audio/x-sid", "gstreamer1.0-plugins-ugly"),
        ("audio/AMR", "gstreamer1.0-plugins-ugly"),
        ("video/x-ms-asf", "gstreamer1.0-plugins-ugly"),
        ("video/mpegts", "gstreamer1.0-plugins-bad"),
        ("video/", "gstreamer1.0-plugins-good"),
        ("application/vnd.rn-realmedia", "gstreamer1.0-plugins-ugly"),
        ("audio/x-flac", "gstreamer1.0-plugins-good"),
        ("audio/x-wavpack", "gstreamer1.0-plugins-good"),
        ("audio/x-speex", "gstreamer1.0-plugins-good"),
        ("audio/x-vorbis", "gstreamer1.0-plugins-base"),
        ("audio/x-opus", "gstreamer1.0-plugins-base"),
        ("http", "gstreamer1.0-plugins-good"),
        ("https", "gstreamer1.0-plugins-good"),
    ]
}
