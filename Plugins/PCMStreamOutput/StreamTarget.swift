internal import Descant
internal import Foundation

/// An address that sound is sent to.
struct StreamTarget: CustomStringConvertible {
    let host: String
    let port: String

    /// Reads "tcp://host:port".
    init(_ text: String) throws {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let parts = URLComponents(string: text), parts.scheme == "tcp", let host = parts.host, !host.isEmpty,
            let port = parts.port, (1...65_535).contains(port), parts.path.isEmpty
        else { throw CoreError.invalidArgument("\"\(text)\" is no address such as tcp://192.168.1.20:4953") }
        // An IPv6 address stands in brackets.
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        self.port = String(port)
    }

    var description: String { "tcp://\(host):\(port)" }
}
