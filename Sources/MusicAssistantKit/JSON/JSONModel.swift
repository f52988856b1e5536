/// A value of the server with typed properties for known fields; it keeps all fields.
///
/// Servers add fields and values with every release. A model therefore requires only the field that identifies it, has
/// typed properties for known fields, and keeps all fields in ``json``. Encoding writes all of them, so that the fields of
/// newer servers survive encoding and decoding.
public protocol JSONModel: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The JSON value as the server sent it, with fields that this client does not know.
    var json: JSONValue { get }

    /// Creates the value from the server's JSON.
    ///
    /// - Parameter json: The JSON value of the server.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when the field that identifies the value is missing.
    init(json: JSONValue) throws
}

extension JSONModel {
    /// Reads ``json`` from any decoder.
    public init(from decoder: any Decoder) throws { try self.init(json: JSONValue(from: decoder)) }

    /// Writes ``json`` to any encoder.
    public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

    /// The type and the JSON text.
    public var description: String { "\(Self.self)(\(json.jsonString))" }

    static func check(_ json: JSONValue, has fields: String...) throws {
        guard case .object(let members) = json else {
            throw MusicAssistantError.decodingFailed(
                JSONModelError(model: "\(Self.self)", problem: "is not an object but \(json.kind)"))
        }
        for field in fields where members[field]?.stringValue == nil {
            throw MusicAssistantError.decodingFailed(
                JSONModelError(model: "\(Self.self)", problem: "has no text '\(field)'"))
        }
    }

    func text(_ name: String) -> String? { json[name]?.stringValue }
    /// A whole number; a fraction is rounded, and a number out of the range of `Int` is nil.
    func int(_ name: String) -> Int? {
        json[name]?.intValue ?? json[name]?.doubleValue.flatMap { Int(exactly: $0.rounded()) }
    }

    func double(_ name: String) -> Double? { json[name]?.doubleValue }
    /// A length in seconds; nil for 0, which servers send for streams without an end, and for impossible values.
    func length(_ name: String) -> Double? { double(name).flatMap { $0 > 0 && $0 <= longestTime ? $0 : nil } }
    func bool(_ name: String) -> Bool? { json[name]?.boolValue }
    func texts(_ name: String) -> [String] { (json[name]?.arrayValue ?? []).compactMap(\.stringValue) }
    func model<Model: JSONModel>(_ name: String) -> Model? { json[name].flatMap { try? Model(json: $0) } }
    func models<Model: JSONModel>(_ name: String) -> [Model] { json[name].map(Model.list) ?? [] }

    /// The elements of an array that can be decoded; others are skipped.
    static func list(_ json: JSONValue) -> [Self] { (json.arrayValue ?? []).compactMap { try? Self(json: $0) } }
}

/// The maximum of lengths and positions in seconds; 30 years.
let longestTime = 1e9

/// An error in a value of the server.
public struct JSONModelError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The type to create.
    public let model: String
    /// The problem, such as a missing field.
    public let problem: String

    /// The type and the problem.
    public var description: String { "\(model) \(problem)" }
}

extension JSONValue {
    /// The type of the value, for messages.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a truth value"
        case .int, .double: "a number"
        case .string: "text"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
