internal import CGStreamer
package import DescantCore
package import DescantMixing

/// GStreamer's pitch or scaletempo on the caller's thread: a pushed buffer's output is there on return.
///
/// pitch is SoundTouch, which keeps chords clean (12 to 28 dB between a chord and what is not of it, where scaletempo reaches 2 dB);
/// scaletempo, which comes with more installations, is made for speech.
private final class GstTempoChanger: TempoChanger {
    private let element: GStreamerElement
    private let entry: UnsafeMutablePointer<GstPad>
    private let exit: UnsafeMutablePointer<GstPad>
    private let format: PCMFormat
    private let rate: Double
    private let isPitch: Bool
    private let collector = StretchedFrames()

    private var framesIn: Int64 = 0
    private var framesOut: Int64 = 0
    /// The first frames of the input, over which scaletempo fades in from silence. Its first stride begins with the first frame, so the
    /// fade is replaced by the input.
    private var first: [Float] = []
    /// The newest input, which continues backwards behind the end, then forwards and so on: the last stride reaches behind the end,
    /// and would fade into silence.
    private var newest: [Float] = []

    /// The frames over which scaletempo fades in: an overlap, a fifth of its stride of 30 ms.
    private var fadeFrames: Int { isPitch ? 0 : format.sampleRate * 6 / 1_000 }

    /// The sound that is mirrored behind an end, in seconds; a stride and its search reach no further.
    private static let mirror = 0.05

    /// What the elements hold back at most, in frames of the input: two strides, overlaps and searches.
    private var heldBack: Int { Int((0.2 + 0.1 * rate) * Double(format.sampleRate)) }

    /// Whether the element `pitch` takes a format. SoundTouch ends the process with 16 channels and more.
    private static func canPitch(_ format: PCMFormat) -> Bool {
        format.sampleRate >= 8_000 && format.channels < 16
    }

    init(format: PCMFormat, rate: Double) throws {
        let pitch = Self.canPitch(format) ? try? GStreamerElement("pitch") : nil
        isPitch = pitch != nil
        element = try pitch ?? GStreamerElement("scaletempo")
        guard let entry = gst_pad_new("entry", GST_PAD_SRC), let exit = gst_pad_new("exit", GST_PAD_SINK) else {
            throw CoreError.unsupported("GStreamer cannot make the pads of a tempo changer")
        }
        self.entry = entry
        self.exit = exit
        self.format = format
        self.rate = rate
        gst_object_ref_sink(entry)
        gst_object_ref_sink(exit)
        gst_pad_set_element_private(exit, Unmanaged.passUnretained(collector).toOpaque())
        gst_pad_set_chain_function_full(exit, stretchedFramesArrive, nil, nil)
        try connect()
        beginStream()
    }

    deinit {
        gst_pad_set_active(entry, 0)
        element.setState(GST_STATE_NULL)
        gst_pad_set_active(exit, 0)
        gst_object_unref(entry)
        gst_object_unref(exit)
    }

    func stretch(_ input: UnsafePointer<Float>, frames: Int, appendingTo output: inout [Float]) {
        framesIn += Int64(frames)
        let missing = fadeFrames * format.channels - first.count
        first.append(
            contentsOf: UnsafeBufferPointer(start: input, count: max(0, min(missing, frames * format.channels))))
        push(input, frames: frames)
        remember(input, frames: frames)
        collect(into: &output)
    }

    func drain(appendingTo output: inout [Float]) {
        let channels = format.channels
        let available = newest.count / channels
        var more = [Float](repeating: 0, count: heldBack * channels)
        if available > 0 {
            for frame in 0..<more.count / channels {
                let mirrored = Self.mirrored(frame, in: available)
                for channel in 0..<channels { more[frame * channels + channel] = newest[mirrored * channels + channel] }
            }
        }
        more.withUnsafeBufferPointer { memory in
            if let base = memory.baseAddress { push(base, frames: memory.count / channels) }
        }
        collect(into: &output)
    }

    /// The frame of a sound of `count` frames that continues it backwards, then forwards and so on.
    private static func mirrored(_ frame: Int, in count: Int) -> Int {
        let place = frame % (2 * count)
        return place < count ? count - 1 - place : place - count
    }

    private func remember(_ input: UnsafePointer<Float>, frames: Int) {
        let limit = Int(Self.mirror * Double(format.sampleRate)) * format.channels
        let kept = min(frames * format.channels, limit)
        newest.removeFirst(max(0, newest.count + kept - limit))
        newest.append(contentsOf: UnsafeBufferPointer(start: input + frames * format.channels - kept, count: kept))
    }

    private func connect() throws {
        guard let sink = gst_element_get_static_pad(element.pointer, "sink"),
            let source = gst_element_get_static_pad(element.pointer, "src")
        else { throw CoreError.unsupported("the GStreamer element \(element.factoryName) has no pads") }
        defer {
            gst_object_unref(sink)
            gst_object_unref(source)
        }
        guard gst_pad_link(entry, sink) == GST_PAD_LINK_OK, gst_pad_link(source, exit) == GST_PAD_LINK_OK else {
            throw CoreError.unsupported("GStreamer cannot link the tempo changer")
        }
        gst_pad_set_active(exit, 1)
        element.setState(GST_STATE_PAUSED)
        gst_pad_set_active(entry, 1)
    }

