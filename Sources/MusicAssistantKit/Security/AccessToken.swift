/// A secret that logs a client in; it does not show in descriptions.
public struct AccessToken: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible,
    CustomDebugStringConvertible, CustomReflectable
{
    /// The secret itself.
    public let secret: String

    /// Creates a token.
    ///
    /// - Parameter secret: What the server gave.
    public init(_ secret: String) { self.secret = secret }

    /// Creates a token.
    public init(stringLiteral value: String) { secret = value }

    /// Says that there is a token, not which.
    public var description: String { "AccessToken(hidden)" }

    /// Says that there is a token, not which.
    public var debugDescription: String { description }

    /// Shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
