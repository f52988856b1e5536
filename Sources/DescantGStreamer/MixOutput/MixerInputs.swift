internal import CGStreamer
internal import DescantCore

/// The mixer's inputs: a leading one that always has data and drives the others, and one for every further layer.
///
/// All inputs receive the same frames block by block. A new layer gets an input whose first buffer is at the block's
/// frame; it is never late, because no input is ahead of another by more than the present block.
struct MixerInputs: Sendable {
    private let pipeline: GStreamerElement
    private let mixer: GStreamerElement
    private let format: PCMFormat
    /// The output frame at which the pipeline's time is 0; less after each return to an earlier frame.
    private var epochFrame: Int64
    private let silence: RenderedBuffer?
    private var lead: LayerInput
    private var others: [LayerInput] = []
    private var ending: [(input: LayerInput, graphFrame: Int64)] = []

    /// Makes the leading input.
    ///
    /// - Throws: `CoreError.unsupported` when an element is missing.
    init(
        pipeline: GStreamerElement, mixer: GStreamerElement, format: PCMFormat, epochFrame: Int64, blockFrames: Int
    ) throws {
        self.pipeline = pipeline
        self.mixer = mixer
        self.format = format
        self.epochFrame = epochFrame
        silence = RenderedBuffer.silence(bytes: blockFrames * format.frameBytes)
        lead = try LayerInput(pipeline: pipeline, mixer: mixer, caps: Self.caps(of: format))
    }

    static func caps(of format: PCMFormat) -> String {
        RawAudioCaps.text(channels: format.channels, sampleRate: format.sampleRate)
    }

    func drive(_ driver: RenderDriver) { lead.drive(driver) }

    /// The number of inputs, ending ones included.
    var count: Int { 1 + others.count + ending.count }

    /// The pipeline's frame of an output frame.
    func graphFrame(of frame: Int64) -> Int64 { frame - epochFrame }

    /// Continues with an earlier output frame.
    ///
    /// - Parameter frames: The distance to the frame that would follow.
    mutating func rewind(by frames: Int64) { epochFrame -= frames }

    /// Queues the same frames of every layer.
    ///
    /// - Parameters:
    ///   - span: The frames to queue; they follow the queued ones.
    /// - Throws: `CoreError.unsupported` when an input for a new layer cannot be made.
    mutating func push(_ span: RenderedSpan) throws {
        endInputs(absentFrom: span)
        fillLead(from: span)
        for layer in span.layers where layer.id != lead.layer {
            if let input = others.first(where: { $0.layer == layer.id }) {
                push(layer.buffer, of: span, to: input)
            } else {
                let input = try addInput(for: layer.id)
                push(layer.buffer, of: span, to: input)
                input.activate()
            }
        }
        push(span.layers.first { $0.id == lead.layer }?.buffer, of: span, to: lead)
    }

    /// Ends every input after the queued frames.
    func end() {
        for input in others { input.end() }
        lead.end()
    }

    /// Takes the inputs whose end the mixer has passed.
    ///
    /// - Parameter mixedFrame: The first frame of the pipeline that the mixer has not output.
    mutating func takeEnded(mixedFrame: Int64) -> [LayerInput] {
        guard !ending.isEmpty else { return [] }
        defer { ending.removeAll { $0.graphFrame <= mixedFrame } }
        return ending.filter { $0.graphFrame <= mixedFrame }.map(\.input)
    }

    /// Takes all inputs, when the pipeline has stopped.
    mutating func takeAll() -> [LayerInput] {
        defer {
            others = []
            ending = []
        }
        return others + ending.map(\.input) + [lead]
    }

    // MARK: Layers coming and going

    private mutating func endInputs(absentFrom span: RenderedSpan) {
        if let layer = lead.layer, !span.layers.contains(where: { $0.id == layer }) { lead.layer = nil }
        for index in others.indices.reversed()
        where !span.layers.contains(where: { $0.id == others[index].layer }) {
            endInput(at: index, frame: span.frame)
        }
    }

    /// Moves a layer to a leading input that carries silence: a new layer, or that of another input, which then ends.
    private mutating func fillLead(from span: RenderedSpan) {
        guard lead.layer == nil, let first = span.layers.first else { return }
        let carried = others.map(\.layer)
        let chosen = span.layers.first { !carried.contains($0.id) } ?? first
        if let index = others.firstIndex(where: { $0.layer == chosen.id }) { endInput(at: index, frame: span.frame) }
        lead.layer = chosen.id
    }

    private mutating func endInput(at index: Int, frame: Int64) {
        let input = others.remove(at: index)
        input.end()
        ending.append((input, graphFrame(of: frame)))
    }

    private mutating func addInput(for layer: LayerID) throws -> LayerInput {
        var input = try LayerInput(pipeline: pipeline, mixer: mixer, caps: Self.caps(of: format))
        input.layer = layer
        others.append(input)
        return input
    }

    // MARK: Buffers

