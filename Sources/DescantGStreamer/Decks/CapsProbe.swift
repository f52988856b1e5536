internal import CGStreamer
internal import Synchronization

/// Checks and completes the caps of the raw audio that enters an element, on the streaming thread and before the first
/// sample.
///
/// Impossible formats do not reach the element: the converters of GStreamer 1.22 crash with 64 channels and more, and
/// take memory in proportion to the sample rate. Samples without a segment event before them do not either: wavparse and
/// matroskademux send them with some damaged headers, and scaletempo 1.22 then writes behind its buffer.
final class CapsProbe: Sendable {
    typealias Handler = @Sendable (GstAudioInfo) -> Void
    /// Receives the name of a stream, which differs from song to song of a chain.
    typealias StreamHandler = @Sendable (String) -> Void

    private let handler: Handler
    private let streamBegan: StreamHandler
    private let refuse: HeaderGuard.Refusal
    private let hasRefused = Atomic(false)

    /// The most channels that audioconvert accepts; GStreamer's list of positions has one more.
    private static let maximumChannels = 63

    private init(
        _ handler: @escaping Handler, streamBegan: @escaping StreamHandler, refuse: @escaping HeaderGuard.Refusal
    ) {
        self.handler = handler
        self.streamBegan = streamBegan
        self.refuse = refuse
    }

    /// - Parameters:
    ///   - handler: Receives every format.
    ///   - streamBegan: Receives the name of every stream, before its tags.
    ///   - refused: Receives the reason to refuse a format, a text that follows the source's name.
    static func install(
        on element: GStreamerElement, _ handler: @escaping Handler, streamBegan: @escaping StreamHandler,
        refused: @escaping HeaderGuard.Refusal
    ) {
        guard let pad = gst_element_get_static_pad(element.pointer, "sink") else { return }
        let probe = Unmanaged.passRetained(CapsProbe(handler, streamBegan: streamBegan, refuse: refused)).toOpaque()
        let kinds = GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue | GST_PAD_PROBE_TYPE_BUFFER.rawValue
        gst_pad_add_probe(pad, GstPadProbeType(rawValue: kinds), capsProbeSeesData, probe, releaseObject)
        gst_object_unref(pad)
    }

    /// Whether samples may pass: the pad has received a segment event.
    fileprivate func mayPass(_ pad: UnsafeMutablePointer<GstPad>) -> Bool {
        if let segment = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0) {
            gst_event_unref(segment)
            return true
        }
        if !hasRefused.exchange(true, ordering: .relaxed) {
            refuse("is damaged: GStreamer's demuxer delivers samples without a time segment")
        }
        return false
    }

    /// The result of the check of an event.
    fileprivate enum Verdict {
        case passes
        case isReplaced(by: UnsafeMutablePointer<GstEvent>)
        case isDropped
    }

    fileprivate func receive(_ event: UnsafeMutablePointer<GstEvent>) -> Verdict {
        if event.pointee.type == GST_EVENT_STREAM_START {
            var name: UnsafePointer<CChar>?
            gst_event_parse_stream_start(event, &name)
            if let name { streamBegan(String(cString: name)) }
        }
        guard event.pointee.type == GST_EVENT_CAPS else { return .passes }
        var found: UnsafeMutablePointer<GstCaps>?
        gst_event_parse_caps(event, &found)
        guard let found else { return .passes }
        if let problem = Self.problem(of: found) {
            refuse(problem)
            return .isDropped
        }
        let placed = Self.withPlaces(found)
        defer { if let placed { gst_caps_unref(placed) } }
        var info = GstAudioInfo()
        if gst_audio_info_from_caps(&info, placed ?? found) != 0 { handler(info) }
        return placed.flatMap { gst_event_new_caps($0) }.map { .isReplaced(by: $0) } ?? .passes
    }

    /// Adds the usual channel mask where a file has none: audioconvert 1.22 refuses caps without.
    private static func withPlaces(_ caps: UnsafeMutablePointer<GstCaps>) -> UnsafeMutablePointer<GstCaps>? {
        var channels: gint = 0
        guard let structure = gst_caps_get_structure(caps, 0), gst_structure_has_field(structure, "channel-mask") == 0,
            gst_structure_get_int(structure, "channels", &channels) != 0, channels > 2,
            let text = gst_caps_to_string(caps)
        else { return nil }
        defer { g_free(text) }
        let mask = RawAudioCaps.mask(channels: Int(channels))
        return gst_caps_from_string(String(cString: text) + ", channel-mask=(bitmask)0x" + String(mask, radix: 16))
    }

    /// Reads the fields directly: GstAudioInfo cannot describe more than 64 channels.
    private static func problem(of caps: UnsafeMutablePointer<GstCaps>) -> String? {
        guard let structure = gst_caps_get_structure(caps, 0) else { return nil }
        var (rate, channels): (gint, gint) = (1, 1)
        gst_structure_get_int(structure, "rate", &rate)
        gst_structure_get_int(structure, "channels", &channels)
        guard (1...maximumChannels).contains(Int(channels)) else {
            return "has \(channels) channels; 1 to \(maximumChannels) are possible"
        }
        return GuardedHeader.problem(ofRate: Int(rate))
    }
}

// Global and nonisolated: a closure written in isolated code traps when a GStreamer thread calls it.

private func capsProbeSeesData(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _ data: gpointer?
) -> GstPadProbeReturn {
    guard let pad, let info, let data else { return GST_PAD_PROBE_OK }
    let probe = Unmanaged<CapsProbe>.fromOpaque(data).takeUnretainedValue()
    if info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 {
        return probe.mayPass(pad) ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP
    }
    guard let event = gst_pad_probe_info_get_event(info) else { return GST_PAD_PROBE_OK }
    switch probe.receive(event) {
    case .passes: return GST_PAD_PROBE_OK
    case .isReplaced(let other):
        gst_event_unref(event)
        info.pointee.data = UnsafeMutableRawPointer(other)
        return GST_PAD_PROBE_OK
    case .isDropped: return GST_PAD_PROBE_DROP
    }
}

extension GstAudioInfo {
    /// The loudspeaker of every channel.
    var speakers: [GstAudioChannelPosition] {
        withUnsafeBytes(of: position) { Array($0.bindMemory(to: GstAudioChannelPosition.self).prefix(Int(channels))) }
    }
}
