internal import Descant

/// Reads the header of a DSF file ("DSF File Format Specification" 1.01, Sony): numbers are little-endian, a
/// channel's bytes come in blocks, and the lowest bit of a byte is the earliest.
enum DSFParser {
    /// Whether a file has the header of a DSF file.
    static func recognises(_ header: [UInt8]) -> Bool { header.starts(with: Array("DSD ".utf8)) }

    /// Reads the layout.
    ///
    /// - Throws: `CoreError` naming the file.
    static func layout(of file: DSDFile) throws -> DSDLayout {
        let head = HeaderBytes(try file.bytes(at: 0, count: 28))
        guard let first = head.littleEndian(at: 4, count: 8), (28...4096).contains(first) else {
            throw damaged(file, "its first chunk has no size")
        }
        let format = HeaderBytes(try file.bytes(at: first, count: 52))
        guard format.mark(at: 0) == "fmt ", let size = format.littleEndian(at: 4, count: 8), (52...4096).contains(size),
            let encoding = format.littleEndian(at: 16, count: 4), let channels = format.littleEndian(at: 24, count: 4),
            let rate = format.littleEndian(at: 28, count: 4), let bits = format.littleEndian(at: 32, count: 4),
            let samples = format.littleEndian(at: 36, count: 8), let blockSize = format.littleEndian(at: 44, count: 4)
        else { throw damaged(file, "its format chunk is missing or incomplete") }
        guard encoding == 0, bits == 1 || bits == 8 else {
            throw damaged(file, "its encoding is unknown: \(encoding), \(bits) bits")
        }
        guard channels > 0, channels <= 64 else { throw damaged(file, "it has \(channels) channels") }
        let start = first + size
        let data = HeaderBytes(try file.bytes(at: start, count: 12))
        guard data.mark(at: 0) == "data", let length = data.littleEndian(at: 4, count: 8), length >= 12 else {
            throw damaged(file, "its data chunk is missing")
        }
        // The channels of every channel type follow each other as in WAVE files.
        return DSDLayout(
            sampleRate: rate, channelOrder: Array(0..<channels), sampleCount: samples, blockSize: blockSize,
            bitOrder: bits == 1 ? .leastSignificantFirst : .mostSignificantFirst, dataOffset: start + 12,
            dataLength: max(0, min(length - 12, file.length - start - 12)))
    }

    private static func damaged(_ file: DSDFile, _ what: String) -> CoreError {
        .decodeError("\(file.path): the DSF header is damaged (\(what))")
    }
}
