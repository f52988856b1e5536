internal import CGStreamer
internal import Synchronization

/// Limits the queue of an appsink by time: the blocks of some formats are ten times as long as those of others.
///
/// appsink 1.22 can only count buffers, so the limit is computed from the longest buffer so far.
final class SinkQueue: Sendable {
    /// The maximum of queued sound, in seconds.
    private static let seconds = 0.75
    /// The range of the limit. The minimum keeps a reserve of short blocks after one long block.
    private static let buffers = 4.0...256.0

    private struct State {
        var bytesPerSecond = 0.0
        var longest = 0.0
    }

    private let state = Mutex(State())

    private init() {}

    static func install(on sink: GStreamerElement) {
        sink.set("max-buffers", Int(buffers.lowerBound))
        guard let pad = gst_element_get_static_pad(sink.pointer, "sink") else { return }
        let types = GstPadProbeType(
            rawValue: GST_PAD_PROBE_TYPE_BUFFER.rawValue | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue)
        gst_pad_add_probe(pad, types, sinkQueueSees, Unmanaged.passRetained(SinkQueue()).toOpaque(), releaseObject)
        gst_object_unref(pad)
    }

    /// - Returns: The new limit; `nil` when it stays the same.
    private func limit(after buffer: UnsafeMutablePointer<GstBuffer>) -> UInt32? {
        let size = Double(gst_buffer_get_size(buffer))
        return state.withLock { state in
            guard state.bytesPerSecond > 0, size > 0, size > state.longest else { return nil }
            state.longest = size
            let count = (Self.seconds * state.bytesPerSecond / size).rounded(.down)
            return UInt32(min(max(count, Self.buffers.lowerBound), Self.buffers.upperBound))
        }
    }

    /// Resets the longest buffer for a new format.
    private func shapeChanged(_ event: UnsafeMutablePointer<GstEvent>) {
        var caps: UnsafeMutablePointer<GstCaps>?
        gst_event_parse_caps(event, &caps)
        var info = GstAudioInfo()
        guard let caps, gst_audio_info_from_caps(&info, caps) != 0 else { return }
        state.withLock { $0 = State(bytesPerSecond: Double(info.rate) * Double(info.bpf)) }
    }

    fileprivate func receive(_ info: UnsafeMutablePointer<GstPadProbeInfo>, at pad: UnsafeMutablePointer<GstPad>) {
        if info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 {
            guard let buffer = gst_pad_probe_info_get_buffer(info), let limit = limit(after: buffer),
                let sink = gst_pad_get_parent_element(pad)
            else { return }
            gst_app_sink_set_max_buffers(
                UnsafeMutableRawPointer(sink).assumingMemoryBound(to: GstAppSink.self), limit)
            gst_object_unref(sink)
        } else if let event = gst_pad_probe_info_get_event(info), event.pointee.type == GST_EVENT_CAPS {
            shapeChanged(event)
        }
    }
}

// Global and nonisolated: a closure written in isolated code traps when a GStreamer thread calls it.

private func sinkQueueSees(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _ data: gpointer?
) -> GstPadProbeReturn {
    if let pad, let info, let data {
        Unmanaged<SinkQueue>.fromOpaque(data).takeUnretainedValue().receive(info, at: pad)
    }
    return GST_PAD_PROBE_OK
}
