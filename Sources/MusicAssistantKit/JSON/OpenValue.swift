/// A value of a list that newer servers extend: known values have names, unknown ones keep their text.
public protocol OpenValue: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible
where RawValue == String {
    /// Creates a value from the server's text.
    ///
    /// - Parameter rawValue: Any text.
    init(rawValue: String)
}

extension OpenValue {
    /// Creates a value from the server's text.
    public init(stringLiteral value: String) { self.init(rawValue: value) }

    /// The server's text for this value.
    public var description: String { rawValue }
}
