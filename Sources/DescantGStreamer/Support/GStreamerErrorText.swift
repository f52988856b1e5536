internal import CGStreamer

/// A GError as values: what it says and of which kind it is.
struct GStreamerErrorText: Sendable {
    /// The family of errors, for instance "gst-resource-error-quark".
    let domain: String
    /// The number within the family.
    let code: Int
    /// The text for a person, in the library's words.
    let message: String

    /// Copies an error and frees it; `nil` gives `nil`.
    init?(taking error: UnsafeMutablePointer<GError>?) {
        guard let error else { return nil }
        domain = String(cString: g_quark_to_string(error.pointee.domain))
        code = Int(error.pointee.code)
        message = error.pointee.message.map { String(cString: $0) } ?? "no message"
        g_error_free(error)
    }
}
