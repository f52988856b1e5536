internal import CGio

extension BusValue {
    /// A floating `GVariant`. Text is cut at nothing: characters that the bus forbids are replaced.
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
    /// The text as the bus takes it: without the character that ends a C string.
    var busText: String { contains("\0") ? replacing("\0", with: "\u{FFFD}") : self }
}
