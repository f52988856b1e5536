/// A rule of a contract that was broken.
public struct ContractFinding: Sendable, Hashable, CustomStringConvertible {
    /// What must hold.
    public var rule: String
    /// What was seen instead.
    public var seen: String

    /// The finding of a suite that was given no file to check with.
    public static let noFixture = ContractFinding(rule: "the contract needs a fixture", seen: "none")

    /// Creates a finding.
    ///
    /// - Parameters:
    ///   - rule: What must hold.
    ///   - seen: What was seen instead.
    public init(rule: String, seen: String) {
        self.rule = rule
        self.seen = seen
    }

    /// "rule: what was seen".
    public var description: String { "\(rule): \(seen)" }
}
