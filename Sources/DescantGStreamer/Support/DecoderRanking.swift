internal import CGStreamer

/// Puts decoders that load quickly before those that load slowly, and libav's AAC decoder before others, because delay and
/// padding are cut off by what that one puts out.
///
/// The first MP3 through the libav plugin costs 100 ms more than through mpg123, because libav loads its libraries
/// first. playbin takes the decoder with the greatest rank.
enum DecoderRanking {
    private static let preferred = [
        "mpg123audiodec", "flacdec", "vorbisdec", "opusdec", "wavpackdec", "avdec_aac",
    ]

    static func setRanks() {
        guard let registry = gst_registry_get() else { return }
        let aboveEverything = guint(GST_RANK_PRIMARY.rawValue) + 64
        for name in preferred {
            guard let feature = gst_registry_lookup_feature(registry, name) else { continue }
            gst_plugin_feature_set_rank(feature, aboveEverything)
            gst_object_unref(UnsafeMutableRawPointer(feature))
        }
    }
}
