/// A rule that a player broke.
struct MPRISFinding: Error, Sendable, Hashable, CustomStringConvertible {
    var rule: MPRISRule
    var detail: String

    var description: String { "\(rule) (\(rule.rawValue)): \(detail)" }
}
