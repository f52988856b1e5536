internal import CGStreamer
internal import CGStreamerShim

/// Calls a closure with an element that playbin has made, before that element runs.
final class SourceSetup: Sendable {
    typealias Handler = @Sendable (UnsafeMutablePointer<GstElement>) -> Void

    private let handler: Handler

    private init(_ handler: @escaping Handler) { self.handler = handler }

    /// - Parameters:
    ///   - signal: "source-setup" for what reads the source, "element-setup" for all.
    ///   - handler: Called on the thread that makes the element.
    static func connect(
        _ playbin: GStreamerElement, to signal: String = "source-setup", _ handler: @escaping Handler
    ) {
        let setup = Unmanaged.passRetained(SourceSetup(handler)).toOpaque()
        let receive: @convention(c) (gpointer?, UnsafeMutablePointer<GstElement>?, gpointer?) -> Void = sourceIsSetUp
        descant_gst_connect(
            playbin.pointer, signal, unsafeBitCast(receive, to: GCallback.self), setup, sourceSetupReleased)
    }

    fileprivate func receive(_ source: UnsafeMutablePointer<GstElement>) { handler(source) }
}

// Global and nonisolated: a closure written in isolated code traps when a GStreamer thread calls it.

private func sourceIsSetUp(_ playbin: gpointer?, _ source: UnsafeMutablePointer<GstElement>?, _ data: gpointer?) {
    guard let source, let data else { return }
    Unmanaged<SourceSetup>.fromOpaque(data).takeUnretainedValue().receive(source)
}

private func sourceSetupReleased(_ data: gpointer?) {
    if let data { Unmanaged<SourceSetup>.fromOpaque(data).release() }
}