    /// Sends the stream's events. scaletempo takes the speed from the segment's rate.
    private func beginStream() {
        if isPitch { element.set("tempo", rate) }
        gst_pad_push_event(entry, gst_event_new_stream_start("descant"))
        let caps = gst_caps_from_string(RawAudioCaps.text(channels: format.channels, sampleRate: format.sampleRate))
        gst_pad_push_event(entry, gst_event_new_caps(caps))
        gst_caps_unref(caps)
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        segment.rate = isPitch ? 1 : rate
        gst_pad_push_event(entry, gst_event_new_segment(&segment))
    }

    private func push(_ input: UnsafePointer<Float>, frames: Int) {
        let bytes = gsize(frames * format.channels * MemoryLayout<Float>.size)
        guard bytes > 0, let buffer = gst_buffer_new_allocate(nil, bytes, nil) else { return }
        gst_buffer_fill(buffer, 0, input, bytes)
        gst_pad_push(entry, buffer)
    }

    /// Appends the output, but not more than belongs to the input so far: the elements work in strides and can be one ahead.
    private func collect(into output: inout [Float]) {
        let due = Int64((Double(framesIn) / rate).rounded(.up)) - framesOut
        let frames = min(Int(max(0, due)), collector.samples.count / format.channels)
        let fade = first.dropFirst(Int(framesOut) * format.channels).prefix(frames * format.channels)
        framesOut += Int64(frames)
        output.append(contentsOf: fade)
        output.append(contentsOf: collector.samples[fade.count..<frames * format.channels])
        collector.samples.removeFirst(frames * format.channels)
    }
}

/// Changes the speed of signals that are too slow to be heard, by interpolation; their pitch goes with the speed.
private final class InterpolatingTempoChanger: TempoChanger {
    private let channels: Int
    private let rate: Double
    /// The input frames that are still needed.
    private var kept: [Float] = []
    /// The frames before them.
    private var passed: Int64 = 0
    private var framesIn: Int64 = 0
    private var framesOut: Int64 = 0

    init(format: PCMFormat, rate: Double) {
        channels = format.channels
        self.rate = rate
    }

    func stretch(_ input: UnsafePointer<Float>, frames: Int, appendingTo output: inout [Float]) {
        framesIn += Int64(frames)
        kept.append(contentsOf: UnsafeBufferPointer(start: input, count: frames * channels))
        // The last frame has no successor yet.
        interpolate(before: Double(framesIn - 1), into: &output)
    }

    func drain(appendingTo output: inout [Float]) { interpolate(before: Double(framesIn), into: &output) }

    /// Appends the output frames whose place in the input is before a frame.
    private func interpolate(before end: Double, into output: inout [Float]) {
        while true {
            let place = Double(framesOut) * rate
            guard place < end else { break }
            let frame = Int64(place)
            let share = Float(place - Double(frame))
            let start = Int(frame - passed) * channels
            for index in start..<start + channels {
                let next = index + channels < kept.count ? kept[index + channels] : kept[index]
                output.append(kept[index] + (next - kept[index]) * share)
            }
            framesOut += 1
        }
        let needed = min(framesIn, Int64(Double(framesOut) * rate))
        kept.removeFirst(Int(needed - passed) * channels)
        passed = needed
    }
}

/// The output of the element during a push. Used by the pushing thread.
private final class StretchedFrames {
    var samples: [Float] = []
}

// Global and nonisolated: a closure written in isolated code traps when C calls it.

private func stretchedFramesArrive(
    _ pad: UnsafeMutablePointer<GstPad>?, _ parent: UnsafeMutablePointer<GstObject>?,
    _ buffer: UnsafeMutablePointer<GstBuffer>?
) -> GstFlowReturn {
    guard let pad, let buffer else { return GST_FLOW_ERROR }
    defer { gst_buffer_unref(buffer) }
    guard let owner = gst_pad_get_element_private(pad) else { return GST_FLOW_OK }
    let collector = Unmanaged<StretchedFrames>.fromOpaque(owner).takeUnretainedValue()
    var map = GstMapInfo()
    guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { return GST_FLOW_ERROR }
    defer { gst_buffer_unmap(buffer, &map) }
    let count = Int(map.size) / MemoryLayout<Float>.size
    if let start = UnsafeRawPointer(map.data)?.assumingMemoryBound(to: Float.self) {
        collector.samples.append(contentsOf: UnsafeBufferPointer(start: start, count: count))
    }
    return GST_FLOW_OK
}

/// Makes tempo changers on GStreamer's elements.
package struct GstTempoChangerFactory: TempoChangerFactory {
    /// Creates a factory; any number can exist.
    package init() {}

    /// A changer for one stream at one speed.
    ///
    /// - Throws: `CoreError.unsupported` when the element is missing, `CoreError.invalidArgument` for an impossible rate.
    package func makeTempoChanger(format: PCMFormat, rate: Double) throws -> any TempoChanger {
        guard (0.1...10).contains(rate) else {
            throw CoreError.invalidArgument("a speed of \(rate); 0.1 to 10 are possible")
        }
        // The strides of scaletempo last 30 ms; where they hold no frame, it never returns.
        guard format.sampleRate >= 200 else { return InterpolatingTempoChanger(format: format, rate: rate) }
        return try GstTempoChanger(format: format, rate: rate)
    }
}
