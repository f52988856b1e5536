internal import CGStreamer
internal import DescantCore

/// The GStreamer library of this process, which is started once before other calls.
package enum GStreamerRuntime {
    /// Starts GStreamer from any thread; later calls return at once.
    ///
    /// - Throws: `CoreError.unsupported` when the library cannot start, with its own message.
    package static func start() throws {
        if let failure {
            throw CoreError.unsupported(
                "GStreamer cannot start: \(failure); check the installation with gst-inspect-1.0")
        }
    }

    /// "1.22.0".
    package static var version: String {
        var major: guint = 0
        var minor: guint = 0
        var micro: guint = 0
        var nano: guint = 0
        gst_version(&major, &minor, &micro, &nano)
        return "\(major).\(minor).\(micro)"
    }

    /// Loads the plugin of an element, so that the first element is made quickly. A missing element is skipped.
    static func load(_ factory: String) {
        guard let feature = gst_registry_lookup_feature(gst_registry_get(), factory) else { return }
        if let loaded = gst_plugin_feature_load(feature) { gst_object_unref(UnsafeMutableRawPointer(loaded)) }
        gst_object_unref(UnsafeMutableRawPointer(feature))
    }

    /// Starts GStreamer once; `nil` after success.
    private static let failure: String? = {
        // A library must not install signal handlers in its host.
        gst_segtrap_set_enabled(0)
        var error: UnsafeMutablePointer<GError>?
        guard gst_init_check(nil, nil, &error) != 0 else {
            return GStreamerErrorText(taking: error)?.message ?? "unknown reason"
        }
        LogFilter.install()
        DecoderRanking.setRanks()
        return nil
    }()
}

/// Keeps one false critical message of GStreamer off the standard error stream.
///
/// The MP3 decoder requests an empty buffer at the end of some MPEG-2 files, which its base class refuses with a
/// critical message (GStreamer 1.22). The sound is complete. All other messages are logged as before.
private enum LogFilter {
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

/// The values of a GError.
struct GStreamerErrorText: Sendable {
    /// The error domain, such as "gst-resource-error-quark".
    let domain: String
    /// The code within the domain.
    let code: Int
    /// The library's message.
    let message: String

    /// Copies an error and frees it; `nil` gives `nil`.
    init?(taking error: UnsafeMutablePointer<GError>?) {
        guard let error else { return nil }
        domain = String(cString: g_quark_to_string(error.pointee.domain))
        code = Int(error.pointee.code)
        message = error.pointee.message.map { String(cString: $0) } ?? "no message"
        g_error_free(error)
    }
}
