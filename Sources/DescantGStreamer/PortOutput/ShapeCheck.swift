internal import CGStreamer
internal import DescantCore

/// Asks whether a destination takes a shape, before anything of it is acquired.
enum ShapeCheck {
    /// - Throws: `CoreError.unsupported` when an element is missing.
    static func accepts(_ format: PCMFormat, destination: OutputDestination) throws -> Bool {
        let plan = SessionPlan(
            format: format, destination: destination, blockFrames: max(1, format.sampleRate / 50), epochFrame: 0,
            applicationName: "")
        let chain = try SinkChain(plan: plan)
        guard let first = chain.elements.first, let pad = gst_element_get_static_pad(first.pointer, "sink"),
            let caps = gst_caps_from_string(MixerInputs.caps(of: format))
        else { return false }
        defer {
            gst_caps_unref(caps)
            gst_object_unref(pad)
        }
        guard let possible = gst_pad_get_pad_template_caps(pad) else { return false }
        defer { gst_caps_unref(possible) }
        // FLAC files have their own limits, behind the converter that stands first.
        if case .flac = destination, format.sampleRate > 655_350 { return false }
        return gst_caps_can_intersect(possible, caps) != 0
    }
}
