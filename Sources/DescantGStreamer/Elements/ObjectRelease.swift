internal import CGStreamer

/// Releases an object that C held through a pointer of `Unmanaged.passRetained(_:)`.
///
/// For every callback by which GLib and GStreamer say that they no longer need such a pointer. Global and nonisolated: a closure
/// written in isolated code traps when a GStreamer thread calls it.
func releaseObject(_ data: gpointer?) {
    if let data { Unmanaged<AnyObject>.fromOpaque(data).release() }
}
