/// A syntax error in JSON text.
public struct JSONSyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The problem.
    public let problem: String
    /// The offset of the first wrong byte, from 0.
    public let offset: Int

    /// The problem and the offset.
    public var description: String { "\(problem) at byte \(offset)" }
}
