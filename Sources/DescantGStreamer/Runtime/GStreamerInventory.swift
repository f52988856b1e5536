internal import CGStreamer

/// The installed parts of GStreamer, for programs that report missing ones.
public enum GStreamerInventory {
    /// The version of the library, such as "1.22.0".
    ///
    /// - Throws: `CoreError.unsupported` when GStreamer cannot start.
    public static func version() throws -> String {
        try GStreamerRuntime.start()
        return GStreamerRuntime.version
    }

    /// Whether an element is installed; it is not loaded. Any thread.
    ///
    /// - Parameter element: A factory's name, such as `audiomixer`.
    /// - Throws: `CoreError.unsupported` when GStreamer cannot start.
    public static func hasElement(_ element: String) throws -> Bool {
        try GStreamerRuntime.start()
        guard let factory = gst_element_factory_find(element) else { return false }
        gst_object_unref(UnsafeMutableRawPointer(factory))
        return true
    }

    /// The Debian package with an element; for an unusual one, the most likely one.
    ///
    /// - Parameter element: A factory's name, such as `audiomixer`.
    public static func package(for element: String) -> String { ElementPackages.package(for: element) }
}

/// The Debian packages of elements.
enum ElementPackages {
    private static let packages: [String: [String]] = [
        "gstreamer1.0-plugins-base": [
            "playbin", "decodebin", "uridecodebin", "audioconvert", "audioresample", "audiomixer", "appsink", "appsrc",
            "volume", "opusdec", "vorbisdec", "oggdemux", "giosrc",
        ],
        "gstreamer1.0-plugins-good": [
            "scaletempo", "level", "audiodynamic", "pulsesink", "pulsesrc", "souphttpsrc", "flacdec", "flacparse",
            "mpg123audiodec", "wavparse", "wavenc", "flacenc", "qtdemux", "autoaudiosink", "id3demux", "icydemux",
        ],
        "gstreamer1.0-plugins-bad": ["hlsdemux", "fdkaacdec", "faad", "aiffparse", "pitch"],
        "gstreamer1.0-libav": ["avdec_aac", "avdec_alac", "avdec_wmav2"],
        "gstreamer1.0-alsa": ["alsasink", "alsasrc"],
        "gstreamer1.0-pipewire": ["pipewiresink"],
        "libgstreamer1.0-0": ["fakesink", "filesink", "filesrc", "queue", "tee", "identity", "capsfilter"],
    ]

    /// The package with an element; for an element that is not listed, the most likely one.
    static func package(for element: String) -> String {
        for (package, elements) in packages where elements.contains(element) { return package }
        return element.hasPrefix("av") ? "gstreamer1.0-libav" : "gstreamer1.0-plugins-good"
    }
}
