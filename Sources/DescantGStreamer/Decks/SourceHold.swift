internal import CGStreamer
internal import Glibc

/// Holds back a network source until the first sample, so that what it reads is decoded before it meets the end of a
/// connection that breaks off early: its error stops a pipeline that is still starting.
enum SourceHold {
    /// The longest hold of one buffer, in milliseconds. The first sample may need many of them, of 4 KB or more.
    fileprivate static let limit = 20
    /// The bytes that playbin reads ahead behind a source that is held; its default limit is 2 MB.
    static let readAhead = 64 << 10

    /// Holds the buffers of a source until a monitor has seen a sample.
    static func install(on source: UnsafeMutablePointer<GstElement>, until monitor: PlaybinMonitor) {
        guard let pad = gst_element_get_static_pad(source, "src") else { return }
        gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_BUFFER, bufferArrived, Unmanaged.passRetained(monitor).toOpaque(), releaseObject)
        gst_object_unref(pad)
    }
}

// Global and nonisolated: a closure written in isolated code traps when a GStreamer thread calls it.

private func bufferArrived(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _ data: gpointer?
) -> GstPadProbeReturn {
    guard let pad, let data else { return GST_PAD_PROBE_REMOVE }
    let monitor = Unmanaged<PlaybinMonitor>.fromOpaque(data).takeUnretainedValue()
    for _ in 0..<SourceHold.limit {
        if monitor.hasSample { return GST_PAD_PROBE_REMOVE }
        // A demuxer moves the source before the first sample, too; what it reads there is held as well.
        if pad.pointee.object.flags & GST_PAD_FLAG_FLUSHING.rawValue != 0 { return GST_PAD_PROBE_OK }
        usleep(1_000)
    }
    return GST_PAD_PROBE_OK
}
