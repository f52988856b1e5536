internal import CGStreamer
internal import CGStreamerShim

/// Why a pipeline gives nothing more.
enum DeckFailure: Sendable {
    /// An element of GStreamer reported an error.
    case stream(StreamFailure)
    /// The host's bytes could not be read.
    case source(any Error)
    /// The stream is not played, for a reason in words that follow the source's name.
    case refused(String)
}

/// The first error that a pipeline posted, as values.
struct StreamFailure: Sendable {
    /// What the element said.
    let error: GStreamerErrorText
    /// The element's technical text; empty when there is none.
    let debug: String
    /// Whether the element that reads the source reported it.
    let isFromSource: Bool
    /// What playbin found that it has no element for, if that was reported before.
    var missing: [MissingCodec] = []
    /// What the web server answered last, if there is one.
    var status: Int?

    /// Whether the source could not be read any more, as when a connection is lost.
    var isLostConnection: Bool { isFromSource || error.domain == "gst-resource-error-quark" }

    /// Takes an error message apart; `nil` for one that says nothing about the sound.
    init?(parsing message: UnsafeMutablePointer<GstMessage>) {
        var raw: UnsafeMutablePointer<GError>?
        var debugText: UnsafeMutablePointer<CChar>?
        gst_message_parse_error(message, &raw, &debugText)
        defer { g_free(debugText) }
        guard let error = GStreamerErrorText(taking: raw) else { return nil }
        isFromSource = String(cString: descant_gst_message_source(message)) == "source"
        debug = debugText.map { String(cString: $0) } ?? ""
        self.error = error
        // playbin complains when the sink that was given to it has no volume property; ours has none on purpose.
        if error.message.contains("No volume control found") { return nil }
    }
}
