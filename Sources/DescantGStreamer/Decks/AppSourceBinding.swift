internal import CGStreamer
internal import CGStreamerShim

/// Connects the appsrc of an "appsrc://" playbin with a byte stream.
enum AppSourceBinding {
    /// The bytes of a request without a size.
    fileprivate static let defaultRequest = 65_536

    /// Configures the source; called before it runs.
    static func bind(_ source: UnsafeMutablePointer<GstElement>, to stream: any ByteStream) {
        let appSource = UnsafeMutableRawPointer(source).assumingMemoryBound(to: GstAppSrc.self)
        gst_app_src_set_size(appSource, gint64(stream.size ?? -1))
        // With random access, parsers find lengths and positions exactly; it needs a known size.
        let canPull = stream.isSeekable && stream.size != nil
        gst_app_src_set_stream_type(
            appSource, canPull ? GST_APP_STREAM_TYPE_RANDOM_ACCESS : GST_APP_STREAM_TYPE_STREAM)
        let object = UnsafeMutableRawPointer(source).assumingMemoryBound(to: GObject.self)
        gst_util_set_object_arg(object, "blocksize", String(defaultRequest))
        var callbacks = GstAppSrcCallbacks()
        callbacks.need_data = appSourceNeedsData
        callbacks.seek_data = appSourceSeeks
        let box = Unmanaged.passRetained(StreamBox(stream)).toOpaque()
        gst_app_src_set_callbacks(appSource, &callbacks, box, releaseObject)
    }
}

/// A byte stream as an object that C can hold.
private final class StreamBox: Sendable {
    let stream: any ByteStream
    init(_ stream: any ByteStream) { self.stream = stream }
}

// Global and nonisolated: a closure written in isolated code traps when a GStreamer thread calls it.

private func appSourceNeedsData(_ source: UnsafeMutablePointer<GstAppSrc>?, _ length: guint, _ data: gpointer?) {
    guard let source, let data else { return }
    let stream = Unmanaged<StreamBox>.fromOpaque(data).takeUnretainedValue().stream
    let count = length == 0 || length == .max ? AppSourceBinding.defaultRequest : Int(length)
    let bytes = stream.next(count)
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
    Unmanaged<StreamBox>.fromOpaque(data).takeUnretainedValue().stream.move(to: Int64(clamping: offset))
    return 1
}
