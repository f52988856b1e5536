/// Which overlay of a player is meant. A player has any number of them, each with its own clip, volume and loops.
public struct OverlayID: Sendable, Hashable, Codable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name; two overlays of a player differ in it.
    public let name: String

    /// Creates an identity.
    ///
    /// - Parameter name: Any name.
    public init(_ name: String) { self.name = name }

    /// Creates an identity from its name.
    ///
    /// - Parameter value: The name.
    public init(stringLiteral value: String) { self.init(value) }

    /// The overlay that is meant when none is named.
    public static let `default` = OverlayID("overlay")

    /// The name.
    public var description: String { name }
}
