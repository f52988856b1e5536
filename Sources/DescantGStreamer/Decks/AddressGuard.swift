internal import CGStreamer
internal import DescantContainers
internal import DescantCore
internal import Foundation
internal import Synchronization

/// Keeps a source from opening other addresses than its own.
///
/// The content decides which elements playbin adds, whatever the name of a file is. A playlist for streaming (HLS, DASH, Smooth Streaming)
/// adds a demuxer that fetches its segments. For a QuickTime reference movie playbin opens the movie that it names. A source of this machine
/// opens no other address, because nobody asked for the network. A source on the network opens addresses on the network only: it must not
/// read the files of this machine.
struct AddressGuard: Sendable {
    /// The address of the source, as playbin knows it.
    private let uri: String
    /// Whether the bytes come from this machine.
    private let isLocal: Bool
    /// Receives the reason of a refusal, a text that follows the source's name.
    private let refuse: HeaderGuard.Refusal

    init(_ resolved: ResolvedSource, isLocal: Bool, _ refuse: @escaping HeaderGuard.Refusal) {
        uri = resolved.uri
        self.isLocal = isLocal
        self.refuse = refuse
    }

    /// Whether an element is the source of the address that was asked for, rather than of one that the content names. Called before the
    /// element is in a bin, so that no other thread can start it.
    ///
    /// - Parameter playbin: The element that has made it; `nil` when it is not wanted any more.
    func admits(_ source: UnsafeMutablePointer<GstElement>, of playbin: GStreamerElement?) -> Bool {
        // The source may spell its address differently, playbin does not.
        let address = playbin?.string("current-uri")
        if address == uri { return true }
        stop(source, at: address)
        return false
    }

    /// Refuses an element that would open another address. Called on the thread that adds the element, before it runs.
    func check(_ element: GStreamerElement) {
        if element.isDemuxerOfSegments {
            if isLocal { refuse(Self.playlist) }
            UnownedSources.refuse()
            ManifestGate(isRefused: isLocal, refuse).attach(to: element.pointer)
        } else if !mayOpen(element) {
            stop(element.pointer, at: element.sourceURI)
        }
    }

    private func stop(_ source: UnsafeMutablePointer<GstElement>, at address: String?) {
        // Its bin then leaves it in the state NULL, in which it opens nothing.
        gst_element_set_locked_state(source, 1)
        refuse(Self.reference(to: address ?? ""))
    }

    /// Whether an element is the source itself or opens no forbidden address.
    private func mayOpen(_ element: GStreamerElement) -> Bool {
        guard element.sourceURI != nil else { return true }
        // The source itself was checked before.
        if element.parent?.factoryName == "uridecodebin" { return true }
        return !isLocal && (element.hasClass("Network") || element.factoryName == "dataurisrc")
    }

    private static let playlist =
        "is a playlist for streaming, whose parts have other addresses, and a source of this machine opens none; open the "
        + "playlist at its address on the web, or the parts"

    static func reference(to address: String) -> String {
        let shown = URL(string: address).map { $0.withoutSecrets.absoluteString } ?? "another address"
        return
            "has its sound elsewhere, at \(shown), which is not opened because only the content asks for it; open that "
            + "address itself"
    }
}

/// A QuickTime movie that consists of references to others.
///
/// Files and bytes of this machine are refused before playbin gets them: it opens the other movie on another thread, which can be quicker than
/// ``AddressGuard``. Movies whose header is compressed, and streams that cannot seek, are left to that guard.
enum ReferenceMovie {
    /// The reason to refuse a movie, a text that follows the source's name; `nil` for everything else.
    static func problem(in file: some RandomAccessBytes<Never>) -> String? {
        guard ["ftyp", "moov"].contains(String(latin1: file.bytes(at: 4, count: 4))),
            let movie = MP4Atom.list(in: file, from: 0, to: file.size).first(where: { $0.name == "moov" }),
            let references = movie.find("rmra", in: file)
        else { return nil }
        // Flags, the kind and the size stand before the address.
        let reference = references.find("rmda", "rdrf", in: file)?.content(of: file, limit: 4_096).dropFirst(12)
        return AddressGuard.reference(to: String(decoding: reference?.prefix { $0 != 0 } ?? [], as: UTF8.self))
    }
}

