internal import CGStreamer
internal import CGStreamerShim
internal import DescantContainers
internal import DescantCore
internal import Synchronization

/// Refuses streams that make elements of GStreamer 1.22 crash or run for ever.
///
/// A Vorbis sample rate of 2^31 or more is a division by zero in vorbisdec. A tag whose size exceeds 32 bits together
/// with its own header fails an assertion in id3demux and apedemux. speexdec decodes as many frames from a packet as the
/// header claims, up to 2^32, and cannot be stopped meanwhile. Every packet passes a probe before the element, so all kinds
/// of sources and the later links of chained files are checked.
final class HeaderGuard: Sendable {
    /// Receives the reason of a refusal, a text that follows the source's name. Called once for each refused pad, on a
    /// streaming thread.
    typealias Refusal = @Sendable (String) -> Void

    private let refuse: Refusal

    private init(_ refuse: @escaping Refusal) { self.refuse = refuse }

    /// Checks the input of every element that a playbin adds from now on.
    static func install(on playbin: GStreamerElement, _ refuse: @escaping Refusal) {
        let data = Unmanaged.passRetained(HeaderGuard(refuse)).toOpaque()
        let receive: @convention(c) (gpointer?, gpointer?, UnsafeMutablePointer<GstElement>?, gpointer?) -> Void =
            elementIsAdded
        descant_gst_connect(
            playbin.pointer, "deep-element-added", unsafeBitCast(receive, to: GCallback.self), data, releaseObject)
    }

    fileprivate func watch(_ element: UnsafeMutablePointer<GstElement>) {
        let name = GStreamerElement(owning: element).factoryName
        if name.hasPrefix("avdemux_") || name == "wavparse" { return EndlessReadGuard.install(on: element, refuse) }
        if let header = GuardedHeader(element: name) { HeaderGate(header, refuse).attach(to: element) }
    }
}

/// A kind of header that is checked.
enum GuardedHeader {
    case vorbis, speex, id3, ape

    /// The kind of header to check before an element; `nil` for most elements.
    init?(element: String) {
        switch element {
        case "vorbisdec": self = .vorbis
        case "speexdec": self = .speex
        case "id3demux": self = .id3
        case "apedemux": self = .ape
        default: return nil
        }
    }

    /// The bytes from the beginning that are checked.
    static let length = 80

    /// The reason to refuse a header, a text that follows the source's name; `nil` for a harmless one.
    func problem(in bytes: [UInt8]) -> String? {
        switch self {
        case .vorbis:
            guard bytes.starts(with: [1] + Array("vorbis".utf8)), let rate = bytes.uint32(at: 12, .little) else {
                return nil
            }
            return Self.problem(ofRate: Int(rate))
        case .speex:
            guard bytes.starts(with: Array("Speex   ".utf8)), let frames = bytes.uint32(at: 64, .little),
                frames > Self.speexFrameLimit
            else { return nil }
            return "has a damaged Speex header, which claims \(frames) frames in a packet"
        case .id3:
            guard bytes.starts(with: Array("ID3".utf8)), let size = bytes.uint32(at: 6, .big) else { return nil }
            // Header and footer are 10 bytes each.
            return size > UInt32.max - 20 ? Self.impossibleTag("ID3v2") : nil
        case .ape:
            guard bytes.starts(with: Array("APETAGEX".utf8)), let size = bytes.uint32(at: 12, .little) else {
                return nil
            }
            return size > UInt32.max - 32 ? Self.impossibleTag("APE") : nil
        }
    }

    /// The highest number of Speex frames in a packet; encoders write 1 to 10.
    private static let speexFrameLimit: UInt32 = 256

    /// The reason to refuse a sample rate; `nil` for a supported one.
    static func problem(ofRate rate: Int) -> String? {
        let rates = PCMFormat.supportedSampleRates
        return rates.contains(rate)
            ? nil : "has a sample rate of \(rate) Hz; \(rates.lowerBound) to \(rates.upperBound) Hz are possible"
    }

    private static func impossibleTag(_ kind: String) -> String {
        "has a damaged \(kind) tag, which claims to be larger than 4 GiB; remove the tag or write it again"
    }
}

/// Checks the headers that reach one element.
private final class HeaderGate: InputGate {
    private let header: GuardedHeader
    private let refuse: HeaderGuard.Refusal
    private let hasRefused = Mutex(false)

    init(_ header: GuardedHeader, _ refuse: @escaping HeaderGuard.Refusal) {
        self.header = header
        self.refuse = refuse
    }

