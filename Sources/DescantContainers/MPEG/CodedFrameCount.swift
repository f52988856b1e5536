/// The number of frames in a stream of coded blocks that announces no length: MPEG audio without a tag, AAC in ADTS, AC-3,
/// E-AC-3. The count reads only headers, from the first block to the last.
///
/// Layouts of the headers: ISO/IEC 14496-3, 1.A.2 (ADTS); ETSI TS 102 366, 5.3 (AC-3) and E.1.2 (E-AC-3).
package struct CodedFrameCount {
    /// The size and the length of one coded block.
    private struct Block {
        /// The size in bytes, header included.
        var size: Int
        /// Frames of sound.
        var frames: Int64
        var sampleRate: Int
    }

    /// The number of frames of sound in all blocks.
    package private(set) var frames: Int64 = 0
    /// Frames per second, in Hz.
    package private(set) var sampleRate = 0

    /// The number of bytes that are read at a time.
    private static let window = 1 << 18
    /// The maximum distance of the first block from the tags, in bytes.
    private static let searchLimit = 16_384

    /// Reads the headers of a file; `nil` when it is not of such a format.
    package init?(_ file: some RandomAccessBytes<Never>) {
        let start = ID3v2Header.end(in: file)
        let head = file.bytes(at: start, count: Self.searchLimit)
        guard let first = Self.firstBlock(in: head) else { return nil }
        var offset = start + Int64(first.offset)
        var bytes: [UInt8] = []
        var base = offset
        while true {
            if Int(offset - base) + 8 > bytes.count {
                base = offset
                bytes = file.bytes(at: base, count: Self.window)
            }
            guard let block = first.parse(bytes[Int(offset - base)...]), block.sampleRate == first.block.sampleRate,
                offset + Int64(block.size) <= file.size
            else { break }
            frames += block.frames
            offset += Int64(block.size)
            // A block may be longer than what is left of the window; the next round reads on from there.
            if offset - base > Int64(bytes.count) { bytes = [] }
        }
        sampleRate = first.block.sampleRate
        // Behind the last block there may be tags. They are not most of a file.
        guard frames > 0, file.size - offset < max(1 << 20, file.size / 4) else { return nil }
        // More blocks behind damage, or in another part of a joined file, are not in the count.
        let tail = file.bytes(at: Self.endOfTags(in: file, from: offset), count: Self.searchLimit)
        guard Self.firstBlock(in: tail) == nil else { return nil }
    }

    /// The number of tags in a row that ``endOfTags(in:from:)`` skips.
    private static let tagLimit = 8

    /// The offset behind the tags at the end of one part of a joined file and at the beginning of the next.
    package static func endOfTags(in file: some RandomAccessBytes<Never>, from start: Int64) -> Int64 {
        var offset = start
        for _ in 0..<tagLimit {
            let bytes = file.bytes(at: offset, count: 32)
            if let header = ID3v2Header(bytes) {
                offset += Int64(header.standardSize ?? ID3v2Header.size + Int(header.contentSize))
            } else if bytes.starts(with: Array("TAG".utf8)) {
                // ID3v1 has one size.
                offset += 128
            } else if bytes.starts(with: Array("APETAGEX".utf8)), let size = bytes.uint32(at: 12, .little) {
                // The size leaves out the header, of 32 bytes.
                offset += 32 + Int64(size)
            } else {
                return offset
            }
        }
        return offset
    }

    private typealias Parser = (ArraySlice<UInt8>) -> Block?

    /// Whether a file has frames of MPEG audio or ADTS near an offset. A recording of a station may begin within a frame.
    package static func hasFrames<Bytes: RandomAccessBytes>(
        in file: Bytes, from start: Int64
    ) throws(Bytes.Failure) -> Bool {
        let head = try file.bytes(at: start, count: searchLimit)
        return firstBlock(in: head, of: [adts, mpegAudio]) != nil
    }

    /// The first of two consecutive headers that agree. A single one may be there by chance.
    private static func firstBlock(
        in bytes: [UInt8], of parsers: [Parser] = [adts, mpegAudio, ac3, eac3]
    ) -> (offset: Int, block: Block, parse: Parser)? {
        for offset in bytes.indices where bytes[offset] == 0xFF || bytes[offset] == 0x0B {
            for parse in parsers {
                guard let block = parse(bytes[offset...]), offset + block.size < bytes.count,
                    let next = parse(bytes[(offset + block.size)...]), next.sampleRate == block.sampleRate
                else { continue }
                return (offset, block, parse)
            }
        }
        return nil
    }

    // MARK: Headers

    private static func adts(_ bytes: ArraySlice<UInt8>) -> Block? {
        let header = Array(bytes.prefix(7))
        let rates = [
            96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
        ]
        guard header.count == 7, header[0] == 0xFF, header[1] & 0xF6 == 0xF0 else { return nil }
        let rate = Int(header[2] >> 2 & 15)
        let size = Int(header[3] & 3) << 11 | Int(header[4]) << 3 | Int(header[5]) >> 5
        guard rate < rates.count, size > 7 else { return nil }
        return Block(size: size, frames: 1_024 * Int64(header[6] & 3 + 1), sampleRate: rates[rate])
    }

    private static func mpegAudio(_ bytes: ArraySlice<UInt8>) -> Block? {
        MPEGAudioHeader(bytes).map {
            Block(size: $0.size, frames: $0.framesPerBlock, sampleRate: $0.sampleRate)
        }
    }

    private static func ac3(_ bytes: ArraySlice<UInt8>) -> Block? {
        let header = Array(bytes.prefix(6))
        guard header.count == 6, header[0] == 0x0B, header[1] == 0x77, header[5] >> 3 <= 10 else { return nil }
        let rates = [48_000, 44_100, 32_000]
        let kilobits = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640]
        let (rate, size) = (Int(header[4] >> 6), Int(header[4] & 0x3F))
        guard rate < 3, size < 38 else { return nil }
        // Words of two bytes: 1,536 frames at the bit rate; 44.1 kHz alternates between two sizes.
        let words = kilobits[size / 2] * 96_000 / rates[rate] + (rate == 1 ? size & 1 : 0)
        return Block(size: words * 2, frames: 1_536, sampleRate: rates[rate])
    }

    private static func eac3(_ bytes: ArraySlice<UInt8>) -> Block? {
        let header = Array(bytes.prefix(6))
        guard header.count == 6, header[0] == 0x0B, header[1] == 0x77, 11...16 ~= header[5] >> 3 else { return nil }
        let (rate, second) = (Int(header[4] >> 6), Int(header[4] >> 4 & 3))
        guard rate < 3 || second < 3 else { return nil }
        let sampleRate = rate < 3 ? [48_000, 44_100, 32_000][rate] : [24_000, 22_050, 16_000][second]
        // At half rates the number of blocks is always 6.
        let blocks: Int64 = rate < 3 ? [1, 2, 3, 6][second] : 6
        let words = (Int(header[2] & 7) << 8 | Int(header[3])) + 1
        // Dependent substreams add channels or programmes to the same time.
        let isFirst = header[2] >> 6 != 1 && header[2] >> 3 & 7 == 0
        return Block(size: words * 2, frames: isFirst ? blocks * 256 : 0, sampleRate: sampleRate)
    }
}
