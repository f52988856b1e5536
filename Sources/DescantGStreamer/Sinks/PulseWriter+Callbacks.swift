internal import CPulse
internal import DescantCore
internal import Foundation
internal import Synchronization

/// What libpulse's callbacks do, on its thread: they make the stream and follow it from device to device.
extension PulseWriter {
    fileprivate func contextChanged(_ context: OpaquePointer, _ reference: UnsafeMutableRawPointer) {
        switch pa_context_get_state(context) {
        case PA_CONTEXT_READY: Self.start(pa_context_get_server_info(context, writerKnowsServer, reference))
        case PA_CONTEXT_FAILED: report(.failed(Self.text(pa_context_errno(context))))
        default: break
        }
    }

    /// Asks for the device, which decides about the queue.
    fileprivate func serverIsKnown(
        _ info: pa_server_info, _ context: OpaquePointer, _ reference: UnsafeMutableRawPointer
    ) {
        let isPipeWire = info.server_name.map { String(cString: $0).contains("PipeWire") } ?? false
        link.withLock { $0.isPipeWire = isPipeWire }
        guard !isPipeWire else { return connect(context, reference) }
        let name = device ?? info.default_sink_name.map { String(cString: $0) } ?? "@DEFAULT_SINK@"
        Self.start(pa_context_get_sink_info_by_name(context, name, writerKnowsSink, reference))
    }

    /// - Parameter info: The device; `nil` when there is none of that name.
    fileprivate func sinkIsKnown(
        _ info: pa_sink_info?, _ context: OpaquePointer, _ reference: UnsafeMutableRawPointer
    ) {
        // Devices of ALSA give back what they hold, unless they are plugins of ALSA, which belong to no card.
        let rewinds = info?.proplist.map { pa_proplist_contains($0, "alsa.card") == 1 } ?? false
        let (stream, isNew) = link.withLock { link in
            defer { link.rewinds = rewinds }
            return (link.stream, link.rewinds != rewinds)
        }
        guard let stream else { return connect(context, reference) }
        guard isNew else { return }
        var attributes = attributes()
        Self.start(pa_stream_set_buffer_attr(stream, &attributes, nil, nil))
    }

    /// Makes the stream.
    private func connect(_ context: OpaquePointer, _ reference: UnsafeMutableRawPointer) {
        var format = pa_sample_spec(
            format: PA_SAMPLE_FLOAT32LE, rate: UInt32(plan.format.sampleRate), channels: UInt8(plan.format.channels))
        var speakers = pa_channel_map()
        pa_channel_map_parse(&speakers, PulseChannels.map(channels: plan.format.channels))
        let role = link.withLock { $0.role }
        let properties = pa_proplist_new()
        // Desktops apply their policies to the role: music is muted during calls, for instance.
        if !role.rawValue.isEmpty { pa_proplist_sets(properties, PA_PROP_MEDIA_ROLE, role.rawValue) }
        defer { pa_proplist_free(properties) }
        guard let stream = pa_stream_new_with_proplist(context, plan.applicationName, &format, &speakers, properties)
        else { return report(.failed(Self.text(pa_context_errno(context)))) }
        link.withLock { link in
            link.stream = stream
            link.announcedRole = role
            link.chosen = ChosenDevice(device)
        }
        // A device may also be chosen later.
        pa_context_set_subscribe_callback(context, writerHearsOfServer, reference)
        Self.start(pa_context_subscribe(context, PA_SUBSCRIPTION_MASK_SERVER, nil, nil))
        pa_stream_set_state_callback(stream, writerStreamChanged, reference)
        pa_stream_set_moved_callback(stream, writerWasMoved, reference)
        pa_stream_set_latency_update_callback(stream, writerKnowsPosition, reference)
        var attributes = attributes()
        let flags =
            PA_STREAM_START_CORKED.rawValue | PA_STREAM_AUTO_TIMING_UPDATE.rawValue
            | PA_STREAM_INTERPOLATE_TIMING.rawValue
        guard
            pa_stream_connect_playback(
                stream, device, &attributes, pa_stream_flags_t(rawValue: flags), nil, nil) >= 0
        else { return report(.failed(Self.text(pa_context_errno(context)))) }
    }

    /// The queue. The device's own buffer gets the difference between `tlength` and twice `minreq`, where its length is not fixed: it is
    /// short where it is not taken back, and elsewhere as long as the minimum queue, for fewer wake-ups of the server.
    private func attributes() -> pa_buffer_attr {
        func bytes(_ seconds: Double) -> UInt32 {
            UInt32(plan.format.frames(in: seconds)) * UInt32(plan.format.frameBytes)
        }
        let (rewinds, isPipeWire) = link.withLock { ($0.rewinds, $0.isPipeWire) }
        let own = rewinds ? min(0.15, plan.queue * 0.3) : isPipeWire ? 0.02 : 0.01
        // A prebuffer of 0: after a gap the server's time runs on.
        return pa_buffer_attr(
            maxlength: .max, tlength: bytes(plan.queue), prebuf: 0, minreq: bytes(max(0.005, (plan.queue - own) / 2)),
            fragsize: .max)
    }

    fileprivate func streamChanged(_ stream: OpaquePointer, _ reference: UnsafeMutableRawPointer) {
        switch pa_stream_get_state(stream) {
        case PA_STREAM_READY:
            moved(stream, reference)
            announceRole(stream)
            link.withLock { $0.isReady = true }
            readiness.raise()
            report(.opened)
        case PA_STREAM_FAILED:
            report(.failed(Self.text(pa_context_errno(pa_stream_get_context(stream)))))
        case PA_STREAM_TERMINATED: report(.failed("the server has ended the stream"))
        default: break
        }
    }

