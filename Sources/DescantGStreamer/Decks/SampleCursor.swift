internal import CGStreamer
internal import CGStreamerShim

/// The pulled sample that is being read: mapped memory and how far it was used up.
struct SampleCursor: ~Copyable {
    private var sample: OpaquePointer?
    private var buffer: UnsafeMutablePointer<GstBuffer>?
    private var map = GstMapInfo()
    private var offset = 0

    /// Frames that are left.
    private(set) var framesLeft = 0

    deinit { Self.release(sample: sample, buffer: buffer, map: map) }

    /// Takes a sample over; what was left of the one before is dropped.
    ///
    /// - Returns: Its stream time in nanoseconds; `nil` when it has none.
    mutating func take(_ pulled: OpaquePointer, bytesPerFrame: Int) -> Double? {
        drop()
        sample = pulled
        guard let pulledBuffer = gst_sample_get_buffer(pulled) else { return nil }
        guard gst_buffer_map(pulledBuffer, &map, GST_MAP_READ) != 0 else { return nil }
        buffer = pulledBuffer
        framesLeft = Int(map.size) / bytesPerFrame
        return Self.streamTime(of: pulledBuffer, in: pulled)
    }

    /// Copies frames out.
    mutating func copy(to target: ReadTarget, sampleOffset: Int, frames: Int, bytesPerFrame: Int) {
        guard let start = map.data else { return }
        UnsafeMutableRawPointer(target.start + sampleOffset).copyMemory(
            from: start + offset, byteCount: frames * bytesPerFrame)
        skip(frames, bytesPerFrame: bytesPerFrame)
    }

    /// Passes frames over.
    mutating func skip(_ frames: Int, bytesPerFrame: Int) {
        offset += frames * bytesPerFrame
        framesLeft -= frames
    }

    /// Uses only the next frames; the rest of the sample is of no interest.
    mutating func limit(to frames: Int) { framesLeft = min(framesLeft, max(0, frames)) }

    /// Lets the sample go.
    mutating func drop() {
        Self.release(sample: sample, buffer: buffer, map: map)
        sample = nil
        buffer = nil
        offset = 0
        framesLeft = 0
    }

    private static func release(sample: OpaquePointer?, buffer: UnsafeMutablePointer<GstBuffer>?, map: GstMapInfo) {
        var map = map
        if let buffer { gst_buffer_unmap(buffer, &map) }
        if let sample { gst_sample_unref(sample) }
    }

    private static func streamTime(of buffer: UnsafeMutablePointer<GstBuffer>, in sample: OpaquePointer) -> Double? {
        guard buffer.pointee.pts != descant_gst_no_time(), let segment = gst_sample_get_segment(sample) else {
            return nil
        }
        var time: guint64 = 0
        // The full form also answers for a buffer that begins before its segment, as a WAVE file's do after a seek.
        let sign = gst_segment_to_stream_time_full(segment, GST_FORMAT_TIME, buffer.pointee.pts, &time)
        return sign == 0 ? nil : Double(sign) * Double(time)
    }
}
