internal import CGStreamer

/// Keeps one known false alarm of GStreamer off the standard error stream.
///
/// The MP3 decoder asks for an empty buffer at the end of some MPEG-2 files, which its base class refuses with a critical
/// message (GStreamer 1.22). The sound is complete. Everything else is logged as before.
enum LogFilter {
    static func install() {
        g_log_set_handler("GStreamer-Audio", G_LOG_LEVEL_CRITICAL, logFilterReceives, nil)
    }
}

// Global and nonisolated: a closure written in isolated code traps when a GStreamer thread calls it.

private func logFilterReceives(
    _ domain: UnsafePointer<gchar>?, _ level: GLogLevelFlags, _ message: UnsafePointer<gchar>?, _ data: gpointer?
) {
    let text = message.map { String(cString: $0) } ?? ""
    if text.contains("gst_audio_decoder_allocate_output_buffer: assertion 'size > 0' failed") { return }
    g_log_default_handler(domain, level, message, nil)
}
