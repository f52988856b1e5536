/// A value as it goes over the bus.
indirect enum BusValue: Sendable, Hashable {
    case bool(Bool)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case double(Double)
    case string(String)
    case path(String)
    /// Elements of one type, which is kept for the empty array.
    case array(of: String, [BusValue])
    /// `a{sv}`
    case dictionary([String: BusValue])
    case tuple([BusValue])
    case variant(BusValue)
    /// A type that nothing here uses, with its signature.
    case other(String)

    /// The type as the bus writes it.
    var signature: String {
        switch self {
        case .bool: "b"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .double: "d"
        case .string: "s"
        case .path: "o"
        case .array(let element, _): "a" + element
        case .dictionary: "a{sv}"
        case .tuple(let values): "(" + values.map(\.signature).joined() + ")"
        case .variant: "v"
        case .other(let signature): signature
        }
    }

    /// Texts.
    static func strings(_ texts: [String]) -> BusValue { .array(of: "s", texts.map { .string($0) }) }

    /// Object paths.
    static func paths(_ paths: [String]) -> BusValue { .array(of: "o", paths.map { .path($0) }) }

    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    var int64: Int64? { if case .int64(let value) = self { value } else { nil } }
    var uint32: UInt32? { if case .uint32(let value) = self { value } else { nil } }
    var double: Double? { if case .double(let value) = self { value } else { nil } }
    var string: String? { if case .string(let value) = self { value } else { nil } }
    var path: String? { if case .path(let value) = self { value } else { nil } }
    var dictionary: [String: BusValue]? { if case .dictionary(let value) = self { value } else { nil } }
    var elements: [BusValue]? { if case .array(_, let values) = self { values } else { nil } }
    var parts: [BusValue]? { if case .tuple(let values) = self { values } else { nil } }
    /// What a variant holds.
    var content: BusValue? { if case .variant(let value) = self { value } else { nil } }
}
