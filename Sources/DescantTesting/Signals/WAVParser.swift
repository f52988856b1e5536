internal import DescantCore

/// Parses a RIFF/WAVE file.
struct WAVParser {
    /// The bytes after the format tag in the GUID of the extensible format.
    static let subformatTail: [UInt8] = [
        0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x80, 0x00, 0x00, 0xAA, 0x00, 0x38, 0x9B, 0x71,
    ]

    let bytes: [UInt8]
    let name: String

    func parse() throws -> WAVFile {
        guard bytes.count >= 12, text(at: 0) == "RIFF", text(at: 8) == "WAVE" else {
            throw CoreError.unsupported("\(name): not a RIFF/WAVE file")
        }
        var format: Range<Int>?
        var body: Range<Int>?
        var offset = 12
        while offset + 8 <= bytes.count {
            let length = Int(integer(at: offset + 4, bytes: 4))
            let kind = text(at: offset)
            let start = offset + 8
            // A writer that did not fill in the length leaves 0 or 0xFFFFFFFF.
            let isOpen = kind == "data" && (length == 0 || length == 0xFFFF_FFFF)
            let end = isOpen ? bytes.count : min(start + length, bytes.count)
            if kind == "fmt " { format = start..<end }
            if kind == "data" { body = start..<end }
            offset = end + length % 2
        }
        guard let format, format.count >= 16 else { throw CoreError.unsupported("\(name): no format chunk") }
        guard let body else { throw CoreError.unsupported("\(name): no data chunk") }
        return try decode(body, format: format.lowerBound, isLong: format.count >= 40)
    }

    private func decode(_ body: Range<Int>, format: Int, isLong: Bool) throws -> WAVFile {
        var tag = Int(integer(at: format, bytes: 2))
        if tag == 0xFFFE, isLong { tag = Int(integer(at: format + 24, bytes: 2)) }
        let channels = Int(integer(at: format + 2, bytes: 2))
        let sampleRate = Int(integer(at: format + 4, bytes: 4))
        let bits = Int(integer(at: format + 14, bytes: 2))
        guard channels > 0, sampleRate > 0 else {
            throw CoreError.unsupported("\(name): \(channels) channels at \(sampleRate) Hz")
        }
        let encoding: WAVFile.Encoding
        switch (tag, bits) {
        case (1, 16): encoding = .int16
        case (1, 24): encoding = .int24
        case (1, 32): encoding = .int32
        case (3, 32): encoding = .float32
        default: throw CoreError.unsupported("\(name): WAVE format \(tag) with \(bits) bits")
        }
        let content = SampleBuffer(
            format: PCMFormat(sampleRate: sampleRate, channels: channels), samples: samples(in: body, as: encoding))
        return WAVFile(content, encoding: encoding)
    }

    private func samples(in body: Range<Int>, as encoding: WAVFile.Encoding) -> [Float] {
        let width = encoding.bytesPerSample
        return bytes.withUnsafeBytes { bytes in
            [Float](unsafeUninitializedCapacity: body.count / width) { target, count in
                count = body.count / width
                for index in 0..<count {
                    target[index] = Self.sample(bytes, at: body.lowerBound + index * width, as: encoding)
                }
            }
        }
    }

    private static func sample(_ bytes: UnsafeRawBufferPointer, at offset: Int, as encoding: WAVFile.Encoding) -> Float
    {
        switch encoding {
        case .float32:
            return Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
        case .int16:
            return Float(Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int16.self))) / 32_768
        case .int24:
            let low = UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
            let high = Int8(bitPattern: bytes[offset + 2])
            return Float(Int32(high) << 16 | Int32(low)) / 8_388_608
        case .int32:
            let value = Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self))
            return Float(Double(value) / 2_147_483_648)
        }
    }

    private func text(at offset: Int) -> String { String(decoding: bytes[offset..<offset + 4], as: UTF8.self) }

    private func integer(at offset: Int, bytes count: Int) -> UInt32 {
        (0..<count).reduce(0) { $0 | UInt32(bytes[offset + $1]) << UInt32(8 * $1) }
    }
}
