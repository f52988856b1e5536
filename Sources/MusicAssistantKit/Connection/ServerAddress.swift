internal import Foundation

/// The address of a server, parsed from text.
struct ServerAddress: Sendable, Hashable {
    let host: String
    let port: Int
    let path: String
    let isSecure: Bool

    /// `ws`, `wss`, `http` and `https` are understood; without a path it is `/ws`, without a port 8095, and 443 with TLS.
    init(url: URL) throws(MusicAssistantError) {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
            let scheme = parts.scheme?.lowercased(),
            ["ws", "wss", "http", "https"].contains(scheme)
        else { throw .invalidURL("a server's address begins with ws://, wss://, http:// or https://") }
        guard let name = parts.host, !name.isEmpty else { throw .invalidURL("the address names no host") }
        guard parts.user == nil, parts.password == nil else {
            throw .invalidURL("user and password do not belong into the address; use login(username:password:)")
        }
        isSecure = scheme == "wss" || scheme == "https"
        host = name.hasPrefix("[") && name.hasSuffix("]") ? String(name.dropFirst().dropLast()) : name
        port = parts.port ?? (isSecure ? 443 : 8095)
        guard (1...65535).contains(port) else { throw .invalidURL("\(port) is not a port; use 1…65535") }
        let trimmed =
            parts.percentEncodedPath.hasSuffix("/")
            ? String(parts.percentEncodedPath.dropLast()) : parts.percentEncodedPath
        path = trimmed.isEmpty ? "/ws" : trimmed
    }

    /// A name or an address without scheme; IPv6 addresses may stand in brackets.
    init(host: String, port: Int) throws(MusicAssistantError) {
        var parts = URLComponents()
        parts.scheme = "ws"
        parts.host = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        parts.port = port
        guard let url = parts.url else { throw .invalidURL("'\(host)' is not a host name or address") }
        try self.init(url: url)
    }

    /// The value of the header `Host`.
    var authority: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    /// The base URL of the server's web pages and pictures, in the folder of the web socket.
    var web: URL? {
        let folder = path.hasSuffix("/ws") ? String(path.dropLast(3)) : path
        return URL(string: "\(isSecure ? "https" : "http")://\(authority)\(folder)")
    }

    /// The address for messages.
    var text: String { "\(isSecure ? "wss" : "ws")://\(authority)\(path)" }

    /// Whether the host is this machine.
    var isLoopback: Bool {
        let name = host.lowercased()
        if name == "localhost" || name.hasSuffix(".localhost") || name == "::1" { return true }
        let octets = name.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return octets.count == 4 && octets.allSatisfy { $0 != nil } && octets[0] == 127
    }
}
