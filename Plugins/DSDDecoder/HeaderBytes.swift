/// The bytes of a header, read as numbers and marks; what lies behind the end reads as `nil`.
struct HeaderBytes {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var count: Int { bytes.count }

    /// Four characters such as "DSD ".
    func mark(at offset: Int) -> String? {
        guard let field = field(at: offset, count: 4), field.allSatisfy({ (0x20..<0x7f).contains($0) }) else {
            return nil
        }
        return String(decoding: field, as: UTF8.self)
    }

    /// A whole number, its lowest byte first; `nil` also when it does not fit.
    func littleEndian(at offset: Int, count: Int) -> Int? {
        field(at: offset, count: count).flatMap {
            Int(exactly: $0.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }
    }

    /// A whole number, its highest byte first; `nil` also when it does not fit.
    func bigEndian(at offset: Int, count: Int) -> Int? {
        field(at: offset, count: count).flatMap { Int(exactly: $0.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) }
    }

    private func field(at offset: Int, count: Int) -> ArraySlice<UInt8>? {
        guard offset >= 0, offset <= bytes.count - count else { return nil }
        return bytes[offset..<offset + count]
    }
}
