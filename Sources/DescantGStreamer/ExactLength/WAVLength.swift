internal import DescantContainers

/// The length of a WAVE file: RIFF, and RF64 with 64-bit sizes.
enum WAVLength {
    /// The number of chunks that are read.
    private static let chunkLimit = 64

    private struct Format {
        var sampleRate: Int
        /// Bytes of a frame.
        var blockAlign: Int64
        var isPCM: Bool
        /// The bytes per second, where the file announces another number.
        var byteRatePatch: BytePatch?
    }

    static func read(_ file: some RandomAccessBytes<Never>) -> ExactLength? {
        guard let header = RIFFHeader(file), header.isWave else { return nil }
        var offset = RIFFHeader.size
        var format: Format?
        var longSize: Int64?
        for _ in 0..<chunkLimit {
            guard let chunk = RIFFChunk(file, at: offset) else { return nil }
            switch chunk.name {
            case "fmt ": format = readFormat(chunk.content(of: file, limit: 40), at: chunk.start)
            case "ds64":
                longSize = chunk.content(of: file, limit: 16).uint64(at: 8, .little).flatMap(Int64.init(exactly:))
            case "data":
                return length(
                    format: format,
                    announced: header.name == "RF64" && chunk.size == 0xFFFF_FFFF ? longSize : chunk.size,
                    available: file.size - chunk.start)
            default: break
            }
            offset = chunk.next
        }
        return nil
    }

    private static func readFormat(_ chunk: [UInt8], at offset: Int64) -> Format? {
        guard chunk.count >= 16, var tag = chunk.uint16(at: 0, .little), let rate = chunk.uint32(at: 4, .little),
            let announced = chunk.uint32(at: 8, .little), let blockAlign = chunk.uint16(at: 12, .little)
        else { return nil }
        // WAVE_FORMAT_EXTENSIBLE: the tag stands at the beginning of the sub-format.
        if tag == 0xFFFE, let subformat = chunk.uint16(at: 24, .little) { tag = subformat }
        var format = Format(sampleRate: Int(rate), blockAlign: Int64(blockAlign), isPCM: tag == 1 || tag == 3)
        // GStreamer seeks by this field, and refuses a file in which it is too great.
        let byteRate = Int64(format.sampleRate) * format.blockAlign
        if format.isPCM, byteRate != Int64(announced), byteRate <= Int64(UInt32.max) {
            format.byteRatePatch = BytePatch(
                offset: offset + 8, bytes: .number(Int(byteRate), bytes: 4, .little))
        }
        return format
    }

    private static func length(format: Format?, announced: Int64?, available: Int64) -> ExactLength? {
        guard let format, let announced, format.isPCM, format.sampleRate > 0, format.blockAlign > 0 else { return nil }
        // A writer that could not seek back leaves 0 or the maximum number: the sound then ends with the file.
        let isOpenEnded = announced == 0 || announced >= 0x7FFF_FFFF && announced > available
        let bytes = isOpenEnded ? available : announced
        let frames = bytes / format.blockAlign
        guard frames > 0 else { return nil }
        return ExactLength(
            frames: frames, sampleRate: format.sampleRate, patches: format.byteRatePatch.map { [$0] } ?? [])
    }
}
