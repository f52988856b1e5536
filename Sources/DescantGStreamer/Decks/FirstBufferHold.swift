internal import CGStreamer
internal import Glibc

/// Holds the first buffer of an element until decodebin has exposed the element's pad.
///
/// decodebin of GStreamer 1.22 starts an element that reads by itself, and whose pad needs no decoder, before it exposes the pad: AIFF's
/// parser. A buffer that is pushed in between ends the parser with the error "not-linked", which decodebin drops.
enum FirstBufferHold {
    /// The longest hold, in milliseconds: what is not exposed by then goes on and ends with the error. The pad is usually exposed within
    /// microseconds, as soon as the thread that connects it runs, so it is looked at once a millisecond.
    fileprivate static let limit = 1_000

    /// Holds the first buffer of an element's source pad.
    static func install(on element: GStreamerElement) {
        guard let pad = gst_element_get_static_pad(element.pointer, "src") else { return }
        // Of the kind that blocks: decodebin puts its own one on the same pad, and what passes this one meets that one next.
        let kind = GstPadProbeType(rawValue: GST_PAD_PROBE_TYPE_BLOCK.rawValue | GST_PAD_PROBE_TYPE_BUFFER.rawValue)
        gst_pad_add_probe(pad, kind, firstBufferArrived, nil, nil)
        gst_object_unref(pad)
    }
}

// Global and nonisolated: a closure written in isolated code traps when a GStreamer thread calls it.

private func firstBufferArrived(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _ data: gpointer?
) -> GstPadProbeReturn {
    // Before it is exposed, decodebin's pad is the peer's other side.
    guard let pad, let peer = gst_pad_get_peer(pad) else { return GST_PAD_PROBE_REMOVE }
    defer { gst_object_unref(peer) }
    let instance = UnsafeMutableRawPointer(peer)
    let type = instance.assumingMemoryBound(to: GTypeInstance.self)
    guard g_type_check_instance_is_a(type, gst_proxy_pad_get_type()) != 0,
        let exposed = gst_proxy_pad_get_internal(instance.assumingMemoryBound(to: GstProxyPad.self))
    else { return GST_PAD_PROBE_REMOVE }
    defer { gst_object_unref(exposed) }
    let outer = UnsafeMutableRawPointer(exposed).assumingMemoryBound(to: GstPad.self)
    var waited = 0
    while gst_pad_is_linked(outer) == 0, pad.pointee.object.flags & GST_PAD_FLAG_FLUSHING.rawValue == 0,
        waited < FirstBufferHold.limit
    {
        usleep(1_000)
        waited += 1
    }
    return GST_PAD_PROBE_REMOVE
}
