internal import CGStreamer
internal import DescantCore

/// A rendered block: the frames of every active layer.
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

    /// The part of the span from a frame on.
    func dropping(before start: Int64, frameBytes: Int) -> RenderedSpan {
        guard start > frame else { return self }
        let skipped = Int(start - frame)
        let remaining = layers.map { layer in
            Layer(
                id: layer.id,
                buffer: layer.buffer?.excerpt(offset: skipped * frameBytes, size: (frames - skipped) * frameBytes))
        }
        return RenderedSpan(frame: start, frames: frames - skipped, layers: remaining)
    }
}

extension RenderedSpan {
    /// The part of the span before a frame.
    func prefix(until end: Int64, frameBytes: Int) -> RenderedSpan {
        let frames = Int(end - frame)
        let layers = layers.map { layer in
            Layer(id: layer.id, buffer: layer.buffer?.excerpt(offset: 0, size: frames * frameBytes))
        }
        return RenderedSpan(frame: frame, frames: frames, layers: layers)
    }
}

/// The rendered spans that were not heard yet. When a device goes away, they are played again on the next one.
///
/// Spans follow each other without gaps. A span costs one reference per layer.
struct RenderedHistory: Sendable {
    private var spans: [RenderedSpan] = []
    private var first = 0

    /// Appends a rendered span.
    mutating func append(_ span: RenderedSpan) { spans.append(span) }

    /// Drops the frames from a frame on, which are rendered again.
    mutating func truncate(from frame: Int64, frameBytes: Int) {
        while let last = spans.last, spans.count > first, last.frame >= frame { spans.removeLast() }
        guard spans.count > first, let last = spans.last, last.end > frame else { return }
        spans[spans.count - 1] = last.prefix(until: frame, frameBytes: frameBytes)
    }

    /// Drops spans that end before a frame.
    mutating func trim(heard frame: Int64) {
        while first < spans.count, spans[first].end <= frame { first += 1 }
        // Moving the other spans forward now and then costs less than on every trim.
        if first == spans.count || first > 64 {
            spans.removeFirst(first)
            first = 0
        }
    }

    /// The spans from a frame on.
    func spans(from frame: Int64, frameBytes: Int) -> [RenderedSpan] {
        spans[first...].filter { $0.end > frame }.map { $0.dropping(before: frame, frameBytes: frameBytes) }
    }
}

/// A GStreamer buffer with one layer's rendered frames; releases it when deallocated.
final class RenderedBuffer: @unchecked Sendable {
    // Safe to share: the pointer never changes, the reference lasts as long as this object, and the samples are not
    // written to after the initialiser.
    let pointer: UnsafeMutablePointer<GstBuffer>

    /// Takes ownership of a reference.
    init(taking buffer: UnsafeMutablePointer<GstBuffer>) { pointer = buffer }

    deinit { gst_buffer_unref(pointer) }

    /// A new buffer that shares a part of the samples.
    ///
    /// - Parameters:
    ///   - offset: The first byte to share.
    ///   - size: The number of bytes.
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
