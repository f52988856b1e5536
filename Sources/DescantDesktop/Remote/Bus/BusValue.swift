internal import CGio

/// A value in a message of the bus.
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
    /// A value of a type that is not supported, with its signature.
    case other(String)

    /// The type in the notation of D-Bus.
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

    static func strings(_ texts: [String]) -> BusValue { .array(of: "s", texts.map { .string($0) }) }

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
    /// The value inside a variant.
    var content: BusValue? { if case .variant(let value) = self { value } else { nil } }
}

extension BusValue {
    /// Creates a floating `GVariant`. Characters that the bus forbids are replaced.
    func makeVariant() -> OpaquePointer? {
        switch self {
        case .bool(let value): return g_variant_new_boolean(value ? 1 : 0)
        case .int32(let value): return g_variant_new_int32(value)
        case .uint32(let value): return g_variant_new_uint32(value)
        case .int64(let value): return g_variant_new_int64(gint64(value))
        case .double(let value): return g_variant_new_double(value)
        case .string(let value): return g_variant_new_string(value.busText)
        case .path(let value): return g_variant_new_object_path(g_variant_is_object_path(value) != 0 ? value : "/")
        case .array(let element, let values):
            return Self.collect("a" + element) { builder in values.forEach { $0.add(to: builder) } }
        case .dictionary(let entries):
            return Self.collect("a{sv}") { builder in
                // Sorted, so that equal dictionaries are equal messages.
                for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
                    let entry = g_variant_new_dict_entry(
                        g_variant_new_string(key), g_variant_new_variant(value.makeVariant()))
                    g_variant_builder_add_value(builder, entry)
                }
            }
        case .tuple(let values):
            return Self.collect("(" + values.map(\.signature).joined() + ")") { builder in
                values.forEach { $0.add(to: builder) }
            }
        case .variant(let value): return g_variant_new_variant(value.makeVariant())
        case .other(let signature): return g_variant_new_string(signature)
        }
    }

    private func add(to builder: UnsafeMutablePointer<GVariantBuilder>) {
        g_variant_builder_add_value(builder, makeVariant())
    }

    private static func collect(
        _ signature: String, _ fill: (UnsafeMutablePointer<GVariantBuilder>) -> Void
    ) -> OpaquePointer? {
        let type = g_variant_type_new(signature)
        defer { g_variant_type_free(type) }
        guard let builder = g_variant_builder_new(type) else { return nil }
        defer { g_variant_builder_unref(builder) }
        fill(builder)
        return g_variant_builder_end(builder)
    }

    /// Reads a value that the caller keeps.
    init(_ variant: OpaquePointer) {
        let signature = String(cString: g_variant_get_type_string(variant))
        switch signature {
        case "b": self = .bool(g_variant_get_boolean(variant) != 0)
        case "i": self = .int32(g_variant_get_int32(variant))
        case "u": self = .uint32(g_variant_get_uint32(variant))
        case "x": self = .int64(Int64(g_variant_get_int64(variant)))
        case "d": self = .double(g_variant_get_double(variant))
        case "s": self = .string(String(cString: g_variant_get_string(variant, nil)))
        case "o": self = .path(String(cString: g_variant_get_string(variant, nil)))
        case "v": self = .variant(Self.children(variant).first ?? .other(""))
        case "a{sv}": self = .dictionary(Self.entries(variant))
        case let signature where signature.hasPrefix("("): self = .tuple(Self.children(variant))
        case let signature where signature.hasPrefix("a") && !signature.hasPrefix("a{"):
            self = .array(of: String(signature.dropFirst()), Self.children(variant))
        default: self = .other(signature)
        }
    }

    private static func children(_ variant: OpaquePointer) -> [BusValue] {
        (0..<g_variant_n_children(variant)).compactMap { index in
            guard let child = g_variant_get_child_value(variant, index) else { return nil }
            defer { g_variant_unref(child) }
            return BusValue(child)
        }
    }

    private static func entries(_ variant: OpaquePointer) -> [String: BusValue] {
        var entries: [String: BusValue] = [:]
        for index in 0..<g_variant_n_children(variant) {
            guard let entry = g_variant_get_child_value(variant, index) else { continue }
            defer { g_variant_unref(entry) }
            let parts = children(entry)
            if let key = parts.first?.string, let value = parts.last?.content { entries[key] = value }
        }
        return entries
    }
}

extension String {
    /// The text with U+FFFD in place of zeros, which end a C string.
    var busText: String { contains("\0") ? replacing("\0", with: "\u{FFFD}") : self }
}
