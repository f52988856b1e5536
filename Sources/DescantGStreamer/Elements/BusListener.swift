internal import CGStreamer

/// Passes the messages of a pipeline's bus to a closure, on the posting thread.
///
/// There is no GMainLoop and no thread for the bus. The closure must only pass values on: it runs on streaming threads
/// and inside state changes, and must neither change a state nor wait.
final class BusListener: Sendable {
    typealias Handler = @Sendable (UnsafeMutablePointer<GstMessage>) -> Void

    private let handler: Handler

    private init(_ handler: @escaping Handler) { self.handler = handler }

    /// Listens to a pipeline's bus until the pipeline is freed or ``stop(_:)`` is called.
    ///
    /// The closure is kept alive by the bus; a message is valid only during the call.
    static func listen(to pipeline: GStreamerElement, _ handler: @escaping Handler) {
        guard let bus = gst_element_get_bus(pipeline.pointer) else { return }
        let listener = Unmanaged.passRetained(BusListener(handler)).toOpaque()
        gst_bus_set_sync_handler(bus, busListenerReceives, listener, releaseObject)
        gst_object_unref(bus)
    }

    /// Stops listening; a call in progress completes.
    static func stop(_ pipeline: GStreamerElement) {
        guard let bus = gst_element_get_bus(pipeline.pointer) else { return }
        gst_bus_set_sync_handler(bus, busListenerDrops, nil, nil)
        gst_object_unref(bus)
    }

    fileprivate func receive(_ message: UnsafeMutablePointer<GstMessage>) { handler(message) }
}

// Global and nonisolated: a closure written in isolated code traps when a GStreamer thread calls it.

private func busListenerReceives(
    _ bus: UnsafeMutablePointer<GstBus>?, _ message: UnsafeMutablePointer<GstMessage>?, _ data: gpointer?
) -> GstBusSyncReply {
    guard let message else { return GST_BUS_DROP }
    if let data { Unmanaged<BusListener>.fromOpaque(data).takeUnretainedValue().receive(message) }
    gst_message_unref(message)
    return GST_BUS_DROP
}

private func busListenerDrops(
    _ bus: UnsafeMutablePointer<GstBus>?, _ message: UnsafeMutablePointer<GstMessage>?, _ data: gpointer?
) -> GstBusSyncReply {
    if let message { gst_message_unref(message) }
    return GST_BUS_DROP
}
