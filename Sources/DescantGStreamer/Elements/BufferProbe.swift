internal import CGStreamer

/// Sees every buffer that passes a pad, and may write to it.
final class BufferProbe: Sendable {
    private let process: @Sendable (UnsafeMutablePointer<GstBuffer>) -> Void

    private init(_ process: @escaping @Sendable (UnsafeMutablePointer<GstBuffer>) -> Void) { self.process = process }

    /// Calls a closure on the pad's streaming thread, for as long as the element lives.
    ///
    /// - Parameters:
    ///   - pad: The pad's name: "src" or "sink".
    ///   - element: The element that has it.
    static func attach(
        to pad: String, of element: GStreamerElement,
        _ process: @escaping @Sendable (UnsafeMutablePointer<GstBuffer>) -> Void
    ) {
        guard let pad = gst_element_get_static_pad(element.pointer, pad) else { return }
        gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_BUFFER, bufferProbeSees, Unmanaged.passRetained(BufferProbe(process)).toOpaque(),
            bufferProbeIsReleased)
        gst_object_unref(pad)
    }

    fileprivate func see(_ buffer: UnsafeMutablePointer<GstBuffer>) { process(buffer) }
}

extension UnsafeMutablePointer<GstBuffer> {
    /// Whether a mixer says that all samples are zero.
    var isGap: Bool { pointee.mini_object.flags & GST_BUFFER_FLAG_GAP.rawValue != 0 }

    /// Says that not all samples are zero.
    func clearGap() { pointee.mini_object.flags &= ~GST_BUFFER_FLAG_GAP.rawValue }

    /// Gives the samples of a buffer that may be written to; does nothing when there is no memory.
    func withSamples(_ body: (UnsafeMutablePointer<Float>, _ count: Int) -> Void) {
        var map = GstMapInfo()
        guard gst_buffer_map(self, &map, GstMapFlags(GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue)) != 0 else {
            return
        }
        defer { gst_buffer_unmap(self, &map) }
        body(
            UnsafeMutableRawPointer(map.data).assumingMemoryBound(to: Float.self),
            Int(map.size) / MemoryLayout<Float>.stride)
    }
}

// Global and nonisolated: a closure written in isolated code traps when a GStreamer thread calls it.

private func bufferProbeSees(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _ data: gpointer?
) -> GstPadProbeReturn {
    guard let info, let data, let given = info.pointee.data else { return GST_PAD_PROBE_OK }
    let object = given.assumingMemoryBound(to: GstMiniObject.self)
    // Costs nothing unless somebody else holds the buffer, which was just made.
    guard let writable = gst_mini_object_make_writable(object) else { return GST_PAD_PROBE_OK }
    let raw = UnsafeMutableRawPointer(writable)
    info.pointee.data = raw
    Unmanaged<BufferProbe>.fromOpaque(data).takeUnretainedValue().see(raw.assumingMemoryBound(to: GstBuffer.self))
    return GST_PAD_PROBE_OK
}

private func bufferProbeIsReleased(_ data: gpointer?) {
    if let data { Unmanaged<BufferProbe>.fromOpaque(data).release() }
}
