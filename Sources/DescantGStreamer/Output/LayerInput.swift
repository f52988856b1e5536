internal import CGStreamer
internal import DescantCore

/// One input of the mixer: an appsrc and the mixer's pad that it feeds.
struct LayerInput: Sendable {
    private let pipeline: GStreamerElement
    private let mixer: GStreamerElement
    private let source: GStreamerElement
    private let padName: String

    /// The layer that it carries at present; `nil` when it carries silence.
    var layer: LayerID?

    /// Makes a feed and links it to the mixer. In a running pipeline, `activate()` must follow.
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
        // Every feed gets one buffer a block, so the queues bound each other and need no limits.
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

    /// Has a driver called whenever the queue is empty, on the feed's own streaming thread.
    func drive(_ driver: RenderDriver) {
        var callbacks = GstAppSrcCallbacks()
        callbacks.need_data = layerFeedNeedsData
        gst_app_src_set_callbacks(
            source.as(GstAppSrc.self), &callbacks, Unmanaged.passRetained(driver).toOpaque(),
            layerFeedReleasesDriver)
    }

    /// Brings a feed that was added to a running pipeline into the pipeline's state.
    func activate() { gst_element_sync_state_with_parent(source.pointer) }

    /// Queues frames.
    ///
    /// - Parameters:
    ///   - buffer: The samples; shared, not copied.
    ///   - isSilent: Whether the mixer may skip them.
    ///   - time: When they sound, in nanoseconds of the pipeline.
    ///   - duration: How long they sound, in nanoseconds.
    func push(_ buffer: RenderedBuffer, isSilent: Bool, time: UInt64, duration: UInt64) {
        // A buffer of its own that shares the samples: the same ones may be pushed again with another time.
        guard
            let copy = gst_buffer_copy_region(
                buffer.pointer, GstBufferCopyFlags(GST_BUFFER_COPY_MEMORY.rawValue), 0, gsize.max)
        else { return }
        copy.pointee.pts = GstClockTime(time)
        copy.pointee.duration = GstClockTime(duration)
        if isSilent { copy.pointee.mini_object.flags |= GST_BUFFER_FLAG_GAP.rawValue }
        gst_app_src_push_buffer(source.as(GstAppSrc.self), copy)
    }

    /// Ends the feed after what is queued; the mixer goes on without it.
    func end() { gst_app_src_end_of_stream(source.as(GstAppSrc.self)) }

    /// Takes the feed out of the pipeline; for a feed whose end the mixer has passed, or of a stopped pipeline. The
    /// pipeline must not be changing its state, or it may wake the feed again on its way out.
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

private func layerFeedNeedsData(_ source: UnsafeMutablePointer<GstAppSrc>?, _ length: guint, _ data: gpointer?) {
    guard let data else { return }
    Unmanaged<RenderDriver>.fromOpaque(data).takeUnretainedValue().feed()
}

private func layerFeedReleasesDriver(_ data: gpointer?) {
    guard let data else { return }
    Unmanaged<RenderDriver>.fromOpaque(data).release()
}
