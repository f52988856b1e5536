internal import CGStreamer
internal import DescantCore
internal import Synchronization

/// Holds back a network source until the first sample, so that what it reads is decoded before it meets the end of a
/// connection that breaks off early: its error stops a pipeline that is still starting.
enum SourceHold {
    /// The longest hold of one of the first buffers, in seconds: most sound begins with them, and a busy machine is slow.
    fileprivate static let limit = 0.1
    /// The number of first buffers, of 4 KB or more.
    fileprivate static let firstBuffers = 32
    /// The longest hold of a later buffer, in seconds. With a large picture the first sample needs hundreds of them.
    fileprivate static let laterLimit = 0.02
    /// The bytes that playbin reads ahead behind a source that is held; its default limit is 2 MB.
    static let readAhead = 64 << 10

    /// Holds the buffers of a source until a monitor has seen a sample.
    static func install(on source: UnsafeMutablePointer<GstElement>, until monitor: PlaybinMonitor) {
        guard let pad = gst_element_get_static_pad(source, "src") else { return }
        gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_BUFFER, bufferArrived, Unmanaged.passRetained(HeldSource(monitor)).toOpaque(),
            releaseObject)
        gst_object_unref(pad)
    }
}

/// The state of a probe that holds a source.
private final class HeldSource: Sendable {
    let monitor: PlaybinMonitor
    /// The buffers that have arrived.
    let count = Atomic(0)

    init(_ monitor: PlaybinMonitor) { self.monitor = monitor }
}

// Global and nonisolated: a closure written in isolated code traps when a GStreamer thread calls it.

private func bufferArrived(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _ data: gpointer?
) -> GstPadProbeReturn {
    guard let data else { return GST_PAD_PROBE_REMOVE }
    let held = Unmanaged<HeldSource>.fromOpaque(data).takeUnretainedValue()
    let monitor = held.monitor
    let isFirst = held.count.add(1, ordering: .relaxed).oldValue < SourceHold.firstBuffers
    let deadline = EventCount.deadline(in: isFirst ? SourceHold.limit : SourceHold.laterLimit)
    while true {
        let raises = monitor.readiness.raises
        if monitor.hasSample { return GST_PAD_PROBE_REMOVE }
        // A demuxer moves the source before the first sample, too: what it reads there is held as well.
        if !monitor.readiness.wait(after: raises, deadline: deadline) { return GST_PAD_PROBE_OK }
    }
}
