internal import CGStreamer

/// Sets which element decodes a codec, independently of the installed packages.
///
/// playbin takes the decoder with the highest rank. Ranks depend on the installation: with gstreamer1.0-plugins-ugly,
/// AC-3 would get a decoder whose samples differ by 0.03. The choice also prefers decoders that load quickly: the first
/// MP3 through libav, which loads its libraries first, takes 100 ms more than through mpg123. For AAC, libav's decoder
/// removes delay and padding.
enum DecoderRanking {
    /// The decoder of every codec, by the caps of its streams.
    static let choices: [(format: String, element: String)] = [
        ("audio/mpeg, mpegversion=(int)1, layer=(int)3, parsed=(boolean)true", "mpg123audiodec"),
        ("audio/mpeg, mpegversion=(int)1, layer=(int)2, parsed=(boolean)true", "mpg123audiodec"),
        ("audio/mpeg, mpegversion=(int)4", "avdec_aac"),
        ("audio/x-flac", "flacdec"),
        ("audio/x-vorbis", "vorbisdec"),
        ("audio/x-opus", "opusdec"),
        ("audio/x-wavpack", "wavpackdec"),
        ("audio/x-speex", "speexdec"),
        ("audio/x-alaw", "alawdec"),
        ("audio/x-mulaw", "mulawdec"),
        ("audio/x-alac", "avdec_alac"),
        ("audio/x-tta", "avdec_tta"),
        ("audio/x-ac3", "avdec_ac3"),
        ("audio/x-eac3", "avdec_eac3"),
        ("audio/x-dts", "avdec_dca"),
        ("audio/x-true-hd", "avdec_truehd"),
        ("audio/x-wma, wmaversion=(int)1", "avdec_wmav1"),
        ("audio/x-wma, wmaversion=(int)2", "avdec_wmav2"),
        ("audio/x-wma, wmaversion=(int)3", "avdec_wmapro"),
        ("audio/x-wma, wmaversion=(int)4", "avdec_wmalossless"),
        ("audio/x-ffmpeg-parsed-ape", "avdec_ape"),
        ("audio/x-musepack", "musepackdec"),
        ("audio/AMR", "avdec_amrnb"),
        ("audio/AMR-WB", "avdec_amrwb"),
    ]

    /// Decoders that nothing is played with, because a damaged file ends the process: gmedec 1.22, for NSF, SPC, VGM and other sound of game
    /// consoles, reads the description of a track that has none.
    static let excluded = ["gmedec"]

    /// Above every rank that a package gives to an element.
    private static let highest = guint(1 << 16)
    /// playbin looks no further down than GST_RANK_MARGINAL.
    private static let lowest = guint(GST_RANK_NONE.rawValue)

    static func setRanks() {
        guard let registry = gst_registry_get() else { return }
        for (name, rank) in choices.map({ ($0.element, highest) }) + excluded.map({ ($0, lowest) }) {
            guard let feature = gst_registry_lookup_feature(registry, name) else { continue }
            gst_plugin_feature_set_rank(feature, rank)
            gst_object_unref(UnsafeMutableRawPointer(feature))
        }
    }

    /// The names of the installed decoders and demuxers of a format, highest rank first.
    ///
    /// - Parameters:
    ///   - format: Caps as text.
    ///   - minimum: Their minimum rank; playbin's by default.
    static func elements(for format: String, minimum: GstRank = GST_RANK_MARGINAL) -> [String] {
        guard let caps = gst_caps_from_string(format) else { return [] }
        defer { gst_caps_unref(caps) }
        let all = gst_element_factory_list_get_elements(decodersAndDemuxers, minimum)
        defer { gst_plugin_feature_list_free(all) }
        let fitting = gst_element_factory_list_filter(all, caps, GST_PAD_SINK, 0)
        defer { gst_plugin_feature_list_free(fitting) }
        var found: [(rank: guint, name: String)] = []
        var item = fitting
        while let node = item {
            if let feature = node.pointee.data,
                let name = gst_object_get_name(feature.assumingMemoryBound(to: GstObject.self))
            {
                found.append((gst_plugin_feature_get_rank(OpaquePointer(feature)), String(cString: name)))
                g_free(name)
            }
            item = node.pointee.next
        }
        return found.sorted { $0.rank > $1.rank }.map(\.name)
    }

    /// GST_ELEMENT_FACTORY_TYPE_DECODER and GST_ELEMENT_FACTORY_TYPE_DEMUXER, macros that Swift does not see.
    private static let decodersAndDemuxers = GstElementFactoryListType(1 << 0 | 1 << 5)
}
