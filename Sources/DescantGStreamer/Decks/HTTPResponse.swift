internal import CGStreamer

/// What a web server said before its data.
struct HTTPResponse: Sendable {
    /// The status; 200 for a whole file, 206 for a part.
    let status: Int
    /// Where a redirection leads.
    let location: String?
    /// Whether it is a radio station, which has no end of its own.
    let isStation: Bool

    /// Reads the message that GStreamer's source posts; `nil` for every other element message.
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
        isStation =
            fields["content-length"] == nil && fields.keys.contains { $0.hasPrefix("icy-") || $0.hasPrefix("ice-") }
    }
}