    /// Whether a buffer may pass. After a refusal, none does.
    func mayPass(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        var bytes = [UInt8](repeating: 0, count: GuardedHeader.length)
        let count = gst_buffer_extract(buffer, 0, &bytes, gsize(bytes.count))
        let problem = header.problem(in: Array(bytes[..<Int(count)]))
        let (isOver, isFirst) = hasRefused.withLock { hasRefused in
            defer { hasRefused = hasRefused || problem != nil }
            return (hasRefused || problem != nil, !hasRefused)
        }
        if let problem, isFirst { refuse(problem) }
        return !isOver
    }

    /// Whether caps may pass: they may contain a stream's header packets.
    func mayPass(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        guard event.pointee.type == GST_EVENT_CAPS else { return true }
        var caps: UnsafeMutablePointer<GstCaps>?
        gst_event_parse_caps(event, &caps)
        guard let caps, let structure = gst_caps_get_structure(caps, 0),
            let packets = gst_structure_get_value(structure, "streamheader")
        else { return true }
        for index in 0..<gst_value_array_get_size(packets) {
            guard let value = gst_value_array_get_value(packets, index), let packet = g_value_get_boxed(value) else {
                continue
            }
            if !mayPass(packet.assumingMemoryBound(to: GstBuffer.self)) { return false }
        }
        return true
    }
}

/// Stops a demuxer that reads for ever, behind the end of the file or 0 bytes at a time.
///
/// Demuxers of libav 59 (gst-libav 1.22) repeat a read behind the end: that of IFF with every DSDIFF file, that of TTA
/// with a file that announces more frames than it has. wavparse reads 0 bytes when a block is larger than what it
/// reads at a time.
private final class EndlessReadGuard: Sendable {
    private let refuse: HeaderGuard.Refusal
    private let reads = Atomic(0)

    /// The number of successive reads without a byte that counts as endless. Demuxers that end make 1 to 3.
    private static let limit = 1_000

    private init(_ refuse: @escaping HeaderGuard.Refusal) { self.refuse = refuse }

    static func install(on element: UnsafeMutablePointer<GstElement>, _ refuse: @escaping HeaderGuard.Refusal) {
        guard let pad = gst_element_get_static_pad(element, "sink") else { return }
        let probe = Unmanaged.passRetained(EndlessReadGuard(refuse)).toOpaque()
        let kinds = GST_PAD_PROBE_TYPE_PULL.rawValue | GST_PAD_PROBE_TYPE_BLOCK.rawValue
        gst_pad_add_probe(pad, GstPadProbeType(rawValue: kinds), demuxerReads, probe, releaseObject)
        gst_object_unref(pad)
    }

    /// Whether a read may continue. Otherwise the demuxer's thread is blocked until the pipeline stops.
    func mayRead(_ bytes: UInt32, at offset: UInt64, _ pad: UnsafeMutablePointer<GstPad>) -> Bool {
        guard bytes == 0 || isAtEnd(offset, pad) else {
            reads.store(0, ordering: .relaxed)
            return true
        }
        let count = reads.add(1, ordering: .relaxed).newValue
        if count == Self.limit {
            let place = bytes == 0 ? "without taking a byte" : "behind the end of the file"
            refuse("is damaged: GStreamer's demuxer reads on \(place)")
        }
        return count < Self.limit
    }

    private func isAtEnd(_ offset: UInt64, _ pad: UnsafeMutablePointer<GstPad>) -> Bool {
        var size: gint64 = -1
        return gst_pad_peer_query_duration(pad, GST_FORMAT_BYTES, &size) != 0 && size >= 0 && offset >= UInt64(size)
    }
}

// Global and nonisolated: a closure written in isolated code traps when a GStreamer thread calls it.

private func demuxerReads(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _ data: gpointer?
) -> GstPadProbeReturn {
    guard let pad, let info, let data else { return GST_PAD_PROBE_PASS }
    let end = Unmanaged<EndlessReadGuard>.fromOpaque(data).takeUnretainedValue()
    let mayRead = end.mayRead(info.pointee.size, at: UInt64(info.pointee.offset), pad)
    return mayRead ? GST_PAD_PROBE_PASS : GST_PAD_PROBE_OK
}

private func elementIsAdded(
    _ playbin: gpointer?, _ bin: gpointer?, _ element: UnsafeMutablePointer<GstElement>?, _ data: gpointer?
) {
    guard let element, let data else { return }
    Unmanaged<HeaderGuard>.fromOpaque(data).takeUnretainedValue().watch(element)
}
