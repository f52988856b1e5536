/// An input that cannot be read.
public struct InputError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The path and the reason.
    public let description: String

    /// Creates an error.
    ///
    /// - Parameter description: The path and the reason.
    public init(description: String) { self.description = description }
}
