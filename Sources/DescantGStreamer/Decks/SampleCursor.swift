internal import CGStreamer
internal import CGStreamerShim

/// The pulled sample that is being read: its mapped memory and the read offset.
struct SampleCursor: ~Copyable {
    private var sample: OpaquePointer?
    private var buffer: UnsafeMutablePointer<GstBuffer>?
    private var map = GstMapInfo()
    private var offset = 0
    /// The caps of the channel map; an own reference.
    private var caps: UnsafeMutablePointer<GstCaps>?
    private var channels = ChannelMap(channels: 1)

    /// Frames that are left.
    private(set) var framesLeft = 0

    deinit {
        Self.release(sample: sample, buffer: buffer, map: map)
        if let caps { gst_caps_unref(caps) }
    }

    /// Takes ownership of a sample. The previous one was dropped before this one was pulled: appsink uses a sample again that nobody holds.
    ///
    /// - Parameters:
    ///   - pulled: The sample.
    ///   - channelMap: Makes the channel map when the caps have changed.
    mutating func take(_ pulled: OpaquePointer, channelMap: (GstAudioInfo) -> ChannelMap) -> SourceClock.Stamp {
        sample = pulled
        if let found = gst_sample_get_caps(pulled), found != caps {
            if let caps { gst_caps_unref(caps) }
            caps = gst_caps_ref(found)
            var info = GstAudioInfo()
            if gst_audio_info_from_caps(&info, found) != 0 { channels = channelMap(info) }
        }
        guard let pulledBuffer = gst_sample_get_buffer(pulled) else { return SourceClock.Stamp() }
        guard gst_buffer_map(pulledBuffer, &map, GST_MAP_READ) != 0 else { return SourceClock.Stamp() }
        buffer = pulledBuffer
        framesLeft = Int(map.size) / bytesPerFrame
        return Self.stamp(of: pulledBuffer, in: pulled)
    }

    /// Copies frames, mapped to the deck's channels.
    mutating func copy(to target: ReadTarget, frameOffset: Int, frames: Int) {
        guard let start = map.data else { return }
        // The sink delivers whole 32-bit samples, so the memory is aligned.
        let source = UnsafeRawPointer(start + offset).assumingMemoryBound(to: Float.self)
        channels.apply(source, to: target.start + frameOffset * channels.outputs, frames: frames)
        skip(frames)
    }

    /// Passes frames over.
    mutating func skip(_ frames: Int) {
        offset += frames * bytesPerFrame
        framesLeft -= frames
    }

    /// Drops all but the next frames of the sample.
    mutating func limit(to frames: Int) { framesLeft = min(framesLeft, max(0, frames)) }

    /// Releases the sample.
    mutating func drop() {
        Self.release(sample: sample, buffer: buffer, map: map)
        sample = nil
        buffer = nil
        offset = 0
        framesLeft = 0
    }

    private var bytesPerFrame: Int { channels.inputs * MemoryLayout<Float>.size }

    private static func release(sample: OpaquePointer?, buffer: UnsafeMutablePointer<GstBuffer>?, map: GstMapInfo) {
        var map = map
        if let buffer { gst_buffer_unmap(buffer, &map) }
        if let sample { gst_sample_unref(sample) }
    }

    private static func stamp(of buffer: UnsafeMutablePointer<GstBuffer>, in sample: OpaquePointer) -> SourceClock.Stamp
    {
        var stamp = SourceClock.Stamp(isDiscontinuous: descant_gst_buffer_is_discontinuous(buffer) != 0)
        guard let segment = gst_sample_get_segment(sample) else { return stamp }
        stamp.segment = UInt64(segment.pointee.base)
        guard buffer.pointee.pts != descant_gst_no_time() else { return stamp }
        var time: guint64 = 0
        // The full form also handles a buffer that begins before its segment, as after a seek in a WAVE file.
        let sign = gst_segment_to_stream_time_full(segment, GST_FORMAT_TIME, buffer.pointee.pts, &time)
        stamp.time = sign == 0 ? nil : Double(sign) * Double(time)
        return stamp
    }
}

/// The target memory of a read.
struct ReadTarget: @unchecked Sendable {
    // Safe: used by one thread inside one call of `read`. It is Sendable only because the closure of a lock demands
    // that.
    let start: UnsafeMutablePointer<Float>
}
