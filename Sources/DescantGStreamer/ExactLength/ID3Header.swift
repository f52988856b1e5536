/// The tags that stand before the sound of an MP3 file, and of some FLAC files.
enum ID3Header {
    /// Tags in a row that are passed over.
    private static let tagLimit = 64

    /// Where the sound begins: behind every ID3v2 tag; 0 without one.
    static func end(of reader: some ByteReader) -> Int64 {
        var offset: Int64 = 0
        for _ in 0..<tagLimit {
            let header = reader.bytes(at: offset, count: 10)
            guard header.count == 10, header[0..<3].elementsEqual("ID3".utf8) else { return offset }
            // The size has 7 bits a byte, as a rule. What uses all 8 is taken for a plain number, as GStreamer does.
            let isPlain = header[6..<10].contains { $0 > 0x7F }
            let size = header[6..<10].reduce(Int64(0)) { $0 << (isPlain ? 8 : 7) | Int64($1) }
            // A footer repeats the header.
            let footer: Int64 = header[5] & 0x10 != 0 ? 10 : 0
            offset += 10 + size + footer
        }
        return offset
    }
}
