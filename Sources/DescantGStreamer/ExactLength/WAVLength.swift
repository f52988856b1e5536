/// Reads the chunks of a WAVE file: RIFF, and RF64 with 64-bit sizes.
enum WAVLength {
    /// Chunks before the sound that are looked at.
    private static let chunkLimit = 64

    /// What the format chunk says.
    private struct Format {
        var sampleRate: Int
        var blockAlign: Int64
        var isPCM: Bool
        /// The field for the bytes of a second, where it is wrong.
        var wrongByteRate: BytePatch?
    }

    static func read(_ reader: some ByteReader) -> ExactLength? {
        let header = reader.bytes(at: 0, count: 12)
        guard header.count == 12, header[8..<12].elementsEqual("WAVE".utf8) else { return nil }
        let is64 = header[0..<4].elementsEqual("RF64".utf8)
        guard is64 || header[0..<4].elementsEqual("RIFF".utf8) else { return nil }
        var offset: Int64 = 12
        var format: Format?
        var size64: Int64?
        for _ in 0..<chunkLimit {
            let chunk = reader.bytes(at: offset, count: 8)
            guard chunk.count == 8 else { return nil }
            let size = Int64(chunk.littleEndian32(at: 4))
            switch String(decoding: chunk[0..<4], as: UTF8.self) {
            case "fmt ": format = readFormat(reader.bytes(at: offset + 8, count: Int(min(size, 40))), at: offset + 8)
            case "ds64": size64 = dataSize64(reader.bytes(at: offset + 8, count: 16))
            case "data":
                return length(
                    format: format, announced: is64 && size == 0xFFFF_FFFF ? size64 : size,
                    available: reader.size - offset - 8)
            default: break
            }
            // Chunks begin at even offsets.
            offset += 8 + size + (size & 1)
        }
        return nil
    }

    private static func readFormat(_ chunk: [UInt8], at offset: Int64) -> Format? {
        guard chunk.count >= 16 else { return nil }
        var tag = chunk.littleEndian16(at: 0)
        // WAVE_FORMAT_EXTENSIBLE: the tag stands at the beginning of the sub-format.
        if tag == 0xFFFE, chunk.count >= 26 { tag = chunk.littleEndian16(at: 24) }
        var format = Format(
            sampleRate: Int(chunk.littleEndian32(at: 4)), blockAlign: Int64(chunk.littleEndian16(at: 12)),
            isPCM: tag == 1 || tag == 3)
        // GStreamer finds places by this field, and refuses a file in which it is greater than it should be.
        let byteRate = Int64(format.sampleRate) * format.blockAlign
        if format.isPCM, byteRate != Int64(chunk.littleEndian32(at: 8)), byteRate <= Int64(UInt32.max) {
            let bytes = (0..<4).map { UInt8(truncatingIfNeeded: byteRate >> (8 * $0)) }
            format.wrongByteRate = BytePatch(offset: offset + 8, bytes: bytes)
        }
        return format
    }

    private static func dataSize64(_ chunk: [UInt8]) -> Int64? {
        guard chunk.count == 16 else { return nil }
        let size = UInt64(chunk.littleEndian32(at: 8)) | UInt64(chunk.littleEndian32(at: 12)) << 32
        return Int64(exactly: size)
    }

    private static func length(format: Format?, announced: Int64?, available: Int64) -> ExactLength? {
        guard let format, let announced, format.isPCM, format.sampleRate > 0, format.blockAlign > 0 else { return nil }
        // A writer that could not go back leaves 0 or the maximum number: the sound then goes to the file's end.
        let isOpenEnded = announced == 0 || announced >= 0x7FFF_FFFF && announced > available
        let bytes = isOpenEnded ? available : announced
        let frames = bytes / format.blockAlign
        guard frames > 0 else { return nil }
        return ExactLength(
            frames: frames, sampleRate: format.sampleRate, patches: format.wrongByteRate.map { [$0] } ?? [])
    }
}
