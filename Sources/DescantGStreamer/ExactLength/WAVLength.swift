internal import DescantContainers

/// The length of a WAVE file: RIFF, and RF64 with 64-bit sizes.
enum WAVLength {
    /// The number of chunks that are read.
    private static let chunkLimit = 64

    static func read(_ file: some RandomAccessBytes<Never>) -> ExactLength? {
        guard let header = RIFFHeader(file), header.isWave else { return nil }
        var offset = RIFFHeader.size
        var format: (content: WaveFormat, offset: Int64)?
        var longSize: Int64?
        for _ in 0..<chunkLimit {
            guard let chunk = RIFFChunk(file, at: offset) else { return nil }
            switch chunk.name {
            case "fmt ":
                format = WaveFormat(chunk.content(of: file, limit: WaveFormat.maximumSize)).map { ($0, chunk.start) }
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

    /// Corrects the bytes per second: GStreamer seeks by them, and refuses a file in which they are too many.
    private static func patches(_ format: WaveFormat, at offset: Int64) -> [BytePatch] {
        let byteRate = format.sampleRate * format.blockAlign
        guard byteRate != format.byteRate, byteRate <= Int(UInt32.max) else { return [] }
        return [
            BytePatch(offset: offset + WaveFormat.byteRateOffset, bytes: .number(byteRate, bytes: 4, .little))
        ]
    }

    private static func length(
        format: (content: WaveFormat, offset: Int64)?, announced: Int64?, available: Int64
    ) -> ExactLength? {
        guard let (format, offset) = format, let announced, format.tag == 1 || format.tag == 3, format.sampleRate > 0,
            format.blockAlign > 0
        else { return nil }
        // A writer that could not seek back leaves 0 or a number near the maximum, such as 0x7FFF_F000 (SoX) and
        // 0x7FFF_FF00 (arecord): the sound then ends with the file.
        let isOpenEnded = announced == 0 || announced >= 0x7FFF_F000 && announced > available
        let bytes = isOpenEnded ? available : announced
        let frames = bytes / Int64(format.blockAlign)
        guard frames > 0 else { return nil }
        return ExactLength(
            frames: frames, sampleRate: format.sampleRate, patches: patches(format, at: offset))
    }
}
