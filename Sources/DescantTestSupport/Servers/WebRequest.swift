/// What a client asked ``LoopbackWebServer`` for.
public struct WebRequest: Sendable, Hashable {
    /// `GET` or `HEAD`, as a rule.
    public let method: String
    /// The path with its query, from the first slash on.
    public let path: String
    /// The headers; names in lower case.
    public let headers: [String: String]

    /// The first byte of the range that was asked for; `nil` when the whole was.
    public var rangeStart: Int? {
        guard let range = headers["range"], range.hasPrefix("bytes=") else { return nil }
        return Int(range.dropFirst(6).prefix { $0.isNumber })
    }

    /// Reads the text of a request; `nil` for something else.
    init?(_ text: String) {
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: true)
        guard let words = lines.first?.split(separator: " "), words.count == 3 else { return nil }
        method = String(words[0])
        path = String(words[1])
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            headers[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
        }
        self.headers = headers
    }
}
