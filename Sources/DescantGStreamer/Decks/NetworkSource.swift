internal import CGStreamer
internal import CGStreamerShim
internal import DescantCore

/// Settings of the element that reads from a network.
struct NetworkSource: Sendable {
    /// What is sent.
    var request: NetworkRequest
    /// Seconds without an answer after which a server counts as silent. GStreamer's own default is 15.
    var timeLimit: Double
    /// Whether no more is read ahead than the start of playback needs.
    var readsAheadLittle = false

    /// Bytes that are read ahead then; GStreamer's own limit is 2 MB.
    static let littleAhead = 64 << 10

    /// Prepares the source that playbin made; called before it runs.
    func configure(_ source: UnsafeMutablePointer<GstElement>) {
        let object = UnsafeMutableRawPointer(source).assumingMemoryBound(to: GObject.self)
        guard descant_gst_has_property(source, "timeout") != 0 else { return }
        gst_util_set_object_arg(object, "timeout", String(Int(timeLimit.rounded(.up))))
        guard descant_gst_has_property(source, "automatic-redirect") != 0 else { return }
        // Followed by us, so that headers and credentials do not go along to another host.
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