/// Stops what a demuxer reads: all of it, or from the first address on that a source on the network may not open.
///
/// The demuxer opens the playlists that a playlist names with elements outside of the pipeline.
final class ManifestGate: InputGate {
    private struct State {
        var isRefused: Bool
        /// The end of the bytes before, in which an address may begin.
        var carried: [UInt8] = []
    }

    private let state: Mutex<State>
    private let refuse: HeaderGuard.Refusal

    /// The bytes before a colon in which a scheme is searched.
    private static let longestScheme = 16

    init(isRefused: Bool, _ refuse: @escaping HeaderGuard.Refusal) {
        state = Mutex(State(isRefused: isRefused))
        self.refuse = refuse
    }

    func mayPass(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        var bytes = [UInt8](repeating: 0, count: Int(gst_buffer_get_size(buffer)))
        gst_buffer_extract(buffer, 0, &bytes, gsize(bytes.count))
        let (isRefused, scheme) = state.withLock { state in
            guard !state.isRefused else { return (true, String?.none) }
            let text = state.carried + bytes
            state.carried = text.suffix(Self.longestScheme + 1)
            let scheme = Self.foreignScheme(in: text)
            state.isRefused = scheme != nil
            return (state.isRefused, scheme)
        }
        if let scheme { refuse(AddressGuard.reference(to: "\(scheme)://")) }
        return !isRefused
    }

    /// Without its end a playlist is not read.
    func mayPass(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        event.pointee.type != GST_EVENT_EOS || !state.withLock { $0.isRefused }
    }

    /// The scheme of the first address that is not on the web and that an element opens.
    private static func foreignScheme(in text: [UInt8]) -> String? {
        for colon in text.indices where text[colon...].starts(with: ":/".utf8) {
            let before = text[max(0, colon - longestScheme)..<colon]
            let name = String(latin1: before.reversed().prefix { isLetter($0) }.reversed()).lowercased()
            guard !name.isEmpty, !["http", "https"].contains(name) else { continue }
            if gst_uri_protocol_is_supported(GST_URI_SRC, name) != 0 { return name }
        }
        return nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        let scalar = Unicode.Scalar(byte)
        return scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789+-.".unicodeScalars.contains(scalar))
    }
}

extension GStreamerElement {
    /// Whether the element fetches what a playlist or a session description names.
    fileprivate var isDemuxerOfSegments: Bool { hasClass("Demuxer") && (hasClass("Adaptive") || hasClass("Network")) }

    /// Whether a word is among the classes of the element's factory, such as "Codec/Demuxer/Adaptive".
    fileprivate func hasClass(_ word: Substring) -> Bool {
        guard let factory = gst_element_get_factory(pointer),
            let text = gst_element_factory_get_metadata(factory, GST_ELEMENT_METADATA_KLASS)
        else { return false }
        return String(cString: text).split(separator: "/").contains(word)
    }

    /// The address that the element reads; `nil` for an element that reads none.
    fileprivate var sourceURI: String? {
        let instance = self.as(GTypeInstance.self)
        guard g_type_check_instance_is_a(instance, gst_uri_handler_get_type()) != 0,
            gst_uri_handler_get_uri_type(OpaquePointer(pointer)) == GST_URI_SRC
        else { return nil }
        guard let text = gst_uri_handler_get_uri(OpaquePointer(pointer)) else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }

    fileprivate var parent: GStreamerElement? {
        guard let parent = gst_object_get_parent(self.as(GstObject.self)) else { return nil }
        defer { gst_object_unref(parent) }
        return GStreamerElement(owning: UnsafeMutableRawPointer(parent).assumingMemoryBound(to: GstElement.self))
    }
}
