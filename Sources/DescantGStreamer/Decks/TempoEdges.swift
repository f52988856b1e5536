internal import CGStreamer
internal import Synchronization

/// Mends both ends of a stream that plays at another speed: where it begins, scaletempo fades in from silence, and where it ends,
/// scaletempo holds sound back. Counts the frames of the stream.
///
/// The first stride begins with the first frame, so its fade is replaced by the input.
///
/// The last stride at a low speed reaches behind the end by up to 15 ms. So that it does not fade into silence, the stream continues with
/// its last buffer backwards, then forwards and so on, without a step; the deck cuts what is behind the end.
///
/// Works on the streaming thread, at scaletempo's own pads: the pad in front of it takes no more data once it has seen the end.
final class TempoEdges: Sendable {
    private struct State {
        var frameBytes = 0
        var sampleRate = 0
        var rate = 1.0
        var frames: Int64 = 0
        /// The last buffer at a speed other than 1.
        var last: KeptBuffer?
        var hasEnded = false
        /// The first frames of the input, as long as the fade of the output.
        var first: [UInt8] = []
        /// The bytes of the output so far, up to the length of the fade.
        var written = 0

        var fadeBytes: Int { rate == 1 ? 0 : TempoEdges.fadeFrames(at: sampleRate) * frameBytes }
    }

    private let state = Mutex(State())

    /// The maximum input that scaletempo holds back, in seconds: twice the sum of its stride, overlap and search.
    static let heldBack = 0.25

    /// The sound that is mirrored behind an end, in seconds; a stride and its search reach no further.
    static let mirror = 0.05

    /// The frames over which scaletempo fades in at the beginning of a stream: an overlap, a fifth of its stride of 30 ms.
    static func fadeFrames(at sampleRate: Int) -> Int { sampleRate * 6 / 1_000 }

    /// The frame of a sound of `count` frames that continues it backwards, then forwards and so on.
    static func mirrored(_ frame: Int, in count: Int) -> Int {
        let place = frame % (2 * count)
        return place < count ? count - 1 - place : place - count
    }

    /// The frames that entered scaletempo since the last seek, once the stream has ended at a speed other than 1; `nil` before.
    var streamFrames: Int64? { state.withLock { $0.hasEnded ? $0.frames : nil } }

    /// - Parameter tempo: The scaletempo.
    func install(on tempo: GStreamerElement) {
        let buffers = GST_PAD_PROBE_TYPE_BUFFER.rawValue
        let events = GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue | GST_PAD_PROBE_TYPE_EVENT_FLUSH.rawValue
        add(tempoEdgesSeeInput, to: "sink", of: tempo, buffers | events)
        add(tempoEdgesSeeOutput, to: "src", of: tempo, buffers)
    }

    private func add(
        _ probe: @escaping GstPadProbeCallback, to pad: String, of tempo: GStreamerElement, _ kinds: UInt32
    ) {
        guard let pad = gst_element_get_static_pad(tempo.pointer, pad) else { return }
        let reference = Unmanaged.passRetained(self).toOpaque()
        gst_pad_add_probe(pad, GstPadProbeType(rawValue: kinds), probe, reference, tempoEdgesReleased)
        gst_object_unref(pad)
    }

    fileprivate func count(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        let kept = KeptBuffer(buffer)
        state.withLock { state in
            guard !state.hasEnded, state.frameBytes > 0 else { return }
            state.frames += Int64(Int(gst_buffer_get_size(kept.pointer)) / state.frameBytes)
            state.last = state.rate == 1 ? nil : kept
            keepFirst(kept.pointer, in: &state)
        }
    }

    private func keepFirst(_ buffer: UnsafeMutablePointer<GstBuffer>, in state: inout State) {
        let missing = state.fadeBytes - state.first.count
        guard missing > 0 else { return }
        var map = GstMapInfo()
        guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { return }
        defer { gst_buffer_unmap(buffer, &map) }
        state.first.append(contentsOf: UnsafeBufferPointer(start: map.data, count: min(missing, Int(map.size))))
    }

    /// Whether a buffer of the output has a part of the fade.
    fileprivate var isFadingIn: Bool { state.withLock { $0.written < $0.fadeBytes } }

    /// Replaces the fade in a buffer of the output.
    fileprivate func replaceFade(in buffer: UnsafeMutablePointer<GstBuffer>) {
        var map = GstMapInfo()
        guard gst_buffer_map(buffer, &map, GstMapFlags(GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue)) != 0 else {
            return
        }
        defer { gst_buffer_unmap(buffer, &map) }
        state.withLock { state in
            let bytes = state.first.dropFirst(state.written).prefix(Int(map.size))
            bytes.withUnsafeBytes { memory in
                if let from = memory.baseAddress {
                    map.data?.withMemoryRebound(to: UInt8.self, capacity: memory.count) {
                        UnsafeMutableRawPointer($0).copyMemory(from: from, byteCount: memory.count)
                    }
                }
            }
            state.written += Int(map.size)
        }
    }

