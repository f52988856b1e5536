public import Foundation

/// Which bundles a host takes by their licence; those that it does not take are refused before any of their code runs.
///
/// Judges ``PluginManifest/license``, an SPDX expression: of licences joined by `AND` all must be taken, of those joined by `OR`
/// one is enough. An entry is the identifier of a licence, or its beginning with `*`: `GPL*` is every version of the GPL and none of
/// the LGPL. Letters are compared without regard to case; an entry without `WITH` stands for the licence with any exception, too. It
/// says what a manifest claims, and is no legal advice.
public struct LicensePolicy: Sendable, Hashable {
    /// Licences that are not taken, whatever else permits them.
    public var forbidden: [String]
    /// The only licences that are taken; `nil` for all that are not forbidden.
    public var permitted: [String]?

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - forbidden: Licences that are not taken.
    ///   - permitted: The only licences that are taken; `nil` for all that are not forbidden.
    public init(forbidden: [String] = [], permitted: [String]? = nil) {
        self.forbidden = forbidden
        self.permitted = permitted
    }

    /// Takes everything.
    public static let any = LicensePolicy()

    /// Takes nothing that is, or contains, something under the GNU GPL or AGPL; the LGPL is taken.
    public static let withoutGPL = LicensePolicy(forbidden: ["GPL*", "AGPL*"])

    /// What the user forbids: `DESCANT_FORBIDDEN_LICENSES` holds entries with commas or spaces between them.
    ///
    /// - Parameter environment: The variables of the process.
    public static func standard(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> LicensePolicy {
        let entries = (environment["DESCANT_FORBIDDEN_LICENSES"] ?? "").split { $0 == "," || $0.isWhitespace }
        return LicensePolicy(forbidden: entries.map(String.init))
    }

    /// Why a licence is not taken; `nil` when it is. What is no SPDX expression is taken only by ``any``.
    ///
    /// - Parameter license: An SPDX expression.
    public func objection(to license: String) -> String? {
        guard self != .any else { return nil }
        guard let expression = LicenseExpression(license) else {
            return "it is no SPDX expression and cannot be judged"
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
