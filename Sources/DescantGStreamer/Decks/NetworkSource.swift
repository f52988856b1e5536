internal import CGStreamer
internal import CGStreamerShim

/// Settings of sources that read from a network.
enum NetworkSource {
    /// Seconds without an answer after which a server counts as hanging. GStreamer's own default is 15.
    private static let timeLimit = 5

    /// Prepares the source that playbin made; called before it runs.
    static func configure(_ source: UnsafeMutablePointer<GstElement>) {
        guard descant_gst_has_property(source, "timeout") != 0 else { return }
        let object = UnsafeMutableRawPointer(source).assumingMemoryBound(to: GObject.self)
        gst_util_set_object_arg(object, "timeout", String(timeLimit))
    }
}
