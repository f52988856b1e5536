internal import CGStreamer

/// Holds back the buffers before an element, on the streaming thread and without a lock of the element.
struct PadBarrier {
    private let element: GStreamerElement
    private let probe: gulong

    /// Begins to hold buffers back.
    ///
    /// - Parameter element: An element with a pad named "sink".
    init(_ element: GStreamerElement) {
        self.element = element
        let kinds = GST_PAD_PROBE_TYPE_BLOCK.rawValue | GST_PAD_PROBE_TYPE_BUFFER.rawValue
        let type = GstPadProbeType(rawValue: kinds)
        probe = Self.withPad(of: element) { gst_pad_add_probe($0, type, nil, nil, nil) } ?? 0
    }

    /// Lets the buffers pass.
    func lift() {
        guard probe != 0 else { return }
        Self.withPad(of: element) { gst_pad_remove_probe($0, probe) }
    }

    @discardableResult
    private static func withPad<Result>(
        of element: GStreamerElement, _ body: (UnsafeMutablePointer<GstPad>) -> Result
    ) -> Result? {
        guard let pad = gst_element_get_static_pad(element.pointer, "sink") else { return nil }
        defer { gst_object_unref(pad) }
        return body(pad)
    }
}
