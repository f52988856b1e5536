/// The value of a field in a ``LogRecord``.
public enum LogValue: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
    CustomStringConvertible
{
    /// Anybody who reads the log may see it.
    case open(String)
    /// Something of the person who listens: a file's name, a text that is spoken. Loggers write it only if they are told to.
    case personal(String)

    /// An open value.
    ///
    /// - Parameter value: The text.
    public init(stringLiteral value: String) { self = .open(value) }

    /// What stands in a log that hides personal values.
    public static let redaction = "<private>"

    /// The text, or ``redaction`` for a personal value.
    public var description: String { text(revealing: false) }

    /// The text.
    ///
    /// - Parameter personal: Whether personal values are shown rather than replaced by ``redaction``.
    public func text(revealing personal: Bool) -> String {
        switch self {
        case .open(let text): text
        case .personal(let text): personal ? text : Self.redaction
        }
    }
}
