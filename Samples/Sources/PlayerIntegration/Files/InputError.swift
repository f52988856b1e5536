/// What a person named cannot be turned into tracks.
public struct InputError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The path and the reason.
    public let description: String

    /// Creates an error.
    ///
    /// - Parameter description: The path and the reason.
    public init(description: String) { self.description = description }
}
