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
                // Without a "ds64" chunk nothing replaces the size of an RF64 file, which is the largest number.
                let announced = header.name == "RF64" && chunk.size == .maximum32 ? longSize : nil
                return length(format: format, data: chunk, announced: announced ?? chunk.size, in: file)
            default: break
            }
            offset = chunk.next
        }
        return nil
    }

    private static func length(
        format: (content: WaveFormat, offset: Int64)?, data: RIFFChunk, announced: Int64,
        in file: some RandomAccessBytes<Never>
    ) -> ExactLength? {
        guard let (format, offset) = format, format.sampleRate > 0 else { return nil }
        let available = file.size - data.start
        var result = ExactLength(sampleRate: format.sampleRate)
        // GStreamer's parser takes a size of 2^31 or more for 2^31 - 1, reads the sound behind that as chunks, and ends the process at one
        // that is as large. It takes a size of 0 for the rest of the file, whose end does not matter here.
        if available >= smallestPlaceholder {
            result.patches.append(BytePatch(offset: data.start - 4, bytes: [0, 0, 0, 0]))
        }
        guard format.tag == 1 || format.tag == 3, format.blockAlign > 0 else {
            return result.patches.isEmpty ? nil : result
        }
        if let patch = byteRatePatch(format, at: offset) { result.patches.append(patch) }
        let bytes = isOpenEnded(announced, data, in: file) ? available : announced
        let frames = bytes / Int64(format.blockAlign)
        result.frames = frames
        return frames > 0 ? result : nil
    }

    /// Corrects the bytes per second: GStreamer seeks by them, and refuses a file in which they are too many.
    private static func byteRatePatch(_ format: WaveFormat, at offset: Int64) -> BytePatch? {
        let byteRate = format.sampleRate * format.blockAlign
        guard byteRate != format.byteRate, byteRate <= Int(UInt32.max) else { return nil }
        return BytePatch(offset: offset + WaveFormat.byteRateOffset, bytes: .number(byteRate, bytes: 4, .little))
    }

    // MARK: Unfinished files

    /// The smallest size that stands for an unknown one.
    private static let smallestPlaceholder: Int64 = 0x7FFF_F000
    /// The sizes that a writer leaves that could not seek back: of SoX, of arecord, and the largest numbers of 31 and of 32 bits.
    private static let placeholders: Set<Int64> = [smallestPlaceholder, 0x7FFF_FF00, 0x7FFF_FFFF, .maximum32]

    /// Whether the sound ends with the file, because its writer did not know the size.
    private static func isOpenEnded(
        _ announced: Int64, _ data: RIFFChunk, in file: some RandomAccessBytes<Never>
    ) -> Bool {
        if announced == 0 { return true }
        guard announced >= smallestPlaceholder else { return false }
        if announced > file.size - data.start { return true }
        guard announced == data.size, placeholders.contains(announced) else { return false }
        // No file with 32-bit sizes can have as much sound as the largest number.
        if announced == .maximum32 { return true }
        guard let next = RIFFChunk(file, at: data.next) else { return true }
        return !next.hasValidName || next.end > file.size
    }
}

extension Int64 {
    /// The largest number of 32 bits, which stands for a size of 64 bits elsewhere in the file, or for none.
    fileprivate static let maximum32: Int64 = 0xFFFF_FFFF
}
