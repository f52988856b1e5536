internal import CGStreamer
internal import DescantCore

/// The GStreamer library of this process: started once, before anything else of it is used.
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

    /// Loads the plugin of an element, so that the first of its kind is made quickly. An element that is missing is left out.
    static func load(_ factory: String) {
        guard let feature = gst_registry_lookup_feature(gst_registry_get(), factory) else { return }
        if let loaded = gst_plugin_feature_load(feature) { gst_object_unref(UnsafeMutableRawPointer(loaded)) }
        gst_object_unref(UnsafeMutableRawPointer(feature))
    }

    /// Runs the start once and keeps its outcome; `nil` means that it went well.
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
