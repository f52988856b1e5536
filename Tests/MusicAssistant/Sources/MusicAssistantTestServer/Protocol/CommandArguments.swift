/// The arguments of a command, converted and checked like those of a real server.
struct CommandArguments: Sendable {
    let values: [String: JSON]

    /// A required text.
    func string(_ name: String) throws -> String {
        guard let text = try optionalString(name) else { throw Self.missing(name, "str") }
        return text
    }

    /// An optional text.
    func optionalString(_ name: String) throws -> String? {
        switch values[name] {
        case nil, .null?: return nil
        case .string(let text)?: return text
        case let other?: throw Self.wrong(other, name, "str")
        }
    }

    /// A required whole number; fractions are truncated and texts converted.
    func int(_ name: String) throws -> Int {
        guard let number = try optionalInt(name) else { throw Self.missing(name, "int") }
        return number
    }

    /// An optional whole number.
    func optionalInt(_ name: String) throws -> Int? {
        switch values[name] {
        case nil, .null?: return nil
        case .int(let number)?: return number
        case .bool(let value)?: return value ? 1 : 0
        case .double(let number)? where abs(number) < 1e15: return Int(number)
        case .string(let text)?:
            guard let number = Int(text) else { throw Self.wrong(.string(text), name, "int") }
            return number
        case let other?: throw Self.wrong(other, name, "int")
        }
    }

    /// A required number.
    func double(_ name: String) throws -> Double {
        guard let value = values[name] else { throw Self.missing(name, "float") }
        guard let number = value.double else { throw Self.wrong(value, name, "float") }
        return number
    }

    /// A required Boolean.
    func bool(_ name: String) throws -> Bool {
        guard let value = try optionalBool(name) else { throw Self.missing(name, "bool") }
        return value
    }

    /// An optional Boolean.
    func optionalBool(_ name: String) throws -> Bool? {
        switch values[name] {
        case nil, .null?: return nil
        case .bool(let value)?: return value
        case .string("true")?: return true
        case .string("false")?: return false
        case .int(let number)? where number == 0 || number == 1: return number == 1
        case let other?: throw Self.wrong(other, name, "bool")
        }
    }

    /// An optional list of texts; one text counts as a list.
    func optionalStrings(_ name: String) throws -> [String]? {
        switch values[name] {
        case nil, .null?: return nil
        case .string(let text)?: return [text]
        case .array(let elements)?: return elements.compactMap { $0.string ?? $0["uri"]?.string }
        case .object(let members)?: return members["uri"]?.string.map { [$0] }
        case let other?: throw Self.wrong(other, name, "list[str]")
        }
    }

    /// A required list of texts.
    func strings(_ name: String) throws -> [String] {
        guard let texts = try optionalStrings(name) else { throw Self.missing(name, "list[str]") }
        return texts
    }

    static func missing(_ name: String, _ type: String) -> ServerError {
        ServerError(999, "\"`\(name)` of type `<class '\(type)'>` is required.\"")
    }

    static func wrong(_ value: JSON, _ name: String, _ type: String) -> ServerError {
        ServerError(999, "Value \(value.text) is invalid for \(name), expected value of type <class '\(type)'>")
    }
}
