/// A message to the person at the player.
public struct Notice: Sendable, Equatable {
    /// How much it matters.
    public enum Severity: Sendable, Equatable {
        /// Good to know.
        case information
        /// Something was dealt with.
        case warning
        /// Something failed.
        case error
    }

    /// How much it matters.
    public var severity: Severity
    /// One line.
    public var text: String

    /// Creates a notice.
    ///
    /// - Parameters:
    ///   - severity: How much it matters.
    ///   - text: One line.
    public init(_ severity: Severity, _ text: String) {
        self.severity = severity
        self.text = text
    }
}
