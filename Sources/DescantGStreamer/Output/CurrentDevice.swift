internal import CGStreamer
internal import CGStreamerShim
internal import Synchronization

/// Watches which device a pulsesink plays to: the server may move a stream at any time.
final class CurrentDevice: Sendable {
    private let changed: @Sendable () -> Void

    private init(_ changed: @escaping @Sendable () -> Void) { self.changed = changed }

    /// Calls a closure, on a streaming thread, when the device may have changed.
    static func watch(_ sink: GStreamerElement, _ changed: @escaping @Sendable () -> Void) {
        guard sink.has("current-device") else { return }
        // GObject calls every handler through this one type; notify's has three parameters.
        let handler = unsafeBitCast(
            currentDeviceChanges as @convention(c) (gpointer?, gpointer?, gpointer?) -> Void, to: GCallback.self)
        descant_gst_connect(
            sink.pointer, "notify::current-device", handler,
            Unmanaged.passRetained(CurrentDevice(changed)).toOpaque(), currentDeviceWatchIsReleased)
    }

    /// The device's name; asks the server, so it may block when the server hangs.
    static func name(of sink: GStreamerElement) -> String? {
        guard sink.has("current-device"), let name = sink.string("current-device"), !name.isEmpty else { return nil }
        return name
    }

    fileprivate func report() { changed() }
}

// Global and nonisolated: a closure written in isolated code traps when a GStreamer thread calls it.

private func currentDeviceChanges(_ sink: gpointer?, _ property: gpointer?, _ data: gpointer?) {
    guard let data else { return }
    Unmanaged<CurrentDevice>.fromOpaque(data).takeUnretainedValue().report()
}

private func currentDeviceWatchIsReleased(_ data: gpointer?) {
    if let data { Unmanaged<CurrentDevice>.fromOpaque(data).release() }
}
