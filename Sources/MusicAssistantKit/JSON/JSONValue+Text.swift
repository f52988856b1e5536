extension JSONValue {
    /// Reads JSON text.
    ///
    /// - Parameter bytes: UTF-8 text that holds one value; any length, at most 512 levels deep.
    /// - Throws: ``JSONSyntaxError`` with the offset of the first wrong byte.
    public init(parsing bytes: some Sequence<UInt8>) throws(JSONSyntaxError) {
        let copy = ContiguousArray(bytes)
        let result = copy.withUnsafeBytes { pointer in
            Result { () throws(JSONSyntaxError) in try JSONParser.parse(pointer) }
        }
        self = try result.get()
    }

    /// Reads JSON text.
    ///
    /// - Parameter text: Text that holds one value.
    /// - Throws: ``JSONSyntaxError`` with the offset of the first wrong byte.
    public init(parsing text: String) throws(JSONSyntaxError) { try self.init(parsing: text.utf8) }

    /// The JSON text, in one line; the members of objects are sorted by name.
    public var jsonString: String { String(decoding: jsonBytes(sorted: true), as: UTF8.self) }

    /// The JSON text as UTF-8.
    func jsonBytes(sorted: Bool = false) -> [UInt8] {
        var writer = JSONWriter(sortsMembers: sorted)
        writer.write(self)
        return writer.bytes
    }
}