    private func push(_ buffer: RenderedBuffer?, of span: RenderedSpan, to input: LayerInput) {
        let bytes = span.frames * format.frameBytes
        guard let samples = buffer ?? silence?.excerpt(offset: 0, size: bytes) else { return }
        let start = time(of: span.frame)
        input.push(samples, isSilent: buffer == nil, time: start, duration: time(of: span.end) - start)
    }

    /// A frame's time in the pipeline. It is rounded up, so that the mixer, which rounds down, gets the same frame.
    private func time(of frame: Int64) -> UInt64 {
        UInt64(gst_util_uint64_scale_ceil(UInt(frame - epochFrame), 1_000_000_000, UInt(format.sampleRate)))
    }
}

extension PCMFormat {
    /// Bytes of one interleaved Float32 frame.
    var frameBytes: Int { channels * MemoryLayout<Float>.stride }
}

/// One input of the mixer: an appsrc and its pad of the mixer.
struct LayerInput: Sendable {
    private let pipeline: GStreamerElement
    private let mixer: GStreamerElement
    private let source: GStreamerElement
    private let padName: String

    /// The layer that it carries; `nil` for silence.
    var layer: LayerID?

    /// Makes an input and links it to the mixer. In a running pipeline, `activate()` must follow.
    ///
    /// - Throws: `CoreError.unsupported` when an element is missing or refuses the link.
    init(pipeline: GStreamerElement, mixer: GStreamerElement, caps: String) throws {
        self.pipeline = pipeline
        self.mixer = mixer
        source = try GStreamerElement("appsrc")
        source.set("caps", caps)
        source.set("format", "time")
        source.set("is-live", false)
        source.set("block", false)
        source.set("emit-signals", false)
        // Every input gets one buffer per block, so the queues bound each other and need no limits.
        for limit in ["max-bytes", "max-buffers", "max-time"] { source.set(limit, 0) }
        pipeline.add(source)
        guard let pad = gst_element_request_pad_simple(mixer.pointer, "sink_%u"),
            let name = gst_object_get_name(UnsafeMutableRawPointer(pad).assumingMemoryBound(to: GstObject.self))
        else { throw CoreError.unsupported("GStreamer's audiomixer gives no further input") }
        padName = String(cString: name)
        g_free(name)
        gst_object_unref(pad)
        guard gst_element_link_pads(source.pointer, "src", mixer.pointer, padName) != 0 else {
            throw CoreError.unsupported("GStreamer cannot link appsrc to audiomixer with \(caps)")
        }
    }

    /// Calls a driver when the queue is empty, on the input's streaming thread.
    func drive(_ driver: RenderDriver) {
        var callbacks = GstAppSrcCallbacks()
        callbacks.need_data = layerInputNeedsData
        gst_app_src_set_callbacks(
            source.as(GstAppSrc.self), &callbacks, Unmanaged.passRetained(driver).toOpaque(), releaseObject)
    }

    /// Sets the input's state to that of the running pipeline.
    func activate() { gst_element_sync_state_with_parent(source.pointer) }

    /// Queues frames.
    ///
    /// - Parameters:
    ///   - buffer: The samples, which are not copied.
    ///   - isSilent: Whether the mixer may skip them.
    ///   - time: The time at which they sound, in nanoseconds of the pipeline.
    ///   - duration: Their duration in nanoseconds.
    func push(_ buffer: RenderedBuffer, isSilent: Bool, time: UInt64, duration: UInt64) {
        // A new buffer that shares the samples: they may be pushed again with another time.
        guard
            let copy = gst_buffer_copy_region(
                buffer.pointer, GstBufferCopyFlags(GST_BUFFER_COPY_MEMORY.rawValue), 0, gsize.max)
        else { return }
        copy.pointee.pts = GstClockTime(time)
        copy.pointee.duration = GstClockTime(duration)
        if isSilent { copy.pointee.mini_object.flags |= GST_BUFFER_FLAG_GAP.rawValue }
        gst_app_src_push_buffer(source.as(GstAppSrc.self), copy)
    }

    /// Ends the input after the queued frames; the mixer continues without it.
    func end() { gst_app_src_end_of_stream(source.as(GstAppSrc.self)) }

    /// Removes the input from the pipeline; for an input whose end the mixer has passed, or of a stopped pipeline. The
    /// pipeline must not be changing its state, which could start the input again.
    func remove() {
        source.setState(GST_STATE_NULL)
        if let pad = gst_element_get_static_pad(mixer.pointer, padName) {
            gst_element_release_request_pad(mixer.pointer, pad)
            gst_object_unref(pad)
        }
        gst_bin_remove(pipeline.as(GstBin.self), source.pointer)
    }
}

// Global and nonisolated: a closure written in isolated code traps when a GStreamer thread calls it.

private func layerInputNeedsData(_ source: UnsafeMutablePointer<GstAppSrc>?, _ length: guint, _ data: gpointer?) {
    guard let data else { return }
    Unmanaged<RenderDriver>.fromOpaque(data).takeUnretainedValue().pushNext()
}
