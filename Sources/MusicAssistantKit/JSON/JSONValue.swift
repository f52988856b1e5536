/// A JSON value of any type.
///
/// Whole numbers stay whole: `2` is ``int(_:)``, `2.0` is ``double(_:)``. Numbers beyond 64 bits become doubles.
public enum JSONValue: Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without fraction and exponent.
    case int(Int)
    /// Any other number.
    case double(Double)
    /// Text.
    case string(String)
    /// Values in order.
    case array([JSONValue])
    /// Values by name; the last one of equal names counts.
    case object([String: JSONValue])
}

extension JSONValue {
    /// Whether this is `null`.
    public var isNull: Bool { self == .null }

    /// The truth value, or nil when this is something else.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number when it is whole, however it was written; nil otherwise.
    public var intValue: Int? {
        switch self {
        case .int(let value): value
        case .double(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The number, or nil when this is not a number.
    public var doubleValue: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// The text, or nil when this is something else.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements, or nil when this is not an array.
    public var arrayValue: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members, or nil when this is not an object.
    public var objectValue: [String: JSONValue]? {
        if case .object(let value) = self { value } else { nil }
    }

    /// The member of an object; nil when there is none or this is not an object.
    ///
    /// - Parameter name: The member's name.
    public subscript(name: String) -> JSONValue? { objectValue?[name] }

    /// The element of an array; nil when there is none or this is not an array.
    ///
    /// - Parameter index: The element's position, from 0.
    public subscript(index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }
}

// There is no literal for `null`: with one, `condition ? nil : value` would create a value instead of an optional.
extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// Creates a whole number.
    public init(integerLiteral value: Int) { self = .int(value) }

    /// Creates a number with a fraction.
    public init(floatLiteral value: Double) { self = .double(value) }

    /// Creates text.
    public init(stringLiteral value: String) { self = .string(value) }

    /// Creates an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// Creates an object; the last one of equal names counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}

extension JSONValue: CustomStringConvertible {
    /// The JSON text.
    public var description: String { jsonString }
}