    /// Asks the new device how it treats the queue, and whether the stream has come there with the default.
    fileprivate func moved(_ stream: OpaquePointer, _ reference: UnsafeMutableRawPointer) {
        guard let name = pa_stream_get_device_name(stream).map({ String(cString: $0) }) else { return }
        let isPipeWire = link.withLock { link in
            link.deviceName = name
            link.held = 0
            link.steps = PipeWireSteps(sampleRate: plan.format.sampleRate)
            return link.isPipeWire
        }
        let context = pa_stream_get_context(stream)
        if !isPipeWire { Self.start(pa_context_get_sink_info_by_name(context, name, writerKnowsSink, reference)) }
        if let context { askForDefault(context, reference) }
        report(.device(name))
    }

    /// Asks for the server's default device when a device was chosen. Called with libpulse's loop locked.
    func askForDefault(_ context: OpaquePointer, _ reference: UnsafeMutableRawPointer) {
        guard link.withLock({ $0.chosen.name }) != nil else { return }
        Self.start(pa_context_get_server_info(context, writerKnowsDefault, reference))
    }

    /// Asks for the chosen device when the stream has left it: one that is gone has lost the stream for good.
    fileprivate func defaultIsKnown(
        _ info: pa_server_info, _ context: OpaquePointer, _ reference: UnsafeMutableRawPointer
    ) {
        guard let standard = info.default_sink_name.map({ String(cString: $0) }) else { return }
        let chosen: String? = link.withLock { link in
            guard let present = link.deviceName, link.chosen.isLeft(for: present, default: standard) else { return nil }
            return link.chosen.name
        }
        guard let chosen else { return }
        Self.start(pa_context_get_sink_info_by_name(context, chosen, writerKnowsChosenDevice, reference))
    }

    fileprivate func chosenDeviceIsThere() { report(.leftChosenDevice) }

    fileprivate func isDrained() { report(.drained) }
}

// Callbacks of libpulse, on its thread. Global and nonisolated: a closure written in isolated code traps when that thread
// runs it. The reference is a ``PulseWriter``, which retains itself until the thread has stopped.

private func writer(_ reference: UnsafeMutableRawPointer?) -> PulseWriter? {
    reference.map { Unmanaged<PulseWriter>.fromOpaque($0).takeUnretainedValue() }
}

func writerContextChanged(_ context: OpaquePointer?, _ reference: UnsafeMutableRawPointer?) {
    guard let context, let reference else { return }
    writer(reference)?.contextChanged(context, reference)
}

private func writerKnowsServer(
    _ context: OpaquePointer?, _ info: UnsafePointer<pa_server_info>?, _ reference: UnsafeMutableRawPointer?
) {
    guard let context, let info, let reference else { return }
    writer(reference)?.serverIsKnown(info.pointee, context, reference)
}

private func writerHearsOfServer(
    _ context: OpaquePointer?, _ event: pa_subscription_event_type_t, _ index: UInt32,
    _ reference: UnsafeMutableRawPointer?
) {
    guard let context, let reference else { return }
    writer(reference)?.askForDefault(context, reference)
}

private func writerKnowsDefault(
    _ context: OpaquePointer?, _ info: UnsafePointer<pa_server_info>?, _ reference: UnsafeMutableRawPointer?
) {
    guard let context, let info, let reference else { return }
    writer(reference)?.defaultIsKnown(info.pointee, context, reference)
}

private func writerKnowsChosenDevice(
    _ context: OpaquePointer?, _ info: UnsafePointer<pa_sink_info>?, _ end: Int32,
    _ reference: UnsafeMutableRawPointer?
) {
    // One answer for the device, before that for the end of the list; or one for the refusal.
    if end == 0 { writer(reference)?.chosenDeviceIsThere() }
}

private func writerKnowsSink(
    _ context: OpaquePointer?, _ info: UnsafePointer<pa_sink_info>?, _ end: Int32,
    _ reference: UnsafeMutableRawPointer?
) {
    // One answer for the device, and one for the end of the list; or one for the refusal.
    guard let context, let reference, end <= 0 else { return }
    writer(reference)?.sinkIsKnown(info?.pointee, context, reference)
}

private func writerStreamChanged(_ stream: OpaquePointer?, _ reference: UnsafeMutableRawPointer?) {
    guard let stream, let reference else { return }
    writer(reference)?.streamChanged(stream, reference)
}

private func writerWasMoved(_ stream: OpaquePointer?, _ reference: UnsafeMutableRawPointer?) {
    if let stream, let reference { writer(reference)?.moved(stream, reference) }
}

private func writerKnowsPosition(_ stream: OpaquePointer?, _ reference: UnsafeMutableRawPointer?) {
    if let stream, let reference { writer(reference)?.positionIsKnown(stream, reference) }
}

func writerAsksAgain(
    _ api: UnsafeMutablePointer<pa_mainloop_api>?, _ event: OpaquePointer?, _ time: UnsafePointer<timeval>?,
    _ reference: UnsafeMutableRawPointer?
) {
    api?.pointee.time_free(event)
    writer(reference)?.asksAgain()
}

func writerIsDrained(_ stream: OpaquePointer?, _ success: Int32, _ reference: UnsafeMutableRawPointer?) {
    writer(reference)?.isDrained()
}
