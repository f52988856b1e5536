internal import CGStreamer

/// Watches the shape of the raw sound that enters an element, on the streaming thread and before the first sample, and
/// completes it.
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

    /// - Returns: The event that goes on in its place; `nil` when that is the same one.
    fileprivate func receive(_ event: UnsafeMutablePointer<GstEvent>) -> UnsafeMutablePointer<GstEvent>? {
        var found: UnsafeMutablePointer<GstCaps>?
        gst_event_parse_caps(event, &found)
        guard let found else { return nil }
        let placed = Self.withPlaces(found)
        defer { if let placed { gst_caps_unref(placed) } }
        var info = GstAudioInfo()
        if gst_audio_info_from_caps(&info, placed ?? found) != 0 { handler(info) }
        return placed.flatMap { gst_event_new_caps($0) }
    }

    /// Gives channels the usual places where a file names none: audioconvert (1.22) refuses them without.
    private static func withPlaces(_ caps: UnsafeMutablePointer<GstCaps>) -> UnsafeMutablePointer<GstCaps>? {
        var channels: gint = 0
        guard let structure = gst_caps_get_structure(caps, 0), gst_structure_has_field(structure, "channel-mask") == 0,
            gst_structure_get_int(structure, "channels", &channels) != 0, channels > 2,
            let text = gst_caps_to_string(caps)
        else { return nil }
        defer { g_free(text) }
        let mask = channels <= 8 ? RawAudioCaps.mask(channels: Int(channels)) : 0
        return gst_caps_from_string(String(cString: text) + ", channel-mask=(bitmask)0x" + String(mask, radix: 16))
    }
}

// Global and nonisolated: a closure written in isolated code traps when a GStreamer thread calls it.

private func capsProbeSeesEvent(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _ data: gpointer?
) -> GstPadProbeReturn {
    guard let info, let data, let event = gst_pad_probe_info_get_event(info) else { return GST_PAD_PROBE_OK }
    if event.pointee.type == GST_EVENT_CAPS {
        if let other = Unmanaged<CapsProbe>.fromOpaque(data).takeUnretainedValue().receive(event) {
            gst_event_unref(event)
            info.pointee.data = UnsafeMutableRawPointer(other)
        }
    }
    return GST_PAD_PROBE_OK
}

private func capsProbeReleased(_ data: gpointer?) {
    if let data { Unmanaged<CapsProbe>.fromOpaque(data).release() }
}

extension GstAudioInfo {
    /// The loudspeaker of every channel.
    var speakers: [GstAudioChannelPosition] {
        withUnsafeBytes(of: position) { Array($0.bindMemory(to: GstAudioChannelPosition.self).prefix(Int(channels))) }
    }
}
