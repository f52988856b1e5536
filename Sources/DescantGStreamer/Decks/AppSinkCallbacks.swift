internal import CGStreamer

/// Tells a monitor what arrives at an appsink, on the streaming thread.
enum AppSinkCallbacks {
    static func install(on sink: GStreamerElement, monitor: PlaybinMonitor) {
        var callbacks = GstAppSinkCallbacks()
        callbacks.eos = appSinkStreamEnded
        callbacks.new_sample = appSinkSampleArrived
        gst_app_sink_set_callbacks(
            sink.as(GstAppSink.self), &callbacks, Unmanaged.passRetained(monitor).toOpaque(), appSinkReleased)
    }
}

// Global and nonisolated: a closure written in isolated code traps when a GStreamer thread calls it.

private func monitor(behind data: gpointer?) -> PlaybinMonitor? {
    data.map { Unmanaged<PlaybinMonitor>.fromOpaque($0).takeUnretainedValue() }
}

private func appSinkStreamEnded(_ sink: UnsafeMutablePointer<GstAppSink>?, _ data: gpointer?) {
    monitor(behind: data)?.streamEnded()
}

private func appSinkSampleArrived(_ sink: UnsafeMutablePointer<GstAppSink>?, _ data: gpointer?) -> GstFlowReturn {
    monitor(behind: data)?.sampleArrived()
    return GST_FLOW_OK
}

private func appSinkReleased(_ data: gpointer?) {
    if let data { Unmanaged<PlaybinMonitor>.fromOpaque(data).release() }
}
