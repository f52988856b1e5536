internal import CGStreamer
internal import CGStreamerShim

/// Connects an appsrc that playbin made for "appsrc://" with a feed.
enum AppSourceBinding {
    /// Bytes of a request when the pipeline does not say how many it wants.
    fileprivate static let defaultRequest = 65_536

    /// Prepares the source; called before it runs.
    static func bind(_ source: UnsafeMutablePointer<GstElement>, to feed: any ByteStream) {
        let appSource = UnsafeMutableRawPointer(source).assumingMemoryBound(to: GstAppSrc.self)
        gst_app_src_set_size(appSource, gint64(feed.size ?? -1))
        // Pulling at will makes parsers find lengths and places exactly; it needs a known size.
        let canPull = feed.isSeekable && feed.size != nil
        gst_app_src_set_stream_type(
            appSource, canPull ? GST_APP_STREAM_TYPE_RANDOM_ACCESS : GST_APP_STREAM_TYPE_STREAM)
        let object = UnsafeMutableRawPointer(source).assumingMemoryBound(to: GObject.self)
        gst_util_set_object_arg(object, "blocksize", String(defaultRequest))
        var callbacks = GstAppSrcCallbacks()
        callbacks.need_data = appSourceNeedsData
        callbacks.seek_data = appSourceSeeks
        let box = Unmanaged.passRetained(FeedBox(feed)).toOpaque()
        gst_app_src_set_callbacks(appSource, &callbacks, box, appSourceReleased)
    }
}

/// A feed as an object that C can hold.
private final class FeedBox: Sendable {
    let feed: any ByteStream
    init(_ feed: any ByteStream) { self.feed = feed }
}

// Global and nonisolated: a closure written in isolated code traps when a GStreamer thread calls it.

private func appSourceNeedsData(_ source: UnsafeMutablePointer<GstAppSrc>?, _ length: guint, _ data: gpointer?) {
    guard let source, let data else { return }
    let feed = Unmanaged<FeedBox>.fromOpaque(data).takeUnretainedValue().feed
    let wanted = length == 0 || length == .max ? AppSourceBinding.defaultRequest : Int(length)
    let bytes = feed.next(wanted)
    guard !bytes.isEmpty, let buffer = gst_buffer_new_allocate(nil, gsize(bytes.count), nil) else {
        gst_app_src_end_of_stream(source)
        return
    }
    gst_buffer_fill(buffer, 0, bytes, gsize(bytes.count))
    gst_app_src_push_buffer(source, buffer)
}

private func appSourceSeeks(
    _ source: UnsafeMutablePointer<GstAppSrc>?, _ offset: guint64, _ data: gpointer?
) -> gboolean {
    guard let data else { return 0 }
    Unmanaged<FeedBox>.fromOpaque(data).takeUnretainedValue().feed.move(to: Int64(clamping: offset))
    return 1
}

private func appSourceReleased(_ data: gpointer?) {
    if let data { Unmanaged<FeedBox>.fromOpaque(data).release() }
}
