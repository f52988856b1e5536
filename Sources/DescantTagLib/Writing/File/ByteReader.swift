/// Reads numbers and pieces of bytes, and never past their end.
struct ByteReader {
    let bytes: ArraySlice<UInt8>
    private(set) var position: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    init(_ bytes: [UInt8]) { self.init(bytes[...]) }

    /// How many bytes are left.
    var left: Int { bytes.endIndex - position }

    /// The next bytes.
    mutating func take(_ count: Int) throws(EditError) -> ArraySlice<UInt8> {
        guard count >= 0, count <= left else { throw .damaged("\(count) bytes are announced where \(left) are left") }
        defer { position += count }
        return bytes[position..<position + count]
    }

    /// What is left.
    mutating func rest() -> ArraySlice<UInt8> {
        defer { position = bytes.endIndex }
        return bytes[position...]
    }

    /// A number, most significant byte first.
    mutating func big(_ count: Int) throws(EditError) -> Int { try take(count).reduce(0) { $0 << 8 | Int($1) } }

    /// A number, least significant byte first.
    mutating func little(_ count: Int) throws(EditError) -> Int {
        try take(count).reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// A name of four characters of Latin-1, as MP4 and RIFF have them.
    mutating func name() throws(EditError) -> String { String(latin1: try take(4)) }
}

extension [UInt8] {
    /// Adds a number, most significant byte first.
    mutating func appendBig(_ value: Int, _ count: Int) {
        for index in (0..<count).reversed() { append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
    }

    /// Adds a number, least significant byte first.
    mutating func appendLittle(_ value: Int, _ count: Int) {
        for index in 0..<count { append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
    }

    /// A number in bytes, most significant byte first.
    static func big(_ value: Int, _ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendBig(value, count)
        return bytes
    }

    /// A number in bytes, least significant byte first.
    static func little(_ value: Int, _ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendLittle(value, count)
        return bytes
    }
}

extension String {
    /// Text of one byte per character.
    init(latin1 bytes: some Sequence<UInt8>) {
        self.init(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// The text in one byte per character; `nil` when it has others.
    var latin1: [UInt8]? {
        var bytes: [UInt8] = []
        for scalar in unicodeScalars {
            guard scalar.value <= 0xFF else { return nil }
            bytes.append(UInt8(scalar.value))
        }
        return bytes
    }
}
