public import Foundation

/// How sources are fetched from a network: what is sent with a request, and how long an answer may take.
///
/// Headers and credentials belong to an address. They go with every request to the same scheme, host and port whose path
/// is the address's or lies below it, and with no other: not to another host to which a server redirects. Credentials
/// in a URL itself (`https://user:password@host/`) work the same way for that URL, and appear in no name, log or error.
///
/// A value is asked for every time that a source is opened or moved, so a token can be renewed while others play.
public struct NetworkAccess: Sendable, Hashable {
    /// Seconds without an answer after which a server counts as silent; clamped to 1…60.
    public var timeLimit: Double { didSet { timeLimit = Self.clamp(timeLimit, to: Self.timeLimits) } }
    /// Seconds within which a connection that was lost while playing is made again; clamped to 0 (never)…3,600.
    public var reconnectLimit: Double {
        didSet { reconnectLimit = Self.clamp(reconnectLimit, to: Self.reconnectLimits) }
    }

    private var entries: [Entry] = []

    private struct Entry: Sendable, Hashable {
        var place: URLScope
        var headers: [String: String] = [:]
        var user: String?
        var password: String?
    }

    /// Creates settings without headers or credentials.
    ///
    /// - Parameters:
    ///   - timeLimit: Seconds without an answer after which a server counts as silent; clamped to 1…60.
    ///   - reconnectLimit: Seconds within which a lost connection is made again; clamped to 0…3,600.
    public init(timeLimit: Double = 5, reconnectLimit: Double = 7) {
        self.timeLimit = Self.clamp(timeLimit, to: Self.timeLimits)
        self.reconnectLimit = Self.clamp(reconnectLimit, to: Self.reconnectLimits)
    }

    private static let timeLimits = 1.0...60
    private static let reconnectLimits = 0.0...3_600

    /// The nearest value of a range; its lowest one for NaN.
    private static func clamp(_ value: Double, to range: ClosedRange<Double>) -> Double {
        value.isNaN ? range.lowerBound : min(max(value, range.lowerBound), range.upperBound)
    }

    /// Sends headers with every request to an address and to what lies below it, such as `Authorization` or `Cookie`.
    ///
    /// - Parameters:
    ///   - headers: The headers by name; an empty dictionary sends none any more.
    ///   - address: An `http:` or `https:` URL.
    /// - Throws: ``CoreError/invalidArgument(_:)`` for another kind of URL, and for names and values that HTTP does not
    ///   allow; values appear in no error.
    public mutating func setHeaders(_ headers: [String: String], for address: URL) throws {
        for (name, value) in headers {
            let isName = !name.isEmpty && name.utf8.allSatisfy(Self.isNameByte) && name.first?.isLetter == true
            guard isName else { throw CoreError.invalidArgument("\"\(name)\" cannot be the name of an HTTP header") }
            guard !value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f }) else {
                throw CoreError.invalidArgument("the value for the HTTP header \"\(name)\" holds control characters")
            }
        }
        try change(address) { $0.headers = headers }
    }

    /// Answers a server that asks for a name and password, with the basic and digest schemes.
    ///
    /// - Parameters:
    ///   - user: The name; `nil` removes both.
    ///   - password: The password.
    ///   - address: An `http:` or `https:` URL.
    /// - Throws: ``CoreError/invalidArgument(_:)`` for another kind of URL.
    public mutating func setCredentials(user: String?, password: String?, for address: URL) throws {
        try change(address) {
            $0.user = user
            $0.password = user == nil ? nil : password
        }
    }

    /// What to send to a URL.
    package func request(for url: URL) -> NetworkRequest {
        var request = NetworkRequest(url: url.withoutSecrets)
        if let place = URLScope(url) {
            // From the shortest path to the longest, whose headers win.
            for entry in entries.filter({ $0.place.contains(place) }).sorted(by: { $0.place.path < $1.place.path }) {
                request.headers.merge(entry.headers) { _, narrower in narrower }
                if let user = entry.user { (request.user, request.password) = (user, entry.password) }
            }
        }
        if let user = url.user(percentEncoded: false), !user.isEmpty {
            (request.user, request.password) = (user, url.password(percentEncoded: false))
        }
        return request
    }

    private mutating func change(_ address: URL, _ change: (inout Entry) -> Void) throws {
        guard let place = URLScope(address) else {
            throw CoreError.invalidArgument(
                "\(address.withoutSecrets.absoluteString) is not an http: or https: address")
        }
        let index = entries.firstIndex { $0.place == place } ?? entries.endIndex
        if index == entries.endIndex { entries.append(Entry(place: place)) }
        change(&entries[index])
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

extension NetworkAccess: CustomStringConvertible, CustomDebugStringConvertible {
    /// The limits and how many addresses have headers or credentials, none of which is shown.
    public var description: String {
        "network access within \(timeLimit) s, again within \(reconnectLimit) s, settings for \(entries.count) addresses"
    }

    /// The same as the description: no secret is shown.
    public var debugDescription: String { description }
}

/// What is sent to one address.
package struct NetworkRequest: Sendable, Hashable {
    /// The address, without a user name or password.
    package var url: URL
    /// Headers by name.
    package var headers: [String: String] = [:]
    /// The name for a server that asks for one.
    package var user: String?
    /// The password that belongs to it.
    package var password: String?
}

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
        if other.climbs { return path.isEmpty || path == "/" }
        return path == other.path || other.path.hasPrefix(path.hasSuffix("/") ? path : path + "/")
    }

    /// Whether a component of the path leads upwards, as servers read it: they decode it before they look for the file.
    private var climbs: Bool {
        let signs = [("%2e", "."), ("%2f", "/"), ("%5c", "\\")]
        let decoded = signs.reduce(path.lowercased()) { $0.replacing($1.0, with: $1.1) }
        return decoded.split { "/\\".contains($0) }.contains("..")
    }
}

extension URL {
    /// The URL without a user name and password, as it may appear in names, logs and errors.
    package var withoutSecrets: URL {
        guard user(percentEncoded: true) != nil || password(percentEncoded: true) != nil,
            var components = URLComponents(url: self, resolvingAgainstBaseURL: true)
        else { return self }
        components.user = nil
        components.password = nil
        return components.url ?? self
    }
}
