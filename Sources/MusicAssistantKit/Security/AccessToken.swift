/// A secret with which a client logs in. Descriptions do not show it.
public struct AccessToken: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible,
    CustomDebugStringConvertible, CustomReflectable
{
    /// The secret itself.
    public let secret: String

    /// Creates a token.
    ///
    /// - Parameter secret: The token that the server returned.
    public init(_ secret: String) { self.secret = secret }

    /// Creates a token.
    public init(stringLiteral value: String) { secret = value }

    /// A text without the secret.
    public var description: String { "AccessToken(hidden)" }

    /// A text without the secret.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` does not show the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
