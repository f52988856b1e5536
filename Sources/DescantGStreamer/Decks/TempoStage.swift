internal import CGStreamer
internal import DescantCore
internal import DescantMixing
internal import Synchronization

/// Changes the speed of a pipeline's stream, which the pipeline itself always plays at its own.
///
/// Works on the streaming thread, at the entry of an element that passes Float32 on: each buffer is replaced by what the tempo changer gives
/// out, and what it holds back follows at the end. At a rate of 1 buffers pass untouched.
final class TempoStage: Sendable {
    // @unchecked: only the changer is not Sendable, and it never leaves the lock.
    private struct State: @unchecked Sendable {
        var format: PCMFormat?
        var rate = 1.0
        /// The rate behind the next flush.
        var nextRate = 1.0
        var changer: (any TempoChanger)?
        var output: [Float] = []
        /// The time stamp of the newest buffer; a sink drops what lies behind the end of the segment.
        var newestTime: GstClockTime = 0
        /// Whether what is pushed comes from the changer.
        var isDraining = false
    }

    private let state = Mutex(State())
    private let failed: @Sendable (String) -> Void

    /// - Parameters:
    ///   - element: The element at whose entry the stage works.
    ///   - failed: Called with a reason when there is no tempo changer; must not wait.
    static func install(on element: GStreamerElement, failed: @escaping @Sendable (String) -> Void) -> TempoStage {
        let stage = TempoStage(failed)
        guard let pad = gst_element_get_static_pad(element.pointer, "sink") else { return stage }
        let kinds =
            GST_PAD_PROBE_TYPE_BUFFER.rawValue | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue
            | GST_PAD_PROBE_TYPE_EVENT_FLUSH.rawValue
        let reference = Unmanaged.passRetained(stage).toOpaque()
        gst_pad_add_probe(pad, GstPadProbeType(rawValue: kinds), tempoStageSees, reference, releaseObject)
        gst_object_unref(pad)
        return stage
    }

    private init(_ failed: @escaping @Sendable (String) -> Void) { self.failed = failed }

    /// Sets the rate of what comes behind the next flush.
    func prepare(rate: Double) { state.withLock { $0.nextRate = rate } }

    /// Sets the rate while no streaming thread runs.
    func restart(rate: Double) {
        state.withLock { state in
            state.nextRate = rate
            Self.begin(&state)
        }
    }

    private static func begin(_ state: inout State) {
        state.rate = state.nextRate
        state.changer = nil
        state.isDraining = false
    }

    // MARK: On the streaming thread

    /// The result for a buffer.
    // @unchecked: the receiver of the outcome owns the buffer.
    fileprivate enum Outcome: @unchecked Sendable {
        case passed, dropped
        case replaced(UnsafeMutablePointer<GstBuffer>)
    }

    fileprivate func receive(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Outcome {
        var map = GstMapInfo()
        return state.withLock { state in
            guard state.rate != 1, !state.isDraining, let format = state.format else { return .passed }
            guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { return .dropped }
            defer { gst_buffer_unmap(buffer, &map) }
            state.newestTime = buffer.pointee.pts
            guard let changer = changer(&state, format), let data = map.data else { return .dropped }
            let frames = Int(map.size) / format.frameBytes
            UnsafeRawPointer(data).withMemoryRebound(to: Float.self, capacity: frames * format.channels) {
                changer.stretch($0, frames: frames, appendingTo: &state.output)
            }
            return Self.takeOutput(&state).map { .replaced($0) } ?? .dropped
        }
    }

    private func changer(_ state: inout State, _ format: PCMFormat) -> (any TempoChanger)? {
        if let changer = state.changer { return changer }
        do {
            state.changer = try GstTempoChangerFactory().makeTempoChanger(format: format, rate: state.rate)
        } catch {
            failed((error as? CoreError)?.message ?? "\(error)")
        }
        return state.changer
    }

    /// The output so far as a buffer; `nil` when there is none.
    private static func takeOutput(_ state: inout State) -> UnsafeMutablePointer<GstBuffer>? {
        let bytes = gsize(state.output.count * MemoryLayout<Float>.size)
        guard bytes > 0, let buffer = gst_buffer_new_allocate(nil, bytes, nil) else { return nil }
        gst_buffer_fill(buffer, 0, state.output, bytes)
        buffer.pointee.pts = state.newestTime
        state.output.removeAll(keepingCapacity: true)
        return buffer
    }

    fileprivate func receive(_ event: UnsafeMutablePointer<GstEvent>, on pad: UnsafeMutablePointer<GstPad>) {
        switch event.pointee.type {
        case GST_EVENT_CAPS:
            var caps: UnsafeMutablePointer<GstCaps>?
            gst_event_parse_caps(event, &caps)
            var info = GstAudioInfo()
            guard let caps, gst_audio_info_from_caps(&info, caps) != 0 else { return }
            let format = PCMFormat(sampleRate: Int(info.rate), channels: Int(info.channels))
            guard state.withLock({ $0.format != format }) else { return }
            drain(on: pad)
            state.withLock { state in
                state.format = format
                state.changer = nil
                state.isDraining = false
            }
        case GST_EVENT_FLUSH_STOP: state.withLock { Self.begin(&$0) }
        case GST_EVENT_EOS: drain(on: pad)
        default: break
        }
    }

    /// Pushes what the changer holds back.
    private func drain(on pad: UnsafeMutablePointer<GstPad>) {
        let rest = state.withLock { state -> Outcome in
            guard let changer = state.changer, !state.isDraining else { return .dropped }
            state.isDraining = true
            changer.drain(appendingTo: &state.output)
            return Self.takeOutput(&state).map { .replaced($0) } ?? .dropped
        }
        if case .replaced(let buffer) = rest { gst_pad_chain(pad, buffer) }
    }
}

// Global and nonisolated: a closure written in isolated code traps when a GStreamer thread calls it.

private func tempoStageSees(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _ data: gpointer?
) -> GstPadProbeReturn {
    guard let pad, let info, let data else { return GST_PAD_PROBE_OK }
    let stage = Unmanaged<TempoStage>.fromOpaque(data).takeUnretainedValue()
    guard info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 else {
        if let event = gst_pad_probe_info_get_event(info) { stage.receive(event, on: pad) }
        return GST_PAD_PROBE_OK
    }
    guard let buffer = gst_pad_probe_info_get_buffer(info) else { return GST_PAD_PROBE_OK }
    switch stage.receive(buffer) {
    case .passed: return GST_PAD_PROBE_OK
    case .dropped: return GST_PAD_PROBE_DROP
    case .replaced(let other):
        // The probe owns the buffer that it replaces.
        info.pointee.data = UnsafeMutableRawPointer(other)
        gst_buffer_unref(buffer)
        return GST_PAD_PROBE_OK
    }
}