    fileprivate func receive(_ event: UnsafeMutablePointer<GstEvent>, on pad: UnsafeMutablePointer<GstPad>) {
        switch event.pointee.type {
        case GST_EVENT_CAPS:
            var found: UnsafeMutablePointer<GstCaps>?
            gst_event_parse_caps(event, &found)
            var info = GstAudioInfo()
            guard let found, gst_audio_info_from_caps(&info, found) != 0 else { return }
            state.withLock { state in
                state.frameBytes = Int(info.bpf)
                state.sampleRate = Int(info.rate)
            }
        case GST_EVENT_SEGMENT:
            var segment: UnsafePointer<GstSegment>?
            gst_event_parse_segment(event, &segment)
            guard let rate = segment?.pointee.rate else { return }
            state.withLock { $0.rate = rate }
        case GST_EVENT_FLUSH_STOP:
            state.withLock { state in
                state.frames = 0
                state.hasEnded = false
                state.last = nil
                state.first = []
                state.written = 0
            }
        case GST_EVENT_EOS: pushMore(on: pad)
        default: break
        }
    }

    private func pushMore(on pad: UnsafeMutablePointer<GstPad>) {
        let (frames, frameBytes) = state.withLock { state -> (Int, Int) in
            guard state.rate != 1, !state.hasEnded, state.frameBytes > 0 else { return (0, 0) }
            state.hasEnded = true
            return (Int(Self.heldBack * Double(state.sampleRate) * max(1, state.rate)), state.frameBytes)
        }
        guard frames > 0, let more = gst_buffer_new_allocate(nil, gsize(frames * frameBytes), nil) else { return }
        gst_buffer_memset(more, 0, 0, gsize(frames * frameBytes))
        let last = state.withLock { state in
            defer { state.last = nil }
            return state.last
        }
        if let last {
            // A sink drops what lies behind the end of the segment.
            more.pointee.pts = last.pointer.pointee.pts
            Self.write(last.pointer, mirroredInto: more, frames: frames, frameBytes: frameBytes)
        }
        gst_pad_chain(pad, more)
    }

    private static func write(
        _ last: UnsafeMutablePointer<GstBuffer>, mirroredInto more: UnsafeMutablePointer<GstBuffer>, frames: Int,
        frameBytes: Int
    ) {
        var (source, target) = (GstMapInfo(), GstMapInfo())
        guard gst_buffer_map(last, &source, GST_MAP_READ) != 0 else { return }
        defer { gst_buffer_unmap(last, &source) }
        guard gst_buffer_map(more, &target, GST_MAP_WRITE) != 0 else { return }
        defer { gst_buffer_unmap(more, &target) }
        guard let from = source.data, let to = target.data else { return }
        let available = Int(source.size) / frameBytes
        guard available > 0 else { return }
        for frame in 0..<frames {
            let mirrored = Self.mirrored(frame, in: available)
            (to + frame * frameBytes).update(from: from + mirrored * frameBytes, count: frameBytes)
        }
    }
}

/// A reference to a buffer.
///
/// Sendable: a buffer with more than one reference is not written to, and references are counted atomically.
private final class KeptBuffer: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<GstBuffer>

    init(_ pointer: UnsafeMutablePointer<GstBuffer>) { self.pointer = gst_buffer_ref(pointer) }

    deinit { gst_buffer_unref(pointer) }
}

// Global and nonisolated: a closure written in isolated code traps when a GStreamer thread calls it.

private func tempoEdgesSeeInput(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _ data: gpointer?
) -> GstPadProbeReturn {
    guard let pad, let info, let data else { return GST_PAD_PROBE_OK }
    let edges = Unmanaged<TempoEdges>.fromOpaque(data).takeUnretainedValue()
    if info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 {
        if let buffer = gst_pad_probe_info_get_buffer(info) { edges.count(buffer) }
    } else if let event = gst_pad_probe_info_get_event(info) {
        edges.receive(event, on: pad)
    }
    return GST_PAD_PROBE_OK
}

private func tempoEdgesSeeOutput(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _ data: gpointer?
) -> GstPadProbeReturn {
    guard let info, let data, let given = info.pointee.data else { return GST_PAD_PROBE_OK }
    let edges = Unmanaged<TempoEdges>.fromOpaque(data).takeUnretainedValue()
    // At the usual speed scaletempo passes the decoder's buffers on, which would be copied.
    guard edges.isFadingIn, let own = gst_mini_object_make_writable(given.assumingMemoryBound(to: GstMiniObject.self))
    else { return GST_PAD_PROBE_OK }
    let raw = UnsafeMutableRawPointer(own)
    info.pointee.data = raw
    edges.replaceFade(in: raw.assumingMemoryBound(to: GstBuffer.self))
    return GST_PAD_PROBE_OK
}

private func tempoEdgesReleased(_ data: gpointer?) {
    if let data { Unmanaged<TempoEdges>.fromOpaque(data).release() }
}
