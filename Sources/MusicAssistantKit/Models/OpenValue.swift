/// A value out of a list that servers extend: known ones have names, unknown ones survive.
public protocol OpenValue: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible
where RawValue == String {
    /// Creates a value from the server's word for it.
    ///
    /// - Parameter rawValue: Any text.
    init(rawValue: String)
}

extension OpenValue {
    /// Creates a value from the server's word for it.
    public init(stringLiteral value: String) { self.init(rawValue: value) }

    /// The server's word.
    public var description: String { rawValue }
}
