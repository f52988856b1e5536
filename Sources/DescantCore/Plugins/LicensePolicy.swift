public import Foundation

/// The licences that a host accepts; bundles with others are refused before any of their code runs.
///
/// It applies to ``PluginManifest/license``, an SPDX expression: of licences joined by `AND` all must be accepted, of those
/// joined by `OR` one is enough. An entry is the identifier of a licence, or its beginning with `*`: `GPL*` is every version of the GPL and none of
/// the LGPL. Letters are compared without regard to case; an entry without `WITH` stands for the licence with any exception, too. It
/// says what a manifest claims, and is no legal advice.
public struct LicensePolicy: Sendable, Hashable {
    /// Licences that are refused even when ``permitted`` lists them.
    public var forbidden: [String]
    /// The only licences that are accepted; `nil` for all that are not forbidden.
    public var permitted: [String]?

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - forbidden: Licences that are refused.
    ///   - permitted: The only licences that are accepted; `nil` for all that are not forbidden.
    public init(forbidden: [String] = [], permitted: [String]? = nil) {
        self.forbidden = forbidden
        self.permitted = permitted
    }

    /// Accepts everything.
    public static let any = LicensePolicy()

    /// Refuses the GNU GPL and AGPL; accepts the LGPL.
    public static let withoutGPL = LicensePolicy(forbidden: ["GPL*", "AGPL*"])

    /// The user's policy: `DESCANT_FORBIDDEN_LICENSES` lists entries separated by commas or spaces.
    ///
    /// - Parameter environment: The variables of the process.
    public static func standard(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> LicensePolicy {
        let entries = (environment["DESCANT_FORBIDDEN_LICENSES"] ?? "").split { $0 == "," || $0.isWhitespace }
        return LicensePolicy(forbidden: entries.map(String.init))
    }

    /// The reason to refuse a licence; `nil` for an accepted one. Text that is not an SPDX expression is accepted only by ``any``.
    ///
    /// - Parameter license: An SPDX expression.
    public func objection(to license: String) -> String? {
        guard self != .any else { return nil }
        guard let expression = LicenseExpression(license) else {
            return "it is not an SPDX expression"
        }
        return objection(to: expression)
    }

    private func objection(to expression: LicenseExpression) -> String? {
        switch expression {
        case .license(let names):
            if let entry = forbidden.first(where: { Self.matches($0, names) }) {
                return "\(names[0]) is forbidden" + (entry == names[0] ? "" : " (\(entry))")
            }
            guard let permitted, !permitted.contains(where: { Self.matches($0, names) }) else { return nil }
            return "\(names[0]) is not among those that are permitted"
        case .all(let parts): return parts.lazy.compactMap(objection(to:)).first
        case .any(let parts):
            let objections = parts.map(objection(to:))
            return objections.contains(nil) ? nil : objections.compactMap(\.self).joined(separator: ", and ")
        }
    }

    private static func matches(_ entry: String, _ names: [String]) -> Bool {
        let entry = entry.lowercased()
        return names.contains { name in
            let name = name.lowercased()
            return entry.hasSuffix("*") ? name.hasPrefix(entry.dropLast()) : name == entry
        }
    }
}

/// An SPDX licence expression (SPDX specification 2.3, annex D), as far as a ``LicensePolicy`` needs it.
indirect enum LicenseExpression: Hashable {
    /// One licence by all its names: as it is written, with its exception if it has one, without it, and without `+`.
    case license([String])
    /// Licences that hold together.
    case all([LicenseExpression])
    /// Licences to choose from.
    case any([LicenseExpression])

    /// The maximum length in bytes; it also bounds the depth of parentheses.
    private static let longest = 1_000

    /// Reads an expression; `nil` for an invalid one and for `NONE` and `NOASSERTION`.
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
