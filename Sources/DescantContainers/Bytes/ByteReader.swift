/// The reason why a container cannot be read or written. The caller adds the file's name.
package enum ContainerError: Error {
    /// The bytes do not follow the format.
    case damaged(String)
    /// The format, or this form of it, is not supported, or has no place for a field.
    case unsupported(String)
    /// A value cannot be written.
    case invalidValue(String)
}

/// The order of the bytes of a number.
package enum ByteOrder: Sendable {
    /// The most significant byte comes first.
    case big
    /// The least significant byte comes first.
    case little
}

/// Reads numbers and byte strings one after the other, and never past the end.
package struct ByteReader {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    package init(_ bytes: [UInt8]) { self.init(bytes[...]) }

    /// The number of bytes left.
    package var remaining: Int { bytes.endIndex - position }

    /// Reads a number of bytes.
    package mutating func take(_ count: Int) throws(ContainerError) -> ArraySlice<UInt8> {
        guard count >= 0, count <= remaining else {
            throw .damaged("\(count) bytes are announced where \(remaining) are left")
        }
        defer { position += count }
        return bytes[position..<position + count]
    }

    /// Reads all remaining bytes.
    package mutating func takeRemaining() -> ArraySlice<UInt8> {
        defer { position = bytes.endIndex }
        return bytes[position...]
    }

    /// Reads an unsigned number of 1…7 bytes, or the bits of a signed one of 8.
    package mutating func number(_ count: Int, _ order: ByteOrder) throws(ContainerError) -> Int {
        let bytes = try take(count)
        return switch order {
        case .big: bytes.reduce(0) { $0 << 8 | Int($1) }
        case .little: bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
        }
    }

    /// Reads a name of four characters of Latin-1, as MP4, RIFF and Ogg have them.
    package mutating func name() throws(ContainerError) -> String { String(latin1: try take(4)) }
}

/// Numbers inside byte arrays; `nil` where the array does not hold all of their bytes.
extension [UInt8] {
    package func uint16(at index: Int, _ order: ByteOrder) -> UInt16? {
        guard index >= 0, count >= 2, index <= count - 2 else { return nil }
        let (first, second) = (UInt16(self[index]), UInt16(self[index + 1]))
        return order == .big ? first << 8 | second : second << 8 | first
    }

    package func uint32(at index: Int, _ order: ByteOrder) -> UInt32? {
        guard count >= 4, index <= count - 4, let first = uint16(at: index, order),
            let second = uint16(at: index + 2, order)
        else { return nil }
        return order == .big ? UInt32(first) << 16 | UInt32(second) : UInt32(second) << 16 | UInt32(first)
    }

    package func uint64(at index: Int, _ order: ByteOrder) -> UInt64? {
        guard count >= 8, index <= count - 8, let first = uint32(at: index, order),
            let second = uint32(at: index + 4, order)
        else { return nil }
        return order == .big ? UInt64(first) << 32 | UInt64(second) : UInt64(second) << 32 | UInt64(first)
    }
}

extension [UInt8] {
    /// Appends the lowest bytes of a number.
    package mutating func append(_ value: Int, bytes count: Int, _ order: ByteOrder) {
        self += .number(value, bytes: count, order)
    }

    /// The lowest bytes of a number.
    package static func number(_ value: Int, bytes count: Int, _ order: ByteOrder) -> [UInt8] {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return order == .little ? bytes : bytes.reversed()
    }
}

extension String {
    /// Decodes text of one byte per character.
    package init(latin1 bytes: some Sequence<UInt8>) {
        self.init(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// The text in one byte per character; `nil` when it has characters outside of Latin-1.
    package var latin1: [UInt8]? {
        var bytes: [UInt8] = []
        for scalar in unicodeScalars {
            guard let byte = UInt8(exactly: scalar.value) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }
}
