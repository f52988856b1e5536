/// A value of the server that knows some fields and keeps them all.
///
/// Servers add fields and values with every release. A model therefore demands only what identifies it, gives what it
/// knows as typed properties, and keeps everything in ``json``. Encoding writes all of that, so that what newer servers add
/// comes back with decoding.
public protocol JSONModel: Sendable, Hashable, Codable, CustomStringConvertible {
    /// Everything that the server sent.
    var json: JSONValue { get }

    /// Takes what the server sent.
    ///
    /// - Parameter json: The value as it came.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when a field is missing that identifies the value.
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
                JSONModelError(model: "\(Self.self)", problem: "is no object but \(json.kind)"))
        }
        for field in fields where members[field]?.stringValue == nil {
            throw MusicAssistantError.decodingFailed(
                JSONModelError(model: "\(Self.self)", problem: "has no text '\(field)'"))
        }
    }

    func text(_ name: String) -> String? { json[name]?.stringValue }
    /// A whole number; one with a fraction is rounded, one that no `Int` can hold is nil.
    func int(_ name: String) -> Int? {
        json[name]?.intValue ?? json[name]?.doubleValue.flatMap { Int(exactly: $0.rounded()) }
    }

    func double(_ name: String) -> Double? { json[name]?.doubleValue }
    func bool(_ name: String) -> Bool? { json[name]?.boolValue }
    func texts(_ name: String) -> [String] { (json[name]?.arrayValue ?? []).compactMap(\.stringValue) }
    func model<Model: JSONModel>(_ name: String) -> Model? { json[name].flatMap { try? Model(json: $0) } }
    func models<Model: JSONModel>(_ name: String) -> [Model] { json[name].map(Model.list) ?? [] }

    /// The elements of an array that can be understood.
    static func list(_ json: JSONValue) -> [Self] { (json.arrayValue ?? []).compactMap { try? Self(json: $0) } }
}

/// Says what a value of the server lacks.
public struct JSONModelError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The type that was to be made.
    public let model: String
    /// What it lacks.
    public let problem: String

    /// The type and what it lacks.
    public var description: String { "\(model) \(problem)" }
}

extension JSONValue {
    /// What kind of value this is, for messages.
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
