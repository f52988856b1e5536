internal import CGStreamer

/// Keeps elements that no bin holds from opening files and descriptors of this machine.
///
/// A demuxer for streaming fetches keys, and the playlists that a playlist names, with such elements. Nothing announces them, so
/// ``AddressGuard`` does not see them. As a key, `/dev/zero` would fill the memory, a FIFO would hold up the end of the deck, and a
/// descriptor would take the bytes of another. A pipeline that plays files holds their sources in bins, so others do not miss what is refused.
enum UnownedSources {
    fileprivate typealias Start = @convention(c) (UnsafeMutablePointer<GstBaseSrc>?) -> gboolean

    /// The original start functions, by the type of the source.
    fileprivate static let starts: [GType: Start] = {
        var starts: [GType: Start] = [:]
        for name in ["filesrc", "fdsrc"] {
            guard let found = gst_element_factory_find(name) else { continue }
            defer { gst_object_unref(UnsafeMutableRawPointer(found)) }
            guard let factory = gst_plugin_feature_load(found) else { continue }
            defer { gst_object_unref(UnsafeMutableRawPointer(factory)) }
            let type = gst_element_factory_get_element_type(factory)
            // The class is never given back, so the function stays in it.
            guard let made = g_type_class_ref(type) else { continue }
            let sourceClass = made.assumingMemoryBound(to: GstBaseSrcClass.self)
            guard let start = sourceClass.pointee.start else { continue }
            starts[type] = start
            sourceClass.pointee.start = startUnlessUnowned
        }
        return starts
    }()

    /// Refuses them from now on, in the whole process. Repeated calls do nothing.
    static func refuse() { _ = starts }
}

/// Called on the thread that starts the source. A source that is refused posts that it could not be started.
private func startUnlessUnowned(_ source: UnsafeMutablePointer<GstBaseSrc>?) -> gboolean {
    guard let source else { return 0 }
    let object = UnsafeMutableRawPointer(source).assumingMemoryBound(to: GstObject.self)
    guard let parent = gst_object_get_parent(object) else { return 0 }
    gst_object_unref(parent)
    // A class that was derived from one of these has inherited this function.
    var type = object.pointee.object.g_type_instance.g_class.pointee.g_type
    while type != 0 {
        if let start = UnownedSources.starts[type] { return start(source) }
        type = g_type_parent(type)
    }
    return 0
}
