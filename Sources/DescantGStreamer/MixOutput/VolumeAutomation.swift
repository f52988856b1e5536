internal import CGStreamer
internal import DescantCore
internal import DescantMixing
internal import Synchronization

/// Applies a gain envelope to a volume element, sample by sample.
///
/// A constant gain is set as the element's property. Setting the property during playback would click, so the first
/// change attaches a control source, which then stays.
///
/// At a gain of exactly 1 an element without a control source passes buffers unchanged.
final class VolumeAutomation: Sendable {
    private struct Control {
        var source: UnsafeMutablePointer<GstTimedValueControlSource>?
        /// The points of the control source, in frames of the pipeline.
        var corners: [GainEnvelope.Point] = []
    }

    private let element: GStreamerElement
    private let sampleRate: Int
    private let control = Mutex(Control())

    /// - Parameters:
    ///   - element: The volume element of a pipeline that has not started.
    ///   - epochFrame: The frame on the output's timeline at which the pipeline's time is 0.
    ///   - envelope: The gain envelope.
    init(element: GStreamerElement, epochFrame: Int64, sampleRate: Int, envelope: GainEnvelope) {
        self.element = element
        self.sampleRate = sampleRate
        element.set("volume", envelope.gain(at: epochFrame))
        if !envelope.isConstant(from: epochFrame) { follow(envelope, from: epochFrame, graphFrame: 0, passingFrame: 0) }
    }

    deinit {
        control.withLock { control in
            if let source = control.source { gst_object_unref(source) }
        }
    }

    /// Whether the gain has changed since the pipeline began.
    var isControlled: Bool { control.withLock { $0.source != nil } }

    /// Applies an envelope that has changed from a frame on; earlier frames may be in the element now.
    ///
    /// - Parameters:
    ///   - envelope: The gain envelope.
    ///   - frame: The first changed frame, on the output's timeline; not in the pipeline yet.
    ///   - graphFrame: The same frame in the pipeline.
    ///   - passingFrame: The first frame of the pipeline that may still be in the element or reach it.
    func follow(_ envelope: GainEnvelope, from frame: Int64, graphFrame: Int64, passingFrame: Int64) {
        control.withLock { control in
            // The point at the frame lies on the old envelope, so adding it does not affect earlier frames; then the
            // later old points can be removed.
            let corners = envelope.corners(from: frame).map { corner in
                GainEnvelope.Point(frame: corner.frame - frame + graphFrame, gain: corner.gain)
            }
            if control.source == nil { control.source = bind(startingWith: corners[0].gain, to: &control) }
            guard let source = control.source else { return }
            set(corners[0], in: source, &control)
            for old in control.corners where old.frame > graphFrame { unset(old, in: source, &control) }
            for corner in corners.dropFirst() { set(corner, in: source, &control) }
            forgetCorners(before: passingFrame, in: source, &control)
        }
    }

    private func bind(
        startingWith gain: Double, to control: inout Control
    ) -> UnsafeMutablePointer<GstTimedValueControlSource>? {
        guard let made = gst_interpolation_control_source_new() else { return nil }
        gst_object_ref_sink(made)
        let raw = UnsafeMutableRawPointer(made)
        gst_util_set_object_arg(raw.assumingMemoryBound(to: GObject.self), "mode", "linear")
        let source = raw.assumingMemoryBound(to: GstTimedValueControlSource.self)
        set(GainEnvelope.Point(frame: 0, gain: gain), in: source, &control)
        let binding = gst_direct_control_binding_new_absolute(element.as(GstObject.self), "volume", made)
        gst_object_add_control_binding(element.as(GstObject.self), binding)
        // The element itself would leave passthrough mode only when a buffer begins with another gain, one buffer too
        // late for a ramp that begins within the buffer.
        gst_base_transform_set_passthrough(element.as(GstBaseTransform.self), 0)
        return source
    }

    private func set(
        _ corner: GainEnvelope.Point, in source: UnsafeMutablePointer<GstTimedValueControlSource>,
        _ control: inout Control
    ) {
        guard gst_timed_value_control_source_set(source, time(of: corner.frame), corner.gain) != 0 else { return }
        control.corners.removeAll { $0.frame == corner.frame }
        control.corners.append(corner)
    }

    private func unset(
        _ corner: GainEnvelope.Point, in source: UnsafeMutablePointer<GstTimedValueControlSource>,
        _ control: inout Control
    ) {
        gst_timed_value_control_source_unset(source, time(of: corner.frame))
        control.corners.removeAll { $0 == corner }
    }

    /// Keeps the last point at or before a frame, and all later ones.
    private func forgetCorners(
        before frame: Int64, in source: UnsafeMutablePointer<GstTimedValueControlSource>, _ control: inout Control
    ) {
        let passed = control.corners.filter { $0.frame <= frame }.sorted { $0.frame < $1.frame }
        for old in passed.dropLast() { unset(old, in: source, &control) }
    }

    private func time(of frame: Int64) -> GstClockTime {
        GstClockTime(gst_util_uint64_scale_ceil(UInt(frame), 1_000_000_000, UInt(sampleRate)))
    }
}
