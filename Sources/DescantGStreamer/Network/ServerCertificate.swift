internal import CGStreamer
internal import CGio
internal import DescantCore
internal import Foundation

/// The certificate of a web server, as GLib judges it for GStreamer.
enum ServerCertificate {
    /// Whether a connection may have failed because of the certificate: GStreamer does not give the reason (seen in 1.22).
    ///
    /// - Parameters:
    ///   - failure: The failure of a network source.
    ///   - address: The address of the request.
    ///   - response: The response to the request, with the status 0 when none has arrived.
    static func isSuspect(_ failure: DeckFailure, _ address: URL?, response: HTTPResponse?) -> Bool {
        guard case .stream(let stream) = failure else { return false }
        return address?.scheme?.lowercased() == "https" && (response?.status ?? 0) == 0 && stream.hasNoReason
    }

    /// Connects to a server and checks its certificate. Blocks up to the time limit.
    ///
    /// - Parameters:
    ///   - address: The address of the request.
    ///   - timeLimit: The limit in seconds.
    ///   - name: The source's name, for the message.
    /// - Returns: The error for a certificate that is not trusted; `nil` for a trusted one, and without a connection.
    static func problem(at address: URL, timeLimit: Double, name: String) -> CoreError? {
        guard let client = g_socket_client_new() else { return nil }
        defer { g_object_unref(client) }
        g_socket_client_set_tls(client, 1)
        g_socket_client_set_timeout(client, guint(min(max(1, timeLimit), 60).rounded(.up)))
        var failure: UnsafeMutablePointer<GError>?
        if let connection = g_socket_client_connect_to_uri(client, address.absoluteString, 443, nil, &failure) {
            g_object_unref(connection)
        }
        defer { if let failure { g_error_free(failure) } }
        guard let failure, failure.pointee.domain == g_tls_error_quark(),
            failure.pointee.code == gint(G_TLS_ERROR_BAD_CERTIFICATE.rawValue)
        else { return nil }
        return .ioError(
            "\(name): the certificate of \(address.host() ?? "the server") is not trusted: an unknown authority has signed it, it is for another "
                + "name or it is out of date; to trust the authority, copy its certificate to /usr/local/share/ca-certificates and call "
                + "update-ca-certificates")
    }
}
