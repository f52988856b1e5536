internal import CGStreamer
internal import CGStreamerShim

/// The reason why a pipeline delivers no more samples.
enum DeckFailure: Sendable {
    /// An element of GStreamer reported an error.
    case stream(StreamFailure)
    /// The host's bytes could not be read.
    case source(any Error)
    /// The stream is refused; the text follows the source's name.
    case refused(String)
}

/// The first error that a pipeline posted, as values.
struct StreamFailure: Sendable {
    /// The element's error.
    let error: GStreamerErrorText
    /// The element's debug text; may be empty.
    let debug: String
    /// Whether the source element reported the error.
    let isFromSource: Bool
    /// The codecs for which playbin found no element before.
    var missing: [MissingCodec] = []
    /// The HTTP status of the last response, if there is one.
    var status: Int?

    /// Whether the source could not be read, as after the loss of a connection.
    var isLostConnection: Bool { isFromSource || error.domain == "gst-resource-error-quark" }

    /// Whether the source stopped and its error does not say why.
    var hasNoReason: Bool { isFromSource && debug.contains("reason error") }

    /// The reason in an element's debug text, for a person: what is behind the first line, which names source files and elements.
    static func reason(in debug: String) -> String {
        debug.split(separator: "\n").dropFirst().joined(separator: " ").trimmedPeriod
    }

    /// Parses an error message; `nil` for one without effect on the sound.
    init?(parsing message: UnsafeMutablePointer<GstMessage>) {
        var raw: UnsafeMutablePointer<GError>?
        var debugText: UnsafeMutablePointer<CChar>?
        gst_message_parse_error(message, &raw, &debugText)
        defer { g_free(debugText) }
        guard let error = GStreamerErrorText(taking: raw) else { return nil }
        isFromSource = String(cString: descant_gst_message_source(message)) == "source"
        debug = debugText.map { String(cString: $0) } ?? ""
        self.error = error
        // playbin reports that the sink has no volume property, which is intended.
        if error.message.contains("No volume control found") { return nil }
    }
}
