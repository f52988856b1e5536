internal import CGStreamer
internal import CGStreamerShim
internal import DescantCore

/// A GStreamer element, with a reference of its own.
///
/// Set properties and link before the element runs. State changes and seeks may block, so call them on a queue of the
/// owner's, never on a streaming thread or an actor.
final class GStreamerElement: @unchecked Sendable {
    // Safe to share: the pointer never changes, the reference it holds lasts as long as this object, and GStreamer's
    // elements take their own locks in every function that this target calls on them.
    let pointer: UnsafeMutablePointer<GstElement>

    /// Makes an element.
    ///
    /// - Throws: `CoreError.unsupported` naming the element and its package.
    convenience init(_ factory: String) throws {
        try GStreamerRuntime.start()
        guard let made = gst_element_factory_make(factory, nil) else {
            throw CoreError.unsupported(
                "the GStreamer element \"\(factory)\" is missing; install it with: apt-get install "
                    + ElementPackages.package(for: factory))
        }
        self.init(owning: made)
    }

    /// Takes ownership of a new element with a floating reference, or retains another one.
    init(owning element: UnsafeMutablePointer<GstElement>) {
        pointer = element
        gst_object_ref_sink(element)
    }

    /// An empty bin.
    static func bin() throws -> GStreamerElement {
        try GStreamerRuntime.start()
        guard let made = gst_bin_new(nil) else { throw CoreError.unsupported("GStreamer cannot make a bin") }
        return GStreamerElement(owning: made)
    }

    /// An empty pipeline.
    static func pipeline() throws -> GStreamerElement {
        try GStreamerRuntime.start()
        guard let made = gst_pipeline_new(nil) else { throw CoreError.unsupported("GStreamer cannot make a pipeline") }
        return GStreamerElement(owning: made)
    }

    deinit { gst_object_unref(pointer) }

    /// The same object as a pointer to one of its other types.
    ///
    /// - Parameter type: A base class, or the class that the factory is known to make.
    func `as`<Pointee>(_ type: Pointee.Type) -> UnsafeMutablePointer<Pointee> {
        UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: type)
    }

    /// The factory's name, for messages.
    var factoryName: String {
        guard let factory = gst_element_get_factory(pointer),
            let name = gst_object_get_name(
                UnsafeMutableRawPointer(factory).assumingMemoryBound(to: GstObject.self))
        else { return "element" }
        defer { g_free(name) }
        return String(cString: name)
    }
}

// MARK: Properties

extension GStreamerElement {
    /// Sets a property from text, as gst-launch does; unknown properties are ignored by GStreamer.
    func set(_ property: String, _ value: String) { gst_util_set_object_arg(self.as(GObject.self), property, value) }

    func set(_ property: String, _ value: Bool) { set(property, value ? "true" : "false") }

    func set(_ property: String, _ value: some BinaryInteger) { set(property, String(value)) }

    func set(_ property: String, _ value: Double) { set(property, "\(value)") }

    /// Sets a property that holds another element; the property keeps a reference of its own.
    func set(_ property: String, element: GStreamerElement) {
        descant_gst_set_pointer(pointer, property, element.pointer)
    }

    func has(_ property: String) -> Bool { descant_gst_has_property(pointer, property) != 0 }

    func int(_ property: String) -> Int { Int(descant_gst_get_int(pointer, property)) }

    func string(_ property: String) -> String? {
        guard let text = descant_gst_get_string(pointer, property) else { return nil }
        defer { g_free(text) }
        return String(cString: text)
    }
}

// MARK: Bins and links

extension GStreamerElement {
    /// Puts elements into this bin or pipeline.
    func add(_ elements: GStreamerElement...) {
        for element in elements { gst_bin_add(self.as(GstBin.self), element.pointer) }
    }

    /// Links elements in a row.
    ///
    /// - Throws: `CoreError.unsupported` naming the two elements that cannot be linked.
    static func link(_ elements: [GStreamerElement]) throws {
        for (upstream, downstream) in zip(elements, elements.dropFirst())
        where gst_element_link(upstream.pointer, downstream.pointer) == 0 {
            throw CoreError.unsupported(
                "GStreamer cannot link \(upstream.factoryName) to \(downstream.factoryName)")
        }
    }

    /// Adds a ghost pad for a pad of one of the bin's elements.
    ///
    /// - Throws: `CoreError.unsupported` when the element has no such pad.
    func exposePad(_ name: String, of element: GStreamerElement) throws {
        guard let pad = gst_element_get_static_pad(element.pointer, name) else {
            throw CoreError.unsupported("the GStreamer element \(element.factoryName) has no pad \"\(name)\"")
        }
        defer { gst_object_unref(pad) }
        guard let ghost = gst_ghost_pad_new(name, pad), gst_element_add_pad(pointer, ghost) != 0 else {
            throw CoreError.unsupported("GStreamer cannot expose the pad \"\(name)\" of \(element.factoryName)")
        }
    }
}

// MARK: What is inside

extension GStreamerElement {
    /// All elements in this bin and its bins; incomplete when the bin changes meanwhile.
    var descendants: [GStreamerElement] {
        guard let iterator = gst_bin_iterate_recurse(self.as(GstBin.self)) else { return [] }
        defer { gst_iterator_free(iterator) }
        var found: [GStreamerElement] = []
        var value = GValue()
        defer { g_value_unset(&value) }
        while gst_iterator_next(iterator, &value) == GST_ITERATOR_OK {
            if let object = g_value_get_object(&value) {
                found.append(GStreamerElement(owning: object.assumingMemoryBound(to: GstElement.self)))
            }
            g_value_reset(&value)
        }
        return found
    }

    /// Whether the element's own reading thread has stopped.
    var isReadingPaused: Bool {
        guard let pad = gst_element_get_static_pad(pointer, "sink") else { return false }
        defer { gst_object_unref(pad) }
        guard gst_pad_get_task_state(pad) == GST_TASK_PAUSED else { return false }
        // typefind and tag demuxers pause their threads when the next element pulls through them.
        guard let source = gst_element_get_static_pad(pointer, "src") else { return true }
        defer { gst_object_unref(source) }
        return source.pointee.mode != GST_PAD_MODE_PULL
    }
}

// MARK: Running

extension GStreamerElement {
    /// Requests a state; may block, so call it on a queue of the owner's.
    ///
    /// - Returns: Whether GStreamer accepted; the change itself may complete later.
    @discardableResult
    func setState(_ state: GstState) -> Bool { gst_element_set_state(pointer, state) != GST_STATE_CHANGE_FAILURE }

    /// Posts an error on the bus, as elements do.
    func post(_ message: String) {
        guard let raised = g_error_new_literal(gst_core_error_quark(), 1, message) else { return }
        gst_element_post_message(pointer, gst_message_new_error(self.as(GstObject.self), raised, nil))
        g_error_free(raised)
    }

    /// The position in nanoseconds of stream time; `nil` while unknown.
    var positionNanoseconds: Int64? {
        var value: gint64 = 0
        return gst_element_query_position(pointer, GST_FORMAT_TIME, &value) != 0 && value >= 0 ? Int64(value) : nil
    }

    /// The length in nanoseconds; `nil` while unknown.
    var durationNanoseconds: Int64? {
        var value: gint64 = 0
        return gst_element_query_duration(pointer, GST_FORMAT_TIME, &value) != 0 && value > 0 ? Int64(value) : nil
    }
}
