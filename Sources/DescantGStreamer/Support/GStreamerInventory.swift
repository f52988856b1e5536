internal import CGStreamer

/// What of GStreamer is installed, for programs that tell a person what is missing.
public enum GStreamerInventory {
    /// The version of the library, such as "1.22.0".
    ///
    /// - Throws: `CoreError.unsupported` when GStreamer cannot start.
    public static func version() throws -> String {
        try GStreamerRuntime.start()
        return GStreamerRuntime.version
    }

    /// Whether an element can be made; it is not loaded for that. Any thread.
    ///
    /// - Parameter element: A factory's name, such as `audiomixer`.
    /// - Throws: `CoreError.unsupported` when GStreamer cannot start.
    public static func hasElement(_ element: String) throws -> Bool {
        try GStreamerRuntime.start()
        guard let factory = gst_element_factory_find(element) else { return false }
        gst_object_unref(UnsafeMutableRawPointer(factory))
        return true
    }

    /// The Debian package that brings an element; a guess at the right family for an unusual one.
    ///
    /// - Parameter element: A factory's name, such as `audiomixer`.
    public static func package(for element: String) -> String { ElementPackages.package(for: element) }
}
