/// Says where bytes stop being JSON.
public struct JSONSyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was wrong.
    public let problem: String
    /// The first byte that does not fit, from 0.
    public let offset: Int

    /// What was wrong and where.
    public var description: String { "\(problem) at byte \(offset)" }
}
