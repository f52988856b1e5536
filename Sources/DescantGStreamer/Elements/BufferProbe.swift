internal import CGStreamer

/// A pad probe that may write to every buffer.
final class BufferProbe: Sendable {
    private let process: @Sendable (UnsafeMutablePointer<GstBuffer>) -> Void

    private init(_ process: @escaping @Sendable (UnsafeMutablePointer<GstBuffer>) -> Void) { self.process = process }

    /// Calls a closure for every buffer on the pad's streaming thread, as long as the element lives.
    ///
    /// - Parameters:
    ///   - pad: The pad's name: "src" or "sink".
    ///   - element: The element of the pad.
    static func attach(
        to pad: String, of element: GStreamerElement,
        _ process: @escaping @Sendable (UnsafeMutablePointer<GstBuffer>) -> Void
    ) {
        guard let pad = gst_element_get_static_pad(element.pointer, pad) else { return }
        gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_BUFFER, bufferProbeSees, Unmanaged.passRetained(BufferProbe(process)).toOpaque(),
            releaseObject)
        gst_object_unref(pad)
    }

    fileprivate func see(_ buffer: UnsafeMutablePointer<GstBuffer>) { process(buffer) }
}

extension UnsafeMutablePointer<GstBuffer> {
    /// Whether the gap flag says that all samples are 0.
    var isGap: Bool { pointee.mini_object.flags & GST_BUFFER_FLAG_GAP.rawValue != 0 }

    /// Clears the gap flag.
    func clearGap() { pointee.mini_object.flags &= ~GST_BUFFER_FLAG_GAP.rawValue }

    /// Passes the samples of a writable buffer to a closure; does nothing when the buffer cannot be mapped.
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
    // Copies the buffer only if it is shared, and it was just made.
    guard let writable = gst_mini_object_make_writable(object) else { return GST_PAD_PROBE_OK }
    let raw = UnsafeMutableRawPointer(writable)
    info.pointee.data = raw
    Unmanaged<BufferProbe>.fromOpaque(data).takeUnretainedValue().see(raw.assumingMemoryBound(to: GstBuffer.self))
    return GST_PAD_PROBE_OK
}
