internal import CGStreamer

/// Watches the shape of the raw sound that enters an element, on the streaming thread and before the first sample.
final class CapsProbe: Sendable {
    typealias Handler = @Sendable (GstAudioInfo) -> Void

    private let handler: Handler

    private init(_ handler: @escaping Handler) { self.handler = handler }

    static func install(on element: GStreamerElement, _ handler: @escaping Handler) {
        guard let pad = gst_element_get_static_pad(element.pointer, "sink") else { return }
        let probe = Unmanaged.passRetained(CapsProbe(handler)).toOpaque()
        gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, capsProbeSeesEvent, probe, capsProbeReleased)
        gst_object_unref(pad)
    }

    fileprivate func receive(_ event: UnsafeMutablePointer<GstEvent>) {
        var caps: UnsafeMutablePointer<GstCaps>?
        gst_event_parse_caps(event, &caps)
        var info = GstAudioInfo()
        if let caps, gst_audio_info_from_caps(&info, caps) != 0 { handler(info) }
    }
}

// Global and nonisolated: a closure written in isolated code traps when a GStreamer thread calls it.

private func capsProbeSeesEvent(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _ data: gpointer?
) -> GstPadProbeReturn {
    guard let info, let data, let event = gst_pad_probe_info_get_event(info) else { return GST_PAD_PROBE_OK }
    if event.pointee.type == GST_EVENT_CAPS {
        Unmanaged<CapsProbe>.fromOpaque(data).takeUnretainedValue().receive(event)
    }
    return GST_PAD_PROBE_OK
}

private func capsProbeReleased(_ data: gpointer?) {
    if let data { Unmanaged<CapsProbe>.fromOpaque(data).release() }
}
