/// A JSON value of the test server.
///
/// The server shares no code with the client library, so that a mistake in one is found by the other.
public enum JSON: Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without fraction or exponent that fits 64 bits.
    case int(Int)
    /// Any other number.
    case double(Double)
    /// Text.
    case string(String)
    /// A list.
    case array([JSON])
    /// Members by name.
    case object([String: JSON])

    /// The member of an object; `nil` when there is none or this is not an object.
    ///
    /// - Parameter name: The member's name.
    public subscript(name: String) -> JSON? {
        get {
            guard case .object(let members) = self else { return nil }
            return members[name]
        }
        set {
            guard case .object(var members) = self else { return }
            self = .null
            members[name] = newValue
            self = .object(members)
        }
    }

    /// The text of a string.
    public var string: String? { if case .string(let text) = self { text } else { nil } }

    /// The number of an integer.
    public var int: Int? { if case .int(let number) = self { number } else { nil } }

    /// The value of any number.
    public var double: Double? {
        switch self {
        case .int(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }

    /// The value of `true` and `false`.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The elements of a list.
    public var array: [JSON]? { if case .array(let elements) = self { elements } else { nil } }

    /// The members of an object.
    public var object: [String: JSON]? { if case .object(let members) = self { members } else { nil } }

    /// A string, or `null` for no text.
    static func optional(_ text: String?) -> JSON { text.map(JSON.string) ?? .null }

    /// A list of strings.
    static func strings(_ texts: [String]) -> JSON { .array(texts.map(JSON.string)) }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an integer.
    public init(integerLiteral value: Int) { self = .int(value) }
    /// Creates a number.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Creates `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates `null`.
    public init(nilLiteral: ()) { self = .null }
    /// Creates a list.
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
    /// Creates an object; the last of equal names counts.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}
