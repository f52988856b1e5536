/// Reads the tag in the first frame of an MP3 file that counts frames, delay and padding.
///
/// The layout is that of the Xing VBR header with LAME's extension behind it.
enum MP3Length {
    /// How far behind the tags the first frame may begin.
    private static let searchLimit = 16_384

    /// - Parameter offset: Where the tags before the sound end.
    static func read(_ reader: some ByteReader, at offset: Int64) -> ExactLength? {
        let bytes = reader.bytes(at: offset, count: searchLimit)
        guard let (start, header) = firstFrame(in: bytes) else { return nil }
        let tag = start + 4 + header.sideInfoSize
        guard bytes.count >= tag + 8 else { return nil }
        let name = String(decoding: bytes[tag..<tag + 4], as: UTF8.self)
        let flags = bytes.bigEndian32(at: tag + 4)
        guard name == "Xing" || name == "Info", flags & 1 != 0 else { return nil }
        // Frames, bytes, table of contents and quality stand there as the flags say; LAME's extension follows.
        let fields: [(flag: UInt32, size: Int)] = [(1, 4), (2, 4), (4, 100), (8, 4)]
        let extensionStart = fields.reduce(tag + 8) { $0 + (flags & $1.flag != 0 ? $1.size : 0) }
        guard bytes.count >= extensionStart + 24 else { return nil }
        // Only LAME's own tag: GStreamer trims by no other, so the count would not hold.
        guard bytes[extensionStart..<extensionStart + 4].elementsEqual("LAME".utf8) else { return nil }
        let delay = Int64(bytes[extensionStart + 21]) << 4 | Int64(bytes[extensionStart + 22]) >> 4
        let padding = Int64(bytes[extensionStart + 22] & 15) << 8 | Int64(bytes[extensionStart + 23])
        let frames = Int64(bytes.bigEndian32(at: tag + 8)) * header.framesPerBlock - delay - padding
        return frames > 0 ? ExactLength(frames: frames, sampleRate: header.sampleRate) : nil
    }

    private static func firstFrame(in bytes: [UInt8]) -> (offset: Int, header: MP3Header)? {
        for offset in bytes.indices where bytes[offset] == 0xFF {
            if let header = MP3Header(bytes[offset...]) { return (offset, header) }
        }
        return nil
    }
}
