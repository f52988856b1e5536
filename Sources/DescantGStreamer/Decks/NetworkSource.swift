internal import CGStreamer
internal import CGStreamerShim
internal import DescantCore
internal import Foundation

/// The settings of a network source.
struct NetworkSource: Sendable {
    /// The request to send.
    var request: NetworkRequest
    /// The time limit for an answer in seconds. GStreamer's default is 15.
    var timeLimit: Double
    /// Whether the source reads no faster than needed until the first sample.
    var isHeldBack = false

    /// Configures playbin's source element; called before it runs.
    func configure(_ source: UnsafeMutablePointer<GstElement>) {
        let object = UnsafeMutableRawPointer(source).assumingMemoryBound(to: GObject.self)
        guard descant_gst_has_property(source, "timeout") != 0 else { return }
        gst_util_set_object_arg(object, "timeout", String(Int(timeLimit.rounded(.up))))
        guard descant_gst_has_property(source, "automatic-redirect") != 0 else { return }
        // Redirections are followed here, so that headers and credentials are not sent to another host.
        gst_util_set_object_arg(object, "automatic-redirect", "false")
        var headers = request.headers
        let agent = headers.keys.first { $0.lowercased() == "user-agent" }.flatMap { headers.removeValue(forKey: $0) }
        descant_gst_set_string(source, "user-agent", agent ?? "Descant")
        if let user = request.user {
            descant_gst_set_string(source, "user-id", user)
            descant_gst_set_string(source, "user-pw", request.password ?? "")
        }
        guard !headers.isEmpty, let extra = gst_structure_new_empty("extra-headers") else { return }
        for (name, value) in headers { descant_gst_add_text(extra, name, value) }
        descant_gst_set_pointer(source, "extra-headers", extra)
        gst_structure_free(extra)
    }
}

/// The header of a web server's response.
struct HTTPResponse: Sendable {
    /// The HTTP status; 200 for a whole file, 206 for a part.
    let status: Int
    /// The target of a redirection.
    let location: String?
    /// The media type of the content, in lower case and without parameters; `nil` when the server gives none.
    let contentType: String?
    /// Whether the source is a radio station, which has no end.
    let isStation: Bool

    /// Parses the message of GStreamer's HTTP source; `nil` for other element messages.
    init?(parsing message: UnsafeMutablePointer<GstMessage>) {
        guard let structure = gst_message_get_structure(message), gst_structure_has_name(structure, "http-headers") != 0
        else { return nil }
        var code: guint = 0
        guard gst_structure_get_uint(structure, "http-status-code", &code) != 0 else { return nil }
        status = Int(code)
        var fields: [String: String] = [:]
        if let value = gst_structure_get_value(structure, "response-headers"),
            let headers = gst_value_get_structure(value)
        {
            for index in 0..<gst_structure_n_fields(headers) {
                guard let name = gst_structure_nth_field_name(headers, guint(index)) else { continue }
                let text = gst_structure_get_string(headers, name).map { String(cString: $0) }
                fields[String(cString: name).lowercased()] = text ?? ""
            }
        }
        location = fields["location"]
        contentType = fields["content-type"].flatMap { $0.split(separator: ";").first }
            .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
        isStation =
            fields["content-length"] == nil && fields.keys.contains { $0.hasPrefix("icy-") || $0.hasPrefix("ice-") }
    }
}
