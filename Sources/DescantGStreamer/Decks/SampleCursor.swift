internal import CGStreamer
internal import CGStreamerShim

/// The pulled sample that is being read: mapped memory and how far it was used up.
struct SampleCursor: ~Copyable {
    private var sample: OpaquePointer?
    private var buffer: UnsafeMutablePointer<GstBuffer>?
    private var map = GstMapInfo()
    private var offset = 0
    /// The caps that the channel map was made for; a reference of its own.
    private var caps: UnsafeMutablePointer<GstCaps>?
    private var channels = ChannelMap(channels: 1)

    /// Frames that are left.
    private(set) var framesLeft = 0

    deinit {
        Self.release(sample: sample, buffer: buffer, map: map)
        if let caps { gst_caps_unref(caps) }
    }

    /// Takes a sample over; what was left of the one before is dropped.
    ///
    /// - Parameters:
    ///   - pulled: The sample.
    ///   - channelMap: Asked when the stream's shape is another than before.
    mutating func take(_ pulled: OpaquePointer, channelMap: (GstAudioInfo) -> ChannelMap) -> SourceClock.Stamp {
        drop()
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

    /// Copies frames out, brought to the deck's channels.
    mutating func copy(to target: ReadTarget, frameOffset: Int, frames: Int) {
        guard let start = map.data else { return }
        // The sink delivers whole samples of 32 bits, so they lie where samples may lie.
        let source = UnsafeRawPointer(start + offset).assumingMemoryBound(to: Float.self)
        channels.apply(source, to: target.start + frameOffset * channels.outputs, frames: frames)
        skip(frames)
    }

    /// Passes frames over.
    mutating func skip(_ frames: Int) {
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
        // The full form also answers for a buffer that begins before its segment, as a WAVE file's do after a seek.
        let sign = gst_segment_to_stream_time_full(segment, GST_FORMAT_TIME, buffer.pointee.pts, &time)
        stamp.time = sign == 0 ? nil : Double(sign) * Double(time)
        return stamp
    }
}

/// Where a read writes to.
struct ReadTarget: @unchecked Sendable {
    // Safe: made and used inside one call of `read`, by one thread; a lock's closure only sees it as sendable.
    let start: UnsafeMutablePointer<Float>
}
