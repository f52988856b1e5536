internal import DescantContainers
internal import DescantCore

/// Reads the sound of a RIFF/WAVE file.
struct WAVParser {
    /// What follows the two bytes of the format tag in the extensible format's GUID.
    static let subformatTail: [UInt8] = [
        0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x80, 0x00, 0x00, 0xAA, 0x00, 0x38, 0x9B, 0x71,
    ]

    let bytes: [UInt8]
    let name: String

    func parse() throws -> WAVFile {
        let file = ArrayBytes(bytes)
        guard let header = RIFFHeader(file), header.isWave, header.name == "RIFF" else {
            throw CoreError.unsupported("\(name): not a RIFF/WAVE file")
        }
        var format: WaveFormat?
        var body: Range<Int64>?
        var offset = RIFFHeader.size
        while let chunk = RIFFChunk(file, at: offset) {
            offset = chunk.next
            if chunk.name == "fmt " { format = WaveFormat(chunk.content(of: file, limit: WaveFormat.maximumSize)) }
            if chunk.name == "data" {
                // 0 and 0xFFFFFFFF are left by a writer that could not go back to write the length.
                if chunk.size == 0 || chunk.size == 0xFFFF_FFFF { offset = file.size }
                body = chunk.start..<min(chunk.size == 0 ? file.size : chunk.end, file.size)
            }
        }
        guard let format else { throw CoreError.unsupported("\(name): no format chunk") }
        guard let body else { throw CoreError.unsupported("\(name): no data chunk") }
        return try decode(Int(body.lowerBound)..<Int(body.upperBound), format)
    }

    private func decode(_ body: Range<Int>, _ format: WaveFormat) throws -> WAVFile {
        let (channels, sampleRate) = (format.channels, format.sampleRate)
        guard channels > 0, sampleRate > 0 else {
            throw CoreError.unsupported("\(name): \(channels) channels at \(sampleRate) Hz")
        }
        let encoding: WAVFile.Encoding
        switch (format.tag, format.bitDepth) {
        case (1, 16): encoding = .int16
        case (1, 24): encoding = .int24
        case (1, 32): encoding = .int32
        case (3, 32): encoding = .float32
        default: throw CoreError.unsupported("\(name): WAVE format \(format.tag) with \(format.bitDepth) bits")
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
}
