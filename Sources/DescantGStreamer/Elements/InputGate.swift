internal import CGStreamer

/// Decides which buffers and events reach an element. What may not pass is dropped.
protocol InputGate: AnyObject, Sendable {
    /// Called for every buffer, on a streaming thread.
    func mayPass(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool
    /// Called for every event that goes downstream, on a streaming thread.
    func mayPass(_ event: UnsafeMutablePointer<GstEvent>) -> Bool
}

extension InputGate {
    /// Stands before an element's pad "sink" as long as the element lives; does nothing without such a pad.
    func attach(to element: UnsafeMutablePointer<GstElement>) {
        guard let pad = gst_element_get_static_pad(element, "sink") else { return }
        let kinds = GST_PAD_PROBE_TYPE_BUFFER.rawValue | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue
        let data = Unmanaged.passRetained(AttachedGate(self)).toOpaque()
        gst_pad_add_probe(pad, GstPadProbeType(rawValue: kinds), inputPasses, data, releaseObject)
        gst_object_unref(pad)
    }
}

/// Holds the gate of a probe: C takes a pointer to a class, not to a protocol.
private final class AttachedGate {
    let gate: any InputGate
    init(_ gate: any InputGate) { self.gate = gate }
}

// Global and nonisolated: a closure written in isolated code traps when a GStreamer thread calls it.

private func inputPasses(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _ data: gpointer?
) -> GstPadProbeReturn {
    guard let info, let data else { return GST_PAD_PROBE_OK }
    let gate = Unmanaged<AttachedGate>.fromOpaque(data).takeUnretainedValue().gate
    let isBuffer = info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0
    let mayPass =
        isBuffer
        ? gst_pad_probe_info_get_buffer(info).map(gate.mayPass) : gst_pad_probe_info_get_event(info).map(gate.mayPass)
    return mayPass ?? true ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP
}
