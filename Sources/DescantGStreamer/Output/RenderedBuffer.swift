internal import CGStreamer

/// One layer's rendered frames in a GStreamer buffer, kept alive by this object.
final class RenderedBuffer: @unchecked Sendable {
    // Safe to share: the pointer never changes, the reference it holds lasts as long as this object, and nobody writes
    // to the samples once the object exists.
    let pointer: UnsafeMutablePointer<GstBuffer>

    /// Takes over a reference.
    init(taking buffer: UnsafeMutablePointer<GstBuffer>) { pointer = buffer }

    deinit { gst_buffer_unref(pointer) }

    /// A buffer of its own that shares the samples, for another place on a timeline.
    ///
    /// - Parameters:
    ///   - offset: The first byte to share.
    ///   - size: How many bytes.
    func excerpt(offset: Int, size: Int) -> RenderedBuffer? {
        let flags = GstBufferCopyFlags(GST_BUFFER_COPY_MEMORY.rawValue)
        guard let copy = gst_buffer_copy_region(pointer, flags, gsize(offset), gsize(size)) else { return nil }
        return RenderedBuffer(taking: copy)
    }

    /// A buffer of zeros.
    static func silence(bytes: Int) -> RenderedBuffer? {
        guard let buffer = gst_buffer_new_allocate(nil, gsize(bytes), nil) else { return nil }
        gst_buffer_memset(buffer, 0, 0, gsize(bytes))
        return RenderedBuffer(taking: buffer)
    }
}
