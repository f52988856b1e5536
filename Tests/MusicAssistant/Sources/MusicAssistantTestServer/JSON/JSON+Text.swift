internal import NIOCore

extension JSON {
    /// Reads JSON text.
    ///
    /// - Parameter text: The text.
    /// - Returns: `nil` when it is not JSON.
    public init?(text: String) {
        self.init(buffer: ByteBuffer(string: text))
    }

    /// Reads the readable bytes of a buffer; `nil` when they are not JSON.
    init?(buffer: ByteBuffer) {
        let value = buffer.withUnsafeReadableBytes { bytes -> JSON? in
            try? JSONReader.read(bytes.bindMemory(to: UInt8.self))
        }
        guard let value else { return nil }
        self = value
    }

    /// The value as text, on one line, members in order of their names.
    public var text: String {
        var buffer = ByteBuffer()
        write(to: &buffer, isSorted: true)
        return String(buffer: buffer)
    }

    /// Appends the value as text; members are sorted only on request.
    func write(to buffer: inout ByteBuffer, isSorted: Bool = false) {
        switch self {
        case .null: buffer.writeStaticString("null")
        case .bool(let value): buffer.writeStaticString(value ? "true" : "false")
        case .int(let number): buffer.writeString(String(number))
        case .double(let number):
            if number.isFinite { buffer.writeString(number.description) } else { buffer.writeStaticString("null") }
        case .string(let text): Self.write(text, to: &buffer)
        case .array(let elements):
            buffer.writeInteger(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { buffer.writeInteger(UInt8(ascii: ",")) }
                element.write(to: &buffer, isSorted: isSorted)
            }
            buffer.writeInteger(UInt8(ascii: "]"))
        case .object(let members):
            isSorted
                ? Self.write(members.sorted { $0.key < $1.key }, to: &buffer, isSorted: true)
                : Self.write(members, to: &buffer, isSorted: false)
        }
    }

    private static func write(
        _ members: some Sequence<(key: String, value: JSON)>, to buffer: inout ByteBuffer, isSorted: Bool
    ) {
        buffer.writeInteger(UInt8(ascii: "{"))
        var isFirst = true
        for (name, value) in members {
            if !isFirst { buffer.writeInteger(UInt8(ascii: ",")) }
            isFirst = false
            write(name, to: &buffer)
            buffer.writeInteger(UInt8(ascii: ":"))
            value.write(to: &buffer, isSorted: isSorted)
        }
        buffer.writeInteger(UInt8(ascii: "}"))
    }

    /// Appends text in quotes.
    static func write(_ text: String, to buffer: inout ByteBuffer) {
        buffer.writeInteger(UInt8(ascii: "\""))
        let needsEscapes = text.utf8.contains { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
        if needsEscapes {
            for byte in text.utf8 { writeEscaped(byte, to: &buffer) }
        } else {
            buffer.writeString(text)
        }
        buffer.writeInteger(UInt8(ascii: "\""))
    }

    private static func writeEscaped(_ byte: UInt8, to buffer: inout ByteBuffer) {
        switch byte {
        case UInt8(ascii: "\""): buffer.writeStaticString("\\\"")
        case UInt8(ascii: "\\"): buffer.writeStaticString("\\\\")
        case UInt8(ascii: "\n"): buffer.writeStaticString("\\n")
        case 0..<0x20:
            let digits = String(byte, radix: 16)
            buffer.writeString("\\u00" + (digits.count < 2 ? "0" : "") + digits)
        default: buffer.writeInteger(byte)
        }
    }
}
