internal import CGStreamer
internal import DescantCore
internal import DescantMixing
internal import Synchronization

/// Equalises, limits and measures the sum of all layers in place, on the mixer's streaming thread.
final class SumProcessor: Sendable {
    private struct Tools {
        var equalizer: GraphicEqualizer
        var limiter: PeakLimiter
        var meter: LevelMeter
    }

    private let plan: SessionPlan
    private let shared: OutputShared
    private let driver: RenderDriver
    private let tools: Mutex<Tools>

    init(plan: SessionPlan, shared: OutputShared, driver: RenderDriver) {
        self.plan = plan
        self.shared = shared
        self.driver = driver
        tools = Mutex(
            Tools(
                equalizer: GraphicEqualizer(
                    sampleRate: plan.format.sampleRate, channels: plan.format.channels,
                    settings: shared.settings.equalizer(at: plan.epochFrame).value),
                limiter: PeakLimiter(sampleRate: plan.format.sampleRate, channels: plan.format.channels),
                meter: LevelMeter(sampleRate: plan.format.sampleRate, channels: plan.format.channels)))
    }

    /// Sees every buffer that leaves an element.
    func attach(to element: GStreamerElement) {
        guard let pad = gst_element_get_static_pad(element.pointer, "src") else { return }
        gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_BUFFER, sumProcessorSees, Unmanaged.passRetained(self).toOpaque(),
            sumProcessorIsReleased)
        gst_object_unref(pad)
    }

    /// Processes a buffer.
    ///
    /// - Parameter buffer: A buffer that may be written to.
    fileprivate func process(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        let frames = Int(gst_buffer_get_size(buffer)) / plan.format.frameBytes
        let start = plan.epochFrame + driver.mixedFrames.load(ordering: .relaxed)
        let isSilent = buffer.pointee.mini_object.flags & GST_BUFFER_FLAG_GAP.rawValue != 0
        if isSilent && !shared.settings.wantsTap.load(ordering: .relaxed) && !hasTail(at: start) {
            processSilence(frames: frames, start: start)
        } else {
            var map = GstMapInfo()
            guard gst_buffer_map(buffer, &map, GstMapFlags(GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue)) != 0 else {
                return
            }
            defer { gst_buffer_unmap(buffer, &map) }
            let samples = UnsafeMutableRawPointer(map.data).assumingMemoryBound(to: Float.self)
            // What the equaliser adds after the end of a sound is not silence, whatever the mixer says of the buffer.
            if process(samples, frames: frames, start: start) {
                buffer.pointee.mini_object.flags &= ~GST_BUFFER_FLAG_GAP.rawValue
            }
        }
        driver.mixedFrames.add(Int64(frames), ordering: .relaxed)
        if shared.reportedFrame.load(ordering: .relaxed) < start + Int64(frames) {
            shared.reportedFrame.store(start + Int64(frames), ordering: .relaxed)
        }
    }

    /// Whether silence would not stay silence: the equaliser rings out, or its setting changes.
    private func hasTail(at start: Int64) -> Bool {
        tools.withLock { tools in
            let setting = shared.settings.equalizer(at: start).value
            return !tools.equalizer.isAtRest || setting != tools.equalizer.settings
        }
    }

    /// Processes samples in place; returns whether the equaliser was at work.
    private func process(_ samples: UnsafeMutablePointer<Float>, frames: Int, start: Int64) -> Bool {
        let isEqualized = tools.withLock { tools in
            let isEqualized = equalize(samples, frames: frames, start: start, with: &tools.equalizer)
            limit(samples, frames: frames, start: start, with: &tools.limiter)
            measure(samples, frames: frames, start: start, with: &tools.meter)
            return isEqualized
        }
        guard shared.settings.wantsTap.load(ordering: .relaxed), isNew(start) else { return isEqualized }
        let copy = [Float](UnsafeBufferPointer(start: samples, count: frames * plan.format.channels))
        shared.post(.tapped(PCMBlock(frame: start, format: plan.format, samples: copy)))
        return isEqualized
    }

    private func equalize(
        _ samples: UnsafeMutablePointer<Float>, frames: Int, start: Int64, with equalizer: inout GraphicEqualizer
    ) -> Bool {
        var done = 0
        var worked = false
        while done < frames {
            let setting = shared.settings.equalizer(at: start + Int64(done))
            let part = Int(min(Int64(frames - done), setting.frames))
            if setting.value != equalizer.settings { equalizer.set(setting.value) }
            worked = worked || !equalizer.passesUntouched
            equalizer.process(samples + done * plan.format.channels, frames: part)
            done += part
        }
        return worked
    }

    private func limit(
        _ samples: UnsafeMutablePointer<Float>, frames: Int, start: Int64, with limiter: inout PeakLimiter
    ) {
        var done = 0
        while done < frames {
            let setting = shared.settings.limiter(at: start + Int64(done))
            let part = Int(min(Int64(frames - done), setting.frames))
            limiter.isEnabled = setting.value
            limiter.process(samples + done * plan.format.channels, frames: part)
            done += part
        }
    }

    private func processSilence(frames: Int, start: Int64) {
        tools.withLock { tools in
            tools.limiter.skip(frames: frames)
            measure(nil, frames: frames, start: start, with: &tools.meter)
        }
    }

    private func measure(
        _ samples: UnsafePointer<Float>?, frames: Int, start: Int64, with meter: inout LevelMeter
    ) {
        guard shared.settings.wantsLevels.load(ordering: .relaxed) else {
            meter.reset()
            return
        }
        let isNew = isNew(start)
        meter.measure(samples, frames: frames, startingAt: start) { reading in
            if isNew { shared.post(.levels(frame: reading.frame, reading.levels)) }
        }
    }

    private func isNew(_ frame: Int64) -> Bool { frame >= shared.reportedFrame.load(ordering: .relaxed) }
}

// Global and nonisolated: a closure written in isolated code traps when a GStreamer thread calls it.

private func sumProcessorSees(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _ data: gpointer?
) -> GstPadProbeReturn {
    guard let info, let data, let given = info.pointee.data else { return GST_PAD_PROBE_OK }
    let object = given.assumingMemoryBound(to: GstMiniObject.self)
    // Costs nothing unless somebody else holds the buffer, which the mixer has just made.
    guard let writable = gst_mini_object_make_writable(object) else { return GST_PAD_PROBE_OK }
    let raw = UnsafeMutableRawPointer(writable)
    info.pointee.data = raw
    Unmanaged<SumProcessor>.fromOpaque(data).takeUnretainedValue()
        .process(raw.assumingMemoryBound(to: GstBuffer.self))
    return GST_PAD_PROBE_OK
}

private func sumProcessorIsReleased(_ data: gpointer?) {
    if let data { Unmanaged<SumProcessor>.fromOpaque(data).release() }
}
