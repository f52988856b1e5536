internal import CGStreamer
internal import DescantCore

/// Some frames of every layer that was rendered for them.
struct RenderedSpan: Sendable {
    struct Layer: Sendable {
        var id: LayerID
        /// `nil` when all samples are zero.
        var buffer: RenderedBuffer?
    }

    /// The first frame on the output's timeline.
    var frame: Int64
    var frames: Int
    var layers: [Layer]
    /// Whether nothing sounds before the next command.
    var isQuiet = false

    var end: Int64 { frame + Int64(frames) }

    /// The part from a frame inside the span on.
    func dropping(before start: Int64, frameBytes: Int) -> RenderedSpan {
        guard start > frame else { return self }
        let skipped = Int(start - frame)
        let rest = layers.map { layer in
            Layer(
                id: layer.id,
                buffer: layer.buffer?.excerpt(offset: skipped * frameBytes, size: (frames - skipped) * frameBytes))
        }
        return RenderedSpan(frame: start, frames: frames - skipped, layers: rest)
    }
}

/// What was rendered and has not been heard yet: when a device goes away, it is played again on the next one.
///
/// Spans follow each other without gaps. Keeping one costs a reference a layer.
struct RenderedHistory: Sendable {
    private var spans: [RenderedSpan] = []
    private var first = 0

    /// Adds what was just rendered.
    mutating func append(_ span: RenderedSpan) { spans.append(span) }

    /// Drops what lies entirely before a frame.
    mutating func trim(heard frame: Int64) {
        while first < spans.count, spans[first].end <= frame { first += 1 }
        // Moving the rest forward once in a while costs less than on every trim.
        if first == spans.count || first > 64 {
            spans.removeFirst(first)
            first = 0
        }
    }

    /// What is left from a frame on.
    func spans(from frame: Int64, frameBytes: Int) -> [RenderedSpan] {
        spans[first...].filter { $0.end > frame }.map { $0.dropping(before: frame, frameBytes: frameBytes) }
    }
}

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
