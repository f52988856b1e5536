/// An SPDX licence expression (SPDX specification 2.3, annex D), as far as a ``LicensePolicy`` has to understand it.
indirect enum LicenseExpression: Hashable {
    /// One licence by all its names: as it is written, with its exception if it has one, without it, and without `+`.
    case license([String])
    /// Licences that hold together.
    case all([LicenseExpression])
    /// Licences to choose from.
    case any([LicenseExpression])

    /// Longer ones are no manifest's; it bounds the depth of parentheses, too.
    private static let longest = 1_000

    /// Reads an expression; `nil` when it is none, or says that the licence is not known.
    init?(_ text: String) {
        guard text.utf8.count <= Self.longest else { return nil }
        var tokens = Self.tokens(of: text)[...]
        guard let expression = Self.choice(&tokens), tokens.isEmpty else { return nil }
        self = expression
    }

    private static func tokens(of text: String) -> [Substring] {
        var tokens: [Substring] = []
        for word in text.split(whereSeparator: \.isWhitespace) {
            var rest = word
            while let sign = rest.firstIndex(where: { $0 == "(" || $0 == ")" }) {
                if sign > rest.startIndex { tokens.append(rest[..<sign]) }
                tokens.append(rest[sign...sign])
                rest = rest[rest.index(after: sign)...]
            }
            if !rest.isEmpty { tokens.append(rest) }
        }
        return tokens
    }

    /// `OR` binds least, `AND` more, `WITH` most.
    private static func choice(_ tokens: inout ArraySlice<Substring>) -> LicenseExpression? {
        guard let parts = list(&tokens, joinedBy: "OR", conjunction) else { return nil }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private static func conjunction(_ tokens: inout ArraySlice<Substring>) -> LicenseExpression? {
        guard let parts = list(&tokens, joinedBy: "AND", license) else { return nil }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private static func list(
        _ tokens: inout ArraySlice<Substring>, joinedBy word: String,
        _ part: (inout ArraySlice<Substring>) -> LicenseExpression?
    ) -> [LicenseExpression]? {
        var parts: [LicenseExpression] = []
        repeat {
            guard let next = part(&tokens) else { return nil }
            parts.append(next)
        } while takes(word, from: &tokens)
        return parts
    }

    private static func license(_ tokens: inout ArraySlice<Substring>) -> LicenseExpression? {
        guard let token = tokens.popFirst() else { return nil }
        if token == "(" {
            guard let inner = choice(&tokens), tokens.popFirst() == ")" else { return nil }
            return inner
        }
        guard isIdentifier(token), !["NONE", "NOASSERTION"].contains(token) else { return nil }
        var names = [String(token)]
        if token.hasSuffix("+") { names.append(String(token.dropLast())) }
        if takes("WITH", from: &tokens) {
            guard let exception = tokens.popFirst(), isIdentifier(exception) else { return nil }
            names.insert("\(token) WITH \(exception)", at: 0)
        }
        return .license(names)
    }

    private static func takes(_ word: String, from tokens: inout ArraySlice<Substring>) -> Bool {
        guard let token = tokens.first, token == word || token == word.lowercased() else { return false }
        tokens.removeFirst()
        return true
    }

    private static func isIdentifier(_ token: Substring) -> Bool {
        let body = token.hasSuffix("+") ? token.dropLast() : token
        let isOperator = ["AND", "OR", "WITH"].contains(token.uppercased())
        return !body.isEmpty && !isOperator
            && body.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"):
                    true
                default: false
                }
            }
    }
}
