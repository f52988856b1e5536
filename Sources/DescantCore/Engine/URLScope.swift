internal import Foundation

/// Scheme, host, port and path of an address, in a form that can be compared.
struct URLScope: Sendable, Hashable {
    let scheme: String
    let host: String
    let port: Int
    let path: String

    /// `nil` for a URL that is not `http:` or `https:`.
    init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            let host = url.host(percentEncoded: false)?.lowercased(), !host.isEmpty
        else { return nil }
        self.scheme = scheme
        self.host = host
        port = url.port ?? (scheme == "https" ? 443 : 80)
        path = url.path(percentEncoded: true)
    }

    /// Whether another place is this one or lies below it.
    func contains(_ other: URLScope) -> Bool {
        guard (scheme, host, port) == (other.scheme, other.host, other.port) else { return false }
        // A path that climbs is nowhere in particular.
        if other.path.split(separator: "/").contains("..") { return path.isEmpty || path == "/" }
        return path == other.path || other.path.hasPrefix(path.hasSuffix("/") ? path : path + "/")
    }
}
